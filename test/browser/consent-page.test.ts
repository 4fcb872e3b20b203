/** The page before a consent and the pages after one that failed, over rules that answer as the test says. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONSENT_PAGE, type DeskOptions } from '../pages/support.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser, openPage } from './chromium.ts';
import { contrasts } from './contrast.ts';
import { servePages, serveSite } from './servers.ts';
import { PageFailure } from '../../src/core/page-failure.ts';

/** As many permissions as a large connector has. */
const MANY = Array.from({ length: 24 }, (_, index) => ({
  name: `a_rather_long_object_configuration_${index}:read-write`,
  meaning:
    index % 3 === 0
      ? ''
      : `See, create, change and delete things of kind ${index}, and what belongs to them.`,
  power: (['read', 'change', 'delete', 'other'] as const)[index % 4] ?? 'other',
  isIncluded: false,
}));

describe.skipIf(isWithoutBrowser)('consent page in a browser', () => {
  let browser: Browser;
  const cleanups: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await connectBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function pages(options: DeskOptions = { page: CONSENT_PAGE }) {
    const site = await servePages(options);
    cleanups.push(site.close);
    return site;
  }

  async function otherSite(...answer: Parameters<typeof serveSite>) {
    const site = await serveSite(...answer);
    cleanups.push(site.close);
    // Another site to the browser, not only another origin.
    return { ...site, origin: site.origin.replace('127.0.0.1', 'localhost') };
  }

  async function open(url: string, options: BrowserContextOptions = {}) {
    const { page, heard: complaints } = await openPage(browser, options);
    await page.goto(url);
    return { page, complaints };
  }

  const proceed = async (page: Page): Promise<void> =>
    page.getByRole('link', { name: 'Continue to app.provider.example.test' }).click();

  it.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'leads to the provider with one click, without a trace of the link (%j)',
    async (options) => {
      const provider = await otherSite();
      const started = `${provider.origin}/authorize?state=s`;
      const site = await pages({ page: CONSENT_PAGE, started });
      const { page, complaints } = await open(`${site.origin}/connect/token-1`, options);
      expect(provider.received).toEqual([]);
      await proceed(page);
      await page.getByRole('heading', { name: 'Somebody else' }).waitFor();
      expect(page.url()).toBe(started);
      expect(site.starts).toEqual([{ environmentId: 'env_1', token: 'token-1', browser: 'b'.repeat(43) }]);
      expect(provider.received[0]?.headers.referer).toBeUndefined();
      expect(complaints).toEqual([]);
    },
  );

  it('appears first for a person who opens the authorize URL directly', async () => {
    const site = await pages();
    const attacker = await otherSite({ html: `<a href="${site.origin}/connect/token-1/go">Win a prize</a>` });
    const { page } = await open(`${site.origin}/connect/token-1`);
    await page.goto(attacker.origin);
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'Connect Attio' }).waitFor();
    expect(page.url()).toBe(`${site.origin}/connect/token-1`);
    await page.goto(`${site.origin}/connect/token-1/go`);
    expect(page.url()).toBe(`${site.origin}/connect/token-1`);
    expect(site.starts).toEqual([]);
  });

  it('appears again with the back button, and leads to the provider again', async () => {
    const provider = await otherSite();
    const site = await pages({ page: CONSENT_PAGE, started: `${provider.origin}/authorize` });
    const { page } = await open(`${site.origin}/connect/token-1`);
    await proceed(page);
    await page.waitForURL(/authorize/);
    await page.goBack();
    expect(page.url()).toBe(`${site.origin}/connect/token-1`);
    await proceed(page);
    await page.waitForURL(/authorize/);
    expect(site.starts).toHaveLength(2);
  });

  it('moves to the public host name before the flow begins', async () => {
    const site = await pages();
    const { page } = await open(`${site.origin.replace('127.0.0.1', 'localhost')}/connect/token-1`);
    expect(page.url()).toBe(`${site.origin}/connect/token-1`);
  });

  it('receives its cookie when another site sends the browser to the callback (SameSite)', async () => {
    const site = await pages();
    const { page } = await open(`${site.origin}/connect/token-1`);
    const callback = `${site.origin}/sso/v1/oauth/conn_1/callback?state=s&code=c`;
    const provider = await otherSite({
      html: `<form method="post" action="/allow"><button>Allow</button></form>`,
    });
    await page.goto(provider.origin);
    await page.route(`${provider.origin}/allow`, (route) =>
      route.fulfill({ status: 303, headers: { location: callback } }),
    );
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(page.url()).toBe(`${site.origin}/connect/done`);
    expect(site.callbacks.map(({ browser }) => browser)).toEqual(['b'.repeat(43)]);
  });

  it('explains the problem in a browser without cookies', async () => {
    const site = await pages();
    const { page } = await open(`${site.origin}/connect/token-1`);
    await page.context().clearCookies();
    await proceed(page);
    await page.getByRole('heading', { name: 'This browser does not keep cookies' }).waitFor();
    expect(await faultsOf(page, 'consent-no-cookies')).toEqual([]);
    expect(site.starts).toEqual([]);
  });

  it('refuses to load in a frame (clickjacking)', async () => {
    const site = await pages();
    const frame = await otherSite({ html: `<iframe src="${site.origin}/connect/token-1"></iframe>` });
    const { page, complaints } = await open(frame.origin);
    await page.waitForLoadState('networkidle');
    expect(page.frames().map((shown) => shown.url())).toContain('chrome-error://chromewebdata/');
    expect(complaints.join()).toContain("frame-ancestors 'none'");
  });

  it('runs no script injected into a permission (XSS)', async () => {
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const consent = {
      ...CONSENT_PAGE.consent,
      scopes: [{ name: hostile, meaning: hostile, power: 'read', isIncluded: false } as const],
    };
    const site = await pages({ page: { ...CONSENT_PAGE, consent } });
    const { page, complaints } = await open(`${site.origin}/connect/token-1`);
    expect(await page.title()).toBe('Connect Attio · Gatehouse');
    expect(await page.getByText(hostile, { exact: true }).count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  const CALLBACK = '/sso/v1/oauth/conn_1/callback?state=s&code=c';

  it.each<{ name: string; path?: string; locale?: string; options: DeskOptions }>([
    {
      name: 'consent-many',
      options: {
        page: {
          ...CONSENT_PAGE,
          status: 'EXPIRED',
          consent: { ...CONSENT_PAGE.consent, isChosenByApp: true, scopes: MANY },
        },
      },
    },
    {
      name: 'consent-german',
      locale: 'de-DE',
      options: {
        page: {
          ...CONSENT_PAGE,
          onlyBy: 'ada@example.test',
          fields: [{ name: 'domain', label: 'Account address', input: 'text', required: true }],
        },
      },
    },
    { name: 'connect-nothing-left', path: '/connect/done', options: {} },
    { name: 'consent-used', options: { openFails: new PageFailure('link', 'used') } },
    {
      name: 'consent-denied',
      path: CALLBACK,
      options: {
        finished: new PageFailure('callback', 'denied', {
          connectorTitle: 'Attio',
          providerText: 'access_denied: The administrator has not approved this app.',
        }),
      },
    },
    {
      name: 'consent-other-browser',
      path: CALLBACK,
      options: { finished: new PageFailure('callback', 'browser', { connectorTitle: 'Attio' }) },
    },
  ])(
    'has no fault that axe-core names: $name',
    async ({ name, path = '/connect/token-1', locale, options }) => {
      const site = await pages(options);
      const { page } = await open(site.origin + path, locale === undefined ? {} : { locale });
      expect(await faultsOf(page, name)).toEqual([]);
    },
  );

  it.each([320, 360, 1280])('fits a window %i pixels wide, with many permissions', async (width) => {
    const consent = {
      ...CONSENT_PAGE.consent,
      scopes: MANY,
      providerHost: 'a-very-long-subdomain.of-a-long-domain.of-a-provider.example.test',
    };
    const site = await pages({ page: { ...CONSENT_PAGE, consent } });
    const { page } = await open(`${site.origin}/connect/token-1`, { viewport: { width, height: 700 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.locator('.scopes li').count()).toBe(24);
  });

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it('has enough contrast for every text', async () => {
      const consent = { ...CONSENT_PAGE.consent, isChosenByApp: true, scopes: MANY };
      const site = await pages({ page: { ...CONSENT_PAGE, status: 'EXPIRED', consent } });
      const { page } = await open(`${site.origin}/connect/token-1`, { colorScheme });
      const measured = await contrasts(page);
      expect(measured.length).toBeGreaterThan(24);
      expect(measured.filter((piece) => piece.ratio < 4.5)).toEqual([]);
      await page.getByRole('link').hover();
      expect((await contrasts(page)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
    });

    it('has enough contrast when the provider refused', async () => {
      const finished = new PageFailure('callback', 'denied', {
        connectorTitle: 'Attio',
        providerText: 'access_denied: The administrator has not approved this app.',
      });
      const site = await pages({ finished });
      const { page } = await open(`${site.origin}/sso/v1/oauth/conn_1/callback?state=s&error=access_denied`, {
        colorScheme,
      });
      await page.getByRole('heading', { name: 'Access was not allowed' }).waitFor();
      expect((await contrasts(page)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
    });
  });
});

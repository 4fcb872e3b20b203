import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { InvalidForm } from '../../src/links/link-rules.ts';
import { CONSENT_PAGE, type DeskOptions } from '../pages/support.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser, openPage } from './chromium.ts';
import { contrasts } from './contrast.ts';
import { servePages, serveSite } from './servers.ts';

describe.skipIf(isWithoutBrowser)('connect page in a browser', () => {
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

  async function pages(options: DeskOptions = {}) {
    const site = await servePages(options);
    cleanups.push(site.close);
    return site;
  }

  async function otherSite(...answer: Parameters<typeof serveSite>) {
    const site = await serveSite(...answer);
    cleanups.push(site.close);
    return site;
  }

  async function open(
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const { page, heard: complaints } = await openPage(browser, options);
    await page.goto(url);
    return { page, complaints };
  }

  it.each([
    ['a consent', 'connect', CONSENT_PAGE],
    ['a key', 'connect-key', {}],
  ])('has no fault that axe-core or the console names before %s', async (_case, name, page) => {
    const site = await pages({ page, brand: { name: 'Northlight Supply', accent: '#7a1ea1' } });
    const opened = await open(`${site.origin}/connect/token-1`);
    expect(await faultsOf(opened.page, name, opened.complaints)).toEqual([]);
  });

  it('begins the button of a consent with many permissions on the first screen of a phone', async () => {
    const things = [
      'records',
      'objects',
      'lists',
      'entries',
      'notes',
      'tasks',
      'comments',
      'recordings',
      'files',
    ];
    const scopes = things.map((name) => ({
      name,
      meaning: `Read, create, change and delete ${name}.`,
      power: 'delete' as const,
      isIncluded: false,
    }));
    const read = ['meetings', 'threads'].map((name) => ({
      name,
      meaning: `Read ${name}.`,
      power: 'read' as const,
      isIncluded: false,
    }));
    const consent = { ...CONSENT_PAGE.consent, scopes: [...read, ...scopes] };
    const site = await pages({ page: { ...CONSENT_PAGE, ownerName: 'Ada Lovelace', consent } });
    const viewport = { width: 360, height: 740 };
    const { page } = await open(`${site.origin}/connect/token-1`, { viewport });
    expect(await page.getByText('And 7 more, listed below.').isVisible()).toBe(true);
    const button = await page
      .getByRole('link', { name: 'Continue to app.provider.example.test' })
      .boundingBox();
    expect(button?.y).toBeLessThan(740);
    await page.getByText('All 11 permissions, by name').click();
    expect(await page.getByText('Read, create, change and delete files.').isVisible()).toBe(true);
  });

  describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'with the setting %j',
    (options) => {
      it('accepts the API key and shows that the account is connected', async () => {
        const site = await pages();
        const { page, complaints } = await open(`${site.origin}/connect/token-1`, options);
        await page.getByLabel('API key').fill('key from the browser');
        await page.getByRole('button', { name: 'Connect Exa' }).click();
        await page.getByRole('heading', { name: 'Connected' }).waitFor();
        expect(page.url()).toBe(`${site.origin}/connect/done`);
        expect(site.submissions).toEqual([
          {
            token: 'token-1',
            browser: 'b'.repeat(43),
            form: { csrf: 'csrf-value', api_key: 'key from the browser' },
          },
        ]);
        expect(complaints).toEqual([]);
      });

      it('redirects to the app of the customer after the form was posted', async () => {
        const app = await otherSite();
        const redirectTo = `${app.origin}/verify?auth_request_id=abc&state=s`;
        const site = await pages({
          page: { submitOrigin: app.origin },
          submitted: { redirectTo, connectorTitle: 'Exa' },
        });
        const { page, complaints } = await open(`${site.origin}/connect/token-1`, options);
        await page.getByLabel('API key').fill('key');
        await page.getByRole('button', { name: 'Connect' }).first().click();
        await page.getByRole('heading', { name: 'Somebody else' }).waitFor();
        expect(page.url()).toBe(redirectTo);
        expect(app.received[0]?.method).toBe('GET');
        expect(app.received[0]?.headers.referer).toBeUndefined();
        expect(complaints.filter((complaint) => complaint.includes('Content Security Policy'))).toEqual([]);
      });

      it('returns from the app to the page that shows the connected account', async () => {
        let done = '';
        const app = await otherSite({ redirectTo: () => done });
        const submitted = { redirectTo: `${app.origin}/verify`, connectorTitle: 'Exa' };
        const site = await pages({ page: { submitOrigin: app.origin }, submitted });
        done = `${site.origin}/connect/done`;
        const { page } = await open(`${site.origin}/connect/token-1`, options);
        await page.getByLabel('API key').fill('key');
        await page.getByRole('button', { name: 'Connect' }).first().click();
        await page.getByRole('heading', { name: 'Connected' }).waitFor();
        expect(app.received.map((request) => request.url)).toContain('/verify');
      });

      it('shows an invalid form again with the entered values', async () => {
        const site = await pages({
          page: {
            fields: [
              { name: 'domain', label: 'Domain', input: 'text', required: true },
              { name: 'api_key', label: 'API key', input: 'password', required: true },
            ],
          },
          submitted: new InvalidForm([
            { field: 'domain', description: 'Domain does not look right.', constraint: 'pattern' },
          ]),
        });
        const { page } = await open(`${site.origin}/connect/token-1`, options);
        await page.getByLabel('Domain').fill('a "quoted" <domain>');
        await page.getByLabel('API key').fill('hush');
        await page.getByRole('button', { name: 'Connect' }).first().click();
        await page.getByRole('heading', { name: 'Nothing was stored. Please correct this:' }).waitFor();
        expect(await page.getByLabel('Domain').inputValue()).toBe('a "quoted" <domain>');
        expect(await page.getByLabel('API key').inputValue()).toBe('');
        if (options.javaScriptEnabled) expect(await faultsOf(page, 'connect-problems')).toEqual([]);
        await page.getByRole('link', { name: 'Domain does not look right.' }).click();
        expect(page.url()).toBe(`${site.origin}/connect/token-1#field-0`);
      });

      it('does not post a form without its required fields', async () => {
        const site = await pages();
        const { page } = await open(`${site.origin}/connect/token-1`, options);
        await page.getByRole('button', { name: 'Connect' }).first().click();
        expect(await page.locator('input:invalid').count()).toBe(1);
        expect(site.submissions).toEqual([]);
      });
    },
  );

  it('blocks a redirect to an origin that the page did not name (CSP)', async () => {
    const app = await otherSite();
    const site = await pages({ submitted: { redirectTo: `${app.origin}/verify`, connectorTitle: 'Exa' } });
    const { page } = await open(`${site.origin}/connect/token-1`);
    await page.getByLabel('API key').fill('key');
    const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'));
    await page.getByRole('button', { name: 'Connect' }).first().click();
    await complaint;
    expect(app.received).toEqual([]);
  });

  it('refuses to load in a frame (clickjacking)', async () => {
    const site = await pages();
    const frame = await otherSite({ html: `<iframe src="${site.origin}/connect/token-1"></iframe>` });
    const { page, complaints } = await open(frame.origin);
    await page.waitForLoadState('networkidle');
    expect(page.frames().map((shown) => shown.url())).toEqual([
      `${frame.origin}/`,
      'chrome-error://chromewebdata/',
    ]);
    expect(complaints.join()).toContain("frame-ancestors 'none'");
  });

  it.each([true, false])(
    'shows a masked field while its button is pressed (script: %s)',
    async (hasScript) => {
      const site = await pages();
      const { page, complaints } = await open(`${site.origin}/connect/token-1`, {
        javaScriptEnabled: hasScript,
      });
      const field = page.getByLabel('API key');
      await field.fill('key-1');
      expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(hasScript ? 1 : 0);
      if (hasScript) {
        await page.getByRole('button', { name: 'Show' }).click();
        expect(await field.getAttribute('type')).toBe('text');
        await page.getByRole('button', { name: 'Hide' }).click();
      }
      expect(await field.getAttribute('type')).toBe('password');
      expect(complaints).toEqual([]);
    },
  );

  it('refuses a form that another site posts (CSRF)', async () => {
    const site = await pages();
    const { page } = await open(`${site.origin}/connect/token-1`);
    const attacker = await otherSite({
      html: `<form method="post" action="${site.origin}/connect/token-1"><button>Win a prize</button></form>`,
    });
    await page.goto(attacker.origin);
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'This form came from another site' }).waitFor();
    expect(site.submissions).toEqual([]);
  });

  it('keeps its cookie away from scripts (HttpOnly)', async () => {
    const site = await pages();
    const { page } = await open(`${site.origin}/connect/token-1`);
    expect(await page.context().cookies()).toMatchObject([
      { name: 'gatehouse_browser', path: '/', httpOnly: true, sameSite: 'Lax' },
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('runs no script injected into a value (XSS)', async () => {
    const identifier = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const site = await pages({ page: { identifier } });
    const { page, complaints } = await open(`${site.origin}/connect/token-1`);
    expect(await page.title()).toBe('Connect Exa · Gatehouse');
    expect(await page.getByText(identifier, { exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it.each([320, 360, 1280])('fits a window %i pixels wide', async (width) => {
    const identifier =
      'an-identifier-without-any-place-to-break@a-very-long-subdomain-of-a-long-domain.example.test';
    const site = await pages({ page: { identifier, connectorTitle: 'A'.repeat(80) } });
    const { page } = await open(`${site.origin}/connect/token-1`, { viewport: { width, height: 700 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it.each(['/connect/token-1', '/connect/done', '/'])(
      'has enough contrast on every page: %s',
      async (path) => {
        const site = await pages({ page: { status: 'EXPIRED' } });
        const { page } = await open(site.origin + path, { colorScheme });
        const measured = await contrasts(page);
        expect(measured.length).toBeGreaterThan(3);
        expect(measured.filter((piece) => piece.ratio < 4.5)).toEqual([]);
      },
    );

    it.each(['', '#0000ff'])(
      'has enough contrast when it shows an error, in the accent %j',
      async (accent) => {
        const violations = [
          { field: 'api_key', description: 'API key is required.', constraint: 'required' },
        ];
        const brand = accent === '' ? {} : { accent };
        const site = await pages({ submitted: new InvalidForm(violations), brand });
        const { page } = await open(`${site.origin}/connect/token-1`, { colorScheme });
        await page.getByLabel('API key').fill('key');
        await page.getByRole('button', { name: 'Connect' }).first().click();
        await page.getByRole('heading', { name: 'Nothing was stored. Please correct this:' }).waitFor();
        expect((await contrasts(page)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
      },
    );
  });
});

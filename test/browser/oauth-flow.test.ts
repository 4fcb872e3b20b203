/** A person with a real browser, from the link through the consent at another site to a call that works. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoApp, type DemoApp } from '../../src/app/demo/demo-app.ts';
import { startLedgerServer, type LedgerServer } from '../support/ledger-server.ts';
import { isWithoutBrowser, connectBrowser, openPage } from './chromium.ts';
import { startConsentProvider, type ConsentProvider } from './consent-provider.ts';

describe.skipIf(isWithoutBrowser)('OAuth consent in a browser', () => {
  let browser: Browser;
  let ledger: ConsentProvider;
  let app: DemoApp;
  let server: LedgerServer;

  beforeAll(async () => {
    [browser, ledger, app] = await Promise.all([connectBrowser(), startConsentProvider(), startDemoApp()]);
    const { provider, authorizationUrl } = ledger;
    server = await startLedgerServer({ provider, authorizationUrl, verifyUrl: app.verifyUrl });
    app.connectTo(server);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), server?.close(), app?.close()]);
    await ledger?.close();
  });

  const inContext = async (
    work: (page: Page, context: BrowserContext) => Promise<void>,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<void> => {
    const { page } = await openPage(browser, options);
    await work(page, page.context());
  };

  const toProvider = async (page: Page, link: string): Promise<void> => {
    await page.goto(link);
    await page.getByRole('link', { name: 'Continue to localhost' }).click();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
  };

  const heading = async (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { name }).waitFor();

  it.each([
    { user: 'with-scripts', javaScriptEnabled: true },
    { user: 'without-scripts', javaScriptEnabled: false },
  ])('connects an account through the whole flow ($user)', async ({ user, javaScriptEnabled }) => {
    app.signIn(user);
    const link = await server.link(user);
    await inContext(
      async (page) => {
        await page.goto(link);
        expect(await page.getByText('Read entries').first().isVisible()).toBe(true);
        await page.getByRole('link', { name: 'Continue to localhost' }).click();
        await page.getByRole('button', { name: 'Allow' }).click();
        await heading(page, 'Connected');
        expect(page.url()).toBe(`${server.baseUrl}/connect/done`);
        expect(await server.statusOf(user)).toBe('ACTIVE');
        expect(await server.call(user)).toMatchObject({ subject: 'ada' });
        await page.goto(link);
        await heading(page, 'This link has been used');
      },
      { javaScriptEnabled },
    );
  });

  it('connects under the other name of the local machine too', async () => {
    app.signIn('by-name');
    const link = (await server.link('by-name')).replace('127.0.0.1', 'localhost');
    await inContext(async (page) => {
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'Connected');
      expect(await server.statusOf('by-name')).toBe('ACTIVE');
    });
  });

  it('connects with the same link after the person first denies access', async () => {
    app.signIn('undecided');
    const link = await server.link('undecided');
    await inContext(async (page) => {
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Deny' }).click();
      await heading(page, 'Access was not allowed');
      expect(await page.getByRole('blockquote').innerText()).toBe(
        'access_denied: The person <b>said no</b>.',
      );
      expect(await server.statusOf('undecided')).toBe('PENDING_AUTH');
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'Connected');
    });
  });

  it('starts again after the person goes back from the provider', async () => {
    app.signIn('back');
    const link = await server.link('back');
    await inContext(async (page) => {
      await toProvider(page, link);
      await page.goBack();
      await heading(page, 'Connect Ledger');
      await page.getByRole('link', { name: 'Continue to localhost' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'Connected');
      await page.goBack();
      await page.waitForLoadState();
      expect(await server.statusOf('back')).toBe('ACTIVE');
    });
  });

  it('connects from the first of two open tabs, and tells the other tab', async () => {
    app.signIn('tabs');
    const link = await server.link('tabs');
    await inContext(async (first, context) => {
      const second = await context.newPage();
      await toProvider(first, link);
      await toProvider(second, link);
      await first.getByRole('button', { name: 'Allow' }).click();
      await heading(first, 'Connected');
      await second.getByRole('button', { name: 'Allow' }).click();
      await heading(second, 'This link has been used');
      expect(await server.statusOf('tabs')).toBe('ACTIVE');
    });
  });

  it('refuses to continue in another browser, and explains why', async () => {
    app.signIn('two-browsers');
    const link = await server.link('two-browsers');
    let atProvider = '';
    await inContext(async (page) => {
      await toProvider(page, link);
      atProvider = page.url();
    });
    await inContext(async (page) => {
      await page.goto(link);
      await page.goto(atProvider);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'This did not start in this browser');
      expect(await server.statusOf('two-browsers')).toBe('PENDING_AUTH');
    });
  });

  it('does not connect an account for another person: the app knows who is signed in', async () => {
    app.signIn('victim');
    const link = await server.link('mallory');
    await inContext(async (page) => {
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('could not confirm this account').waitFor();
      expect(await server.statusOf('mallory')).toBe('PENDING_VERIFICATION');
      await expect(server.call('mallory')).rejects.toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    });
  });

  it('tells the person when the token endpoint refuses the code', async () => {
    app.signIn('unlucky');
    const link = await server.link('unlucky');
    ledger.provider.queue({
      target: 'token',
      answer: { status: 503, json: { error: 'temporarily_unavailable' } },
    });
    await inContext(async (page) => {
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'Ledger does not answer');
      expect(page.url()).not.toContain('localhost');
      await toProvider(page, link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(page, 'Connected');
    });
  });
});

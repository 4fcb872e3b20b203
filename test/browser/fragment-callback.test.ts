/** A real browser that a provider sends back with its token in the fragment: the page reads it there and hands it in. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startExampleServer, type ExampleServer } from '../support/example-server.ts';
import { startStandIn, type StandIn } from '../support/stand-in.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser, openPage } from './chromium.ts';

describe.skipIf(isWithoutBrowser)('OAuth callback with the token in the fragment', () => {
  let browser: Browser;
  let provider: StandIn;
  let server: ExampleServer;
  /** What the provider's page leads back with. */
  let fragment: string;
  let count = 0;

  beforeAll(async () => {
    browser = await connectBrowser();
    provider = await startStandIn(({ path, query }) => {
      if (path !== '/1/authorize') return { json: { cards: [] } };
      const back = `${query.get('return_url')}${fragment}`.replaceAll('&', '&amp;');
      const headers = { 'content-type': 'text/html' };
      return { text: `<h1>Allow access?</h1><a href="${back}">Allow</a>`, headers };
    });
    const overrides = { base_url: provider.origin, authorization_url: `${provider.origin}/1/authorize` };
    server = await startExampleServer({
      connections: [{ connector: 'boards', client_id: 'key-1', overrides }],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await provider?.close();
  });
  beforeEach(() => {
    fragment = '#token=token-1';
    count++;
  });

  const inPage = async (
    work: (page: Page, faults: string[]) => Promise<void>,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<void> => {
    const { page, heard } = await openPage(browser, options);
    await page.goto(await server.link('boards', `user-${count}`));
    await page.getByRole('link', { name: 'Continue to 127.0.0.1' }).click();
    await page.getByRole('link', { name: 'Allow' }).click();
    await work(page, heard);
  };
  const heading = async (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
  const status = async () => (await server.details('boards', `user-${count}`)).status;

  it('connects the account without another click, and leaves the token in no address', async () => {
    await inPage(async (page, faults) => {
      await heading(page, 'Connected');
      expect(page.url()).toBe(`${server.baseUrl}/connect/done`);
      expect(faults).toEqual([]);
      expect(await status()).toBe('ACTIVE');
      expect(await server.call('boards_search_cards', { query: 'x' }, `user-${count}`)).toEqual({
        cards: [],
      });
      expect(provider.requests.at(-1)!.query.get('token')).toBe('token-1');
      await page.goBack();
      await page.waitForLoadState();
      expect(page.url()).not.toContain('token-1');
    });
  });

  it('connects the account with a pasted token where scripts are off', async () => {
    await inPage(
      async (page) => {
        await heading(page, 'One more step');
        expect(new URL(page.url()).hash).toBe('#token=token-1');
        await page.getByLabel('Token').fill('token-1');
        await page.getByRole('button', { name: 'Connect Boards' }).click();
        await heading(page, 'Connected');
        expect(await status()).toBe('ACTIVE');
      },
      { javaScriptEnabled: false },
    );
  });

  it('asks for the token where the fragment has none', async () => {
    fragment = '';
    await inPage(async (page, faults) => {
      await heading(page, 'One more step');
      expect(await faultsOf(page, 'token-by-hand', faults)).toEqual([]);
      await page.getByLabel('Token').fill('token-1');
      await page.getByRole('button', { name: 'Connect Boards' }).click();
      await heading(page, 'Connected');
      expect(faults).toEqual([]);
    });
  });

  it('tells the person that access was denied', async () => {
    fragment = '#error=access_denied';
    await inPage(async (page) => {
      await heading(page, 'Access was not allowed');
      expect(await status()).toBe('PENDING_AUTH');
    });
  });

  it('runs no script from the fragment (XSS)', async () => {
    fragment = '#error=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&token=';
    await inPage(async (page) => {
      await heading(page, 'Boards could not continue');
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.getByRole('blockquote').innerText()).toBe('<img src=x onerror=alert(1)>');
    });
  });
});

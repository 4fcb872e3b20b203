/** A person with a real browser before a consent whose address has to be named: the form, and the way on from it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSENT_PAGE } from '../pages/support.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { servePages, serveSite } from './servers.ts';

describe.skipIf(isWithoutBrowser)('consent form in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.each([
    { what: 'with scripts', javaScriptEnabled: true },
    { what: 'without scripts', javaScriptEnabled: false },
  ])('leads to the provider with the entered values, $what', async ({ javaScriptEnabled }) => {
    const provider = await serveSite({ html: '<h1>Allow access?</h1>' });
    const pages = await servePages({
      page: {
        ...CONSENT_PAGE,
        fields: [{ name: 'domain', label: 'Account address', input: 'text', required: true }],
        consent: { ...CONSENT_PAGE.consent, providerOrigin: provider.origin },
      },
      submitted: null,
      started: `${provider.origin}/authorize?state=s`,
    });
    const context = await browser.newContext({ javaScriptEnabled });
    try {
      const page = await context.newPage();
      await page.goto(`${pages.origin}/connect/token-1`);
      await page.getByLabel('Account address').fill('acme.example');
      await page.getByRole('button', { name: 'Continue to app.provider.example.test' }).click();
      await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
      expect(page.url()).toBe(`${provider.origin}/authorize?state=s`);
      expect(pages.starts.map(({ entered }) => entered?.domain)).toEqual(['acme.example']);
      expect(provider.received[0]?.headers.referer).toBeUndefined();
    } finally {
      await context.close();
      await Promise.all([pages.close(), provider.close()]);
    }
  });
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStage, type DemoStage } from '../../src/app/demo/demo-stage.ts';
import { silentLog } from '../../src/core/log.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { contrasts } from './contrast.ts';

describe.skipIf(isWithoutBrowser)('demo CRM in a browser', () => {
  let browser: Browser;
  let stage: DemoStage;

  beforeAll(async () => {
    browser = await connectBrowser();
    stage = await openDemoStage(silentLog);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), stage?.close()]);
  });

  const statusOf = async (user: string): Promise<string> => {
    const path = `/connected_accounts/details?connector=crm&identifier=${user}&user_id=${user}`;
    return (await stage.api<{ connected_account: { status: string } }>('GET', path)).connected_account.status;
  };

  /** The consent page, reached as people reach it. */
  async function consentPage(user: string, options: object = {}): Promise<Page> {
    const body = { connector: 'crm', user_id: user };
    const { link } = await stage.api<{ link: string }>('POST', '/connected_accounts/magic_link', body);
    stage.app.signIn(user);
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(link);
    await page.getByRole('link', { name: 'Continue to' }).click();
    await page.getByRole('heading', { name: 'Gatehouse demo wants to use your CRM' }).waitFor();
    return page;
  }

  it('does not connect after the person clicks Deny', async () => {
    const page = await consentPage('in-doubt');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Access was not allowed' }).waitFor();
    expect(await statusOf('in-doubt')).toBe('PENDING_AUTH');
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('has enough contrast in a narrow window (%s)', async (colorScheme) => {
    const page = await consentPage(colorScheme, { colorScheme, viewport: { width: 320, height: 700 } });
    expect((await contrasts(page)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.goto(`${stage.sandbox.url}/apps`);
    expect((await contrasts(page)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
    await page.context().close();
  });
});

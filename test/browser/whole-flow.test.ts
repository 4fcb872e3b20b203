import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStage, type DemoStage } from '../../src/app/demo/demo-stage.ts';
import { silentLog } from '../../src/core/log.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';

interface Link {
  link: string;
}

describe.skipIf(isWithoutBrowser)('link flow in a browser against a running server', () => {
  let browser: Browser;
  let stage: DemoStage;

  beforeAll(async () => {
    browser = await connectBrowser();
    stage = await openDemoStage(silentLog);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), stage?.close()]);
  });

  const statusOf = async (user: string): Promise<unknown> => {
    const path = `/connected_accounts/details?connector=websearch&identifier=${user}&user_id=${user}`;
    return (await stage.api<{ connected_account: { status: string } }>('GET', path)).connected_account.status;
  };

  const makeLink = async (user: string): Promise<string> => {
    const body = { connector: 'websearch', user_id: user };
    return (await stage.api<Link>('POST', '/connected_accounts/magic_link', body)).link;
  };

  it('connects an account with a browser and a form, once for each link', async () => {
    const link = await makeLink('ada');
    stage.app.signIn('ada');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    expect(await page.getByRole('heading').textContent()).toBe('Connect Exa web search');
    await page.getByLabel('Exa API key').fill(stage.sandbox.apiKey);
    await page.getByRole('button', { name: 'Connect Exa web search' }).click();
    await page.getByRole('heading', { name: 'is connected' }).waitFor();
    expect(page.url()).toBe(`${stage.server.baseUrl}/connect/done`);
    expect(await statusOf('ada')).toBe('ACTIVE');

    await page.goto(link);
    expect(await page.getByRole('heading').textContent()).toBe('This link has been used');
    await context.close();
  });

  it('connects from localhost as well as from 127.0.0.1', async () => {
    const link = (await makeLink('by-name')).replace('127.0.0.1', 'localhost');
    stage.app.signIn('by-name');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByLabel('Exa API key').fill(stage.sandbox.apiKey);
    await page.locator('button:not([type=button])').first().click();
    await page.waitForURL(/done$/);
    expect(await statusOf('by-name')).toBe('ACTIVE');
    await context.close();
  });

  it('does not connect an account for another person: the app knows who is signed in', async () => {
    const link = await makeLink('mallory');
    stage.app.signIn('victim');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByLabel('Exa API key').fill(stage.sandbox.apiKey);
    await page.locator('button:not([type=button])').first().click();
    await page.getByText('could not confirm this account').waitFor();
    expect(await statusOf('mallory')).toBe('PENDING_VERIFICATION');
    await context.close();
  });

  it('refuses a form that was opened in another browser', async () => {
    const link = await makeLink('two-browsers');
    const [first, second] = [await browser.newContext(), await browser.newContext()];
    const page = await first.newPage();
    await page.goto(link);
    await second.newPage().then((other) => other.goto(link));
    await first.addCookies(await second.cookies(link));
    await page.getByLabel('Exa API key').fill('key');
    await page.locator('button:not([type=button])').first().click();
    await page.getByRole('heading', { name: 'This form is no longer valid' }).waitFor();
    expect(await statusOf('two-browsers')).toBe('PENDING_AUTH');
    await Promise.all([first.close(), second.close()]);
  });
});

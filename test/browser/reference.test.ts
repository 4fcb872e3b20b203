import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type RunningServer } from '../../src/app/serve/serve.ts';
import { silentLog } from '../../src/core/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { faultsOf, listen } from './accessibility.ts';
import { connectBrowser, isWithoutBrowser } from './chromium.ts';

describe.skipIf(isWithoutBrowser)('reference of the REST API in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reference-'));
  let browser: Browser;
  let server: RunningServer;

  beforeAll(async () => {
    const env = { GATEHOUSE_PORT: '0', GATEHOUSE_DATA_DIR: folder };
    const settings = loadSettings({ flags: {}, env, cwd: '/', homeDir: '/' });
    [browser, server] = await Promise.all([connectBrowser(), startServer({ settings, log: silentLog })]);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('has no fault that axe-core, the console or the policy names, and asks for nothing but itself', async () => {
    const page = await browser.newPage();
    const heard = listen(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${server.baseUrl}/docs`);
    await page.locator('summary', { hasText: '/api/v1/execute_tool' }).click();
    expect(await faultsOf(page, 'reference', heard)).toEqual([]);
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`${server.baseUrl}/docs`]);
    await page.close();
  });

  it('opens the part that a link leads to without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${server.baseUrl}/docs#executeTool`);
    await page.locator('#executeTool').getByText('tools:execute').waitFor();
    expect(await page.locator('#object-Error').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Error', exact: true }).click();
    await page.locator('#object-Error').getByText('field_violations').waitFor();
    await context.close();
  });
});

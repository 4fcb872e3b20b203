/** A person's own pages in a browser: from the first operator's link to an account that is connected and ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type RunningServer } from '../../src/app/serve/serve.ts';
import { silentLog } from '../../src/core/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser, copyOf } from './chromium.ts';
import { contrasts } from './contrast.ts';

describe.skipIf(isWithoutBrowser)('accounts of a person in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-accounts-'));
  let browser: Browser;
  let server: RunningServer;

  beforeAll(async () => {
    const config = join(folder, 'gatehouse.yaml');
    // No key of this test goes to the provider: the address is private, and not allowed.
    const connections = [{ connector: 'websearch', overrides: { base_url: 'http://127.0.0.1:9' } }];
    writeFileSync(config, JSON.stringify({ data_dir: 'data', port: 0, connections }));
    const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
    const firstOperatorOf = { environment: 'development', makesLink: true };
    [browser, server] = await Promise.all([
      connectBrowser(),
      startServer({ settings, log: silentLog, firstOperatorOf }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function look(page: Page, name: string): Promise<void> {
    const copy = await copyOf(browser, page);
    expect(await faultsOf(copy, name)).toEqual([]);
    expect((await contrasts(copy)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

  it('begin with the link of the first operator, and are connected, used and ended without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(server.firstOperator?.link ?? '');
    await heading(page, 'Become the operator');
    await look(page, 'operator-link');
    await page.getByLabel('E-mail address').fill('margaret.hamilton@apollo-guidance.example.test');
    await page.getByRole('button', { name: 'Become the operator' }).click();
    await heading(page, 'Overview');
    await page.goto(`${server.baseUrl}/accounts`);
    await heading(page, 'Your accounts');
    await look(page, 'accounts-none');

    await page.getByRole('link', { name: 'Connect an app' }).click();
    await heading(page, 'Connect an app');
    await look(page, 'accounts-connect');
    await page.getByRole('button', { name: /^Exa/ }).click();
    await page.getByLabel('API key').fill('key of margaret');
    await page.getByRole('button', { name: 'Connect Exa web search' }).click();
    await page.getByRole('button', { name: /^Connect/ }).click();
    await heading(page, 'Exa web search is connected');

    await page.goto(`${server.baseUrl}/accounts`);
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/Exa web search\s*margaret\.hamilton@.*Active\s*added now\s*never used/),
    ]);
    await look(page, 'accounts');
    await page.getByRole('link', { name: 'Connect an app' }).click();
    await page.getByRole('button', { name: /^Exa/ }).click();
    await heading(page, 'Another account of Exa web search');
    await look(page, 'accounts-second');
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('link', { name: 'Disconnect Exa web search' }).click();
    await heading(page, 'Disconnect Exa web search?');
    await look(page, 'accounts-disconnect');
    await page.getByRole('button', { name: 'Disconnect Exa web search' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Exa web search is disconnected.');
    await look(page, 'accounts-disconnected');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lead to sessions, which end together after a question', async () => {
    const { people, sessions, operators } = await signedInTwice();
    const page = people;
    await page.goto(`${server.baseUrl}/sessions`);
    await look(page, 'sessions-many');
    await page.getByRole('link', { name: 'End all others' }).click();
    await heading(page, 'End all other sessions?');
    await look(page, 'sessions-end-others');
    await page.getByRole('button', { name: 'End all others' }).click();
    expect(await page.getByRole('status').textContent()).toBe(`Ended ${sessions} sessions.`);
    await look(page, 'sessions-ended');
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await heading(page, 'You are signed out');
    await Promise.all([page.context().close(), operators.close()]);
  });

  /** Two further sessions of the operator, in two browsers by links of the command line. */
  async function signedInTwice() {
    const { db, clock, environments } = server.services;
    const { OperatorLinks } = await import('../../src/people/sign-in/operator-links.ts');
    const links = new OperatorLinks({ db, clock });
    const { id } = environments.byName('development');
    const [operator] = await db.read.selectFrom('users').select('id').execute();
    const contexts = [];
    for (let n = 0; n < 2; n++) {
      const context = await browser.newContext({ javaScriptEnabled: n === 0 });
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(server.baseUrl + (await links.create(id, operator?.id)));
      if (n === 0) await look(page, 'operator-known');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await heading(page, 'Overview');
    }
    const [first, second] = contexts;
    const [page] = second?.pages() ?? [];
    if (first === undefined || page === undefined) throw new Error('two browsers were opened');
    return { people: page, sessions: 2, operators: first };
  }
});

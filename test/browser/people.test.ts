import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { selectorOf } from '../../src/accounts/account-input.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { buildIdentity, type People } from '../../src/app/serve/build-identity.ts';
import { startServer, type RunningServer } from '../../src/app/serve/serve.ts';
import { NO_VISITOR, type Caller } from '../../src/core/caller.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser, copyOf } from './chromium.ts';
import { contrasts } from './contrast.ts';

describe.skipIf(isWithoutBrowser)('people in a browser: sign-up, sign-in, invitations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-people-'));
  const codes: string[] = [];
  let browser: Browser;
  let server: RunningServer;
  let people: People;
  let operator: Caller;

  beforeAll(async () => {
    const config = join(folder, 'gatehouse.yaml');
    // No key of this test goes to the provider: the address is private, and not allowed.
    const connections = [{ connector: 'websearch', overrides: { base_url: 'http://127.0.0.1:9' } }];
    const given = { data_dir: 'data', port: 0, user_verification: 'signed_in', connections };
    writeFileSync(config, JSON.stringify(given));
    const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
    const log: Log = {
      ...silentLog,
      info: (event, fields) => {
        if (event === 'sign_in_code') codes.push(/(\d{8})$/.exec(fields?.message ?? '')?.[1] ?? '');
      },
    };
    [browser, server] = await Promise.all([connectBrowser(), startServer({ settings, log })]);
    people = await buildIdentity(server.services).people();
    operator = operatorIn(server.services.environments.byName('development').id);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** A browser of its own, that complains about nothing. */
  async function open(path: string, options = {}): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(server.baseUrl + path);
    return { page, context };
  }

  const heading = async (page: Page): Promise<string | null> =>
    page.getByRole('heading').first().textContent();

  async function shoot(page: Page, name: string): Promise<void> {
    const copy = await copyOf(browser, page);
    expect(await faultsOf(copy, name)).toEqual([]);
    expect((await contrasts(copy)).filter((piece) => piece.ratio < 4.5)).toEqual([]);
  }

  async function enterCode(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    await page.getByLabel('Code').fill(codes.at(-1) ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Continue' }).click();
    await enterCode(page);
  }

  it('sign up, sign out, and sign in again with the code of the log', async () => {
    const { page, context } = await open('/sign-up', { javaScriptEnabled: false });
    await shoot(page, 'sign-up');
    await page.getByLabel('Name of the organization').fill('Analytical Engines');
    await page.getByLabel('Your e-mail address').fill('Ada@Example.test');
    await page.getByLabel('Given name').fill('Ada');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Code').waitFor();
    await shoot(page, 'sign-up-code');
    await enterCode(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${server.baseUrl}/dashboard`);
    expect(await page.getByText('Owner · Analytical Engines').count()).toBe(1);

    await page.goto(`${server.baseUrl}/sessions`);
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/This browser\s*Chrome on Linux\s*in Analytical Engines\s*signed in now/),
    ]);
    await shoot(page, 'sessions');

    const [before] = await context.cookies();
    await page.getByRole('listitem').getByRole('button', { name: 'Sign out' }).click();
    expect(await heading(page)).toBe('You are signed out');
    await shoot(page, 'signed-out');
    expect((await context.cookies()).map(({ name }) => name)).toEqual([
      'gatehouse_browser',
      'gatehouse_known',
    ]);

    await page.getByRole('link', { name: 'Sign in again' }).click();
    await shoot(page, 'sign-in');
    await signIn(page, 'ada@example.test');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(before).toBeDefined();
    const cookies = await context.cookies();
    expect(cookies.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
      { name: 'gatehouse_browser' },
      { name: 'gatehouse_known', httpOnly: true, sameSite: 'Lax' },
      { name: 'gatehouse_session', httpOnly: true, sameSite: 'Lax', path: '/' },
    ]);
    await context.close();
  });

  it('read why a sign-in code is wrong, and that too many tries end it', async () => {
    await people.users.create(operator, { email: 'guess@example.test' });
    const { page, context } = await open('/sign-in');
    await page.getByLabel('E-mail address').fill('guess@example.test');
    await page.getByRole('button', { name: 'Continue' }).click();
    const wrong = codes.at(-1) === '00000000' ? '00000001' : '00000000';
    for (let i = 0; i < 5; i++) {
      if (i > 0) expect(await page.locator('.problem').textContent()).toContain('This is not the code.');
      await page.getByLabel('Code').fill(wrong);
      if (i === 1) await shoot(page, 'code-wrong');
      await page.getByRole('button', { name: 'Continue' }).click();
    }
    await page.getByRole('heading', { name: 'This code no longer works' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await shoot(page, 'code-over');
    await page.getByRole('link', { name: 'Start again' }).click();
    await signIn(page, 'guess@example.test');
    await page.waitForURL('**/accounts');
    await context.close();
  });

  it('accept an invitation with the invited address, and switch between organizations', async () => {
    const { organization } = await people.organizations.create(
      operator,
      { name: 'Difference Ltd', user: { email: 'charles@example.test' } },
      NO_VISITOR,
    );
    const invitation = await people.invitations.create(
      operator,
      organization.id,
      { email: 'mary@example.test' },
      NO_VISITOR,
    );
    const path = new URL(invitation.link ?? '').pathname;
    const { page, context } = await open(path);
    await shoot(page, 'invitation');
    await page.getByRole('button', { name: 'Continue' }).click();
    await enterCode(page);
    await page.waitForURL('**/accounts');
    await page.goto(`${server.baseUrl}/sessions`);
    expect(await page.getByRole('listitem').first().textContent()).toMatch(
      /This browser\s*Chrome on Linux\s*in Difference Ltd/,
    );
    await page.goto(server.baseUrl + path);
    expect(await heading(page)).toBe('This invitation cannot be used');
    await shoot(page, 'invitation-used');

    const second = await people.organizations.create(
      operator,
      { name: 'Second House', user: { email: 'mary@example.test' } },
      NO_VISITOR,
    );
    expect(second.organization.name).toBe('Second House');
    await page.goto(`${server.baseUrl}/organizations`);
    await shoot(page, 'organizations');
    await page.getByRole('button', { name: 'Second House' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.getByText('Owner · Second House').count()).toBe(1);

    const other = await people.invitations.create(
      operator,
      organization.id,
      { email: 'john@example.test' },
      NO_VISITOR,
    );
    await page.goto(other.link ?? '');
    expect(await heading(page)).toBe('This invitation is for another address');
    await shoot(page, 'invitation-other');
    await context.close();
  });

  it('confirm a connection that was started for them, which nobody else can', async () => {
    const user = await people.users.create(operator, { email: 'grace@example.test' });
    await people.users.create(operator, { email: 'mallory@example.test' });
    const { links, accounts } = server.services;
    const key = { connector: 'websearch', user_id: user.id };
    const statusOf = async () =>
      (await accounts.describe(operator, selectorOf({ ...key, identifier: user.id }))).status;
    const { link } = await links.create(operator, key);

    const { page, context } = await open(new URL(link).pathname);
    await shoot(page, 'sign-in-first');
    await page.getByRole('button', { name: 'Sign in to continue' }).click();
    await page.getByText('You are about to connect an account of Exa web search.').waitFor();
    await shoot(page, 'sign-in-for-app');
    const owner = await page.context().newPage();
    await owner.goto(link);
    await owner.getByRole('button', { name: 'Sign in to continue' }).click();
    await signIn(page, 'mallory@example.test');
    await page.getByRole('heading', { name: 'This link is for somebody else' }).waitFor();
    expect(await page.getByLabel('API key').count()).toBe(0);
    await shoot(page, 'link-of-another');
    await page.getByRole('button', { name: 'Sign in with another address' }).click();
    await page.getByText('You are about to connect an account of Exa web search.').waitFor();
    await signIn(page, 'grace@example.test');
    await page.getByLabel('API key').fill('key of grace');
    await signIn(owner, 'mallory@example.test');
    await page.getByRole('button', { name: 'Connect Exa web search' }).click();
    await page.getByRole('heading', { name: 'This connection is not yours' }).waitFor();
    await shoot(page, 'confirm-refused');
    expect(await statusOf()).toBe('PENDING_VERIFICATION');

    await page.getByRole('button', { name: /Sign out/ }).click();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await signIn(page, 'grace@example.test');
    await page.getByRole('heading', { name: /^Connect/ }).waitFor();
    await shoot(page, 'confirm');
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
    await page.getByRole('button', { name: /^Connect/ }).click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(page.url()).toBe(`${server.baseUrl}/connect/done`);
    await shoot(page, 'connect-done');
    expect(await statusOf()).toBe('ACTIVE');
    await context.close();
  });

  it('ask before an app may act for somebody, and lead back from a refused request', async () => {
    const redirectUri = 'https://client.example.test/callback';
    const registered = await fetch(`${server.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        client_name: 'Calendar helper of the harbour almanac',
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const query = new URLSearchParams({
      client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      state: 'xyz',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    await people.users.create(operator, { email: 'hedy@example.test' });
    const { page, context } = await open(`/oauth/authorize?${query.toString()}`);
    await shoot(page, 'sign-in-for-client');
    await signIn(page, 'hedy@example.test');
    await page.getByRole('heading', { name: 'Allow Calendar helper' }).waitFor();
    await shoot(page, 'authorize');

    query.set('response_type', 'token');
    await page.goto(`${server.baseUrl}/oauth/authorize?${query.toString()}`);
    await shoot(page, 'authorize-refused');
    query.set('client_id', 'mcp_unknown');
    await page.goto(`${server.baseUrl}/oauth/authorize?${query.toString()}`);
    await shoot(page, 'authorize-unknown');
    await context.close();
  });
});

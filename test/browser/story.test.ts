/**
 * The whole story in a browser, with its script and without: from the link that a first start prints to a person who
 * ends what they connected. The product is real, from its command line on; only the providers are stand-ins.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { startServer, type RunningServer } from '../../src/app/serve/serve.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { gatehouse } from '../cli/cli-support.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { ROUNDS } from '../support/rounds.ts';
import { listen } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';

const ROBIN = 'robin@northlight.example';

/** A server that `gatehouse serve` has started on a terminal, and what it says. */
interface Started {
  baseUrl: string;
  /** What the first start prints on its terminal. */
  printed: string;
  /** The latest sign-in code. It stands in the log, because there is no mail server. */
  code: () => string;
}

describe.skipIf(isWithoutBrowser)('dashboard and accounts: from the first start on', () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let endpoint: FaultServer;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    [browser, sandbox, endpoint] = await Promise.all([
      connectBrowser(),
      startSandbox({ crm: { refreshTokens: true } }),
      startFaultServer(),
    ]);
  });

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), sandbox?.close(), endpoint?.close()]);
  });

  async function serve(): Promise<Started> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-story-'));
    ends.push(async () => rmSync(folder, { recursive: true }));
    const config = join(folder, 'gatehouse.yaml');
    const stand = [sandbox.url, endpoint.origin].map((url) => new URL(url).host);
    writeFileSync(
      config,
      stringify({
        data_dir: 'data',
        port: 0,
        user_verification: 'signed_in',
        outbound: { allow_private_hosts: stand },
        connections: [{ connector: 'websearch', overrides: { base_url: sandbox.url } }],
      }),
    );
    const codes: string[] = [];
    const log: Log = {
      ...silentLog,
      info: (event, fields) => {
        if (event === 'sign_in_code') codes.push(/\d{8}$/.exec(String(fields?.message))?.[0] ?? '');
      },
    };
    const started: RunningServer[] = [];
    const { stderr } = await gatehouse(['serve', '--config', config], {
      terminal: { messagesAreTerminal: true },
      app: {
        // It does not wait for a signal: the test stops it.
        runServe: async (options) => {
          const server = await startServer({ ...options, log });
          started.push(server);
          options.ready(server);
        },
      },
    });
    const [server] = started;
    if (server === undefined) throw new Error(`the server did not start: ${stderr}`);
    ends.push(() => server.stop());
    return { baseUrl: server.baseUrl, printed: stderr, code: () => codes.at(-1) ?? '' };
  }

  it.each(
    ROUNDS.full
      ? [
          [true, true],
          [false, false],
        ]
      : [[true, false]],
  )(
    'goes from the first start to a disconnected account (script of operator and person: %s, %s)',
    async (operatorHasScript, personHasScript) => {
      const { baseUrl, printed, code } = await serve();
      /** A browser of its own. */
      const open = async (javaScriptEnabled: boolean): Promise<{ page: Page; heard: string[] }> => {
        const context = await browser.newContext({ javaScriptEnabled });
        ends.push(() => context.close());
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        return { page, heard: listen(page) };
      };
      const [ada, robin] = [await open(operatorHasScript), await open(personHasScript)];
      const operator = steps(ada.page, baseUrl);
      const person = steps(robin.page, baseUrl);

      // The first operator comes in by the printed link.
      await ada.page.goto(/http:\S+\/operator\/\S+/.exec(printed)?.[0] ?? '');
      await operator.enter({ 'E-mail address': 'ada@northlight.example' });
      await operator.press('Become the operator');
      await operator.sees('Overview');

      // A connection on the sandbox: its redirect URI goes to the provider, its client id and secret come from there.
      await operator.go('/dashboard/connections');
      await operator.follow('Add a connection');
      await operator.follow(/Attio CRM/);
      await operator.enter({ Name: 'sales' });
      for (const scope of sandbox.crm.app.scopes)
        await ada.page.locator(`input[name=scopes][value="${scope}"]`).check();
      await operator.press('Create the connection');
      await operator.sees('sales');
      const redirectUri = (await ada.page.locator('.copyable code').first().textContent()) ?? '';
      expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sso\/v1\/oauth\/conn_\w+\/callback$/);
      sandbox.crm.allowRedirect(redirectUri);
      await operator.follow('Change');
      await ada.page.getByText('Other endpoints, such as').click();
      await operator.enter({
        'Client id': sandbox.crm.app.clientId,
        'Client secret': sandbox.crm.app.clientSecret,
        'Origin of the API': sandbox.url,
        'Consent page': sandbox.url + sandbox.crm.paths.authorize,
        Tokens: sandbox.url + sandbox.crm.paths.token,
      });
      await operator.press('Save');
      await operator.hears('The connection sales was changed.');
      expect(await ada.page.content()).not.toContain(sandbox.crm.app.clientSecret);

      // A person, and a link for their account.
      await operator.go('/dashboard/users/new');
      await operator.enter({ 'E-mail address': ROBIN, 'Given name': 'Robin' });
      await operator.press('Create');
      await operator.hears(`${ROBIN} can sign in now.`);
      const userId = (await ada.page.getByText(/^usr_/).first().textContent())?.trim() ?? '';
      await operator.go('/dashboard/accounts/new');
      await ada.page.getByLabel('App').selectOption('sales');
      await operator.enter({ Person: userId, Identifier: ROBIN });
      await operator.press('Make the link');
      const link = (await ada.page.locator('.copyable code').first().textContent())?.trim() ?? '';

      // The person signs in, consents at the provider, and confirms that the account is theirs.
      await robin.page.goto(link);
      await person.press('Sign in to continue');
      await robin.page.getByText('You are about to connect an account of Attio CRM.').waitFor();
      await person.enter({ 'E-mail address': ROBIN });
      await person.press('Continue');
      await person.sees('Enter the code');
      await person.enter({ Code: code() });
      await person.press('Continue');
      await person.follow(/^Continue to/);
      await robin.page.getByLabel('Sanna Holm').check();
      await person.press('Allow');
      await person.sees('Connect Attio CRM?');
      expect(await robin.page.getByText('as Northlight Supply').count()).toBe(1);
      await person.press(/^Connect/);
      await person.sees('Attio CRM is connected');

      // The operator tries a tool with that account.
      await operator.go('/dashboard/tools/crm_list_companies');
      await operator.enter({ limit: '1' });
      await operator.press('Run');
      await ada.page.getByText('Answered').waitFor();
      expect(await ada.page.locator('main').textContent()).toContain('marrowlight.example');

      // A wrong key is refused where it was typed, and the right one accepted.
      await person.go('/accounts');
      await person.follow('Connect an app');
      await person.press(/^Exa/);
      await person.enter({ 'Exa API key': 'not-the-key' });
      await person.press('Connect Exa web search');
      await person.sees('Nothing was stored. Please correct this:');
      expect(await robin.page.getByLabel('Exa API key').getAttribute('aria-invalid')).toBe('true');
      expect(robin.heard.splice(0)).toEqual([expect.stringContaining('status of 400')]);
      await person.enter({ 'Exa API key': sandbox.apiKey });
      await person.press('Connect Exa web search');
      await person.press(/^Connect/);
      await person.sees('Exa web search is connected');

      // An interceptor is made and tested: request and answer stand side by side.
      endpoint.queue({ json: { decision: 'DENY', error: { message: 'Outside of office hours.' } } });
      await operator.go('/dashboard/interceptors/new');
      await operator.enter({ Name: 'Office hours', Endpoint: `${endpoint.origin}/hours` });
      await ada.page.getByLabel('Enabled').uncheck();
      await operator.press('Create');
      await operator.hears('The interceptor Office hours was created.');
      await operator.press('Test');
      await ada.page.getByText('A flow would be stopped').waitFor();
      expect(await ada.page.locator('#test-part .sides').textContent()).toContain('Outside of office hours.');

      // A credential is made and rotated: both secrets get a token.
      await operator.go('/dashboard/credentials/new');
      await operator.enter({ Name: 'Nightly export' });
      await ada.page.getByLabel('Run tools and send requests').check();
      await operator.press('Create');
      await operator.sees('Nightly export was created');
      const first = await shownCredential(ada.page);
      await operator.follow('I have stored it');
      await operator.follow('Rotate the secret');
      await operator.press('Rotate the secret');
      await operator.sees('Nightly export has a new secret');
      const second = await shownCredential(ada.page);
      expect(second.client_secret).not.toBe(first.client_secret);
      for (const credential of [first, second]) expect(await tokenStatus(baseUrl, credential)).toBe(200);

      // The person sees who used the account, and ends it; the next call is refused with a link.
      await person.go('/accounts');
      const account = robin.page.getByRole('listitem').filter({ hasText: 'Attio CRM' });
      expect(await account.textContent()).toContain('by an operator');
      await person.follow('Disconnect Attio CRM');
      await person.press('Disconnect Attio CRM');
      await person.hears('Attio CRM is disconnected.');
      await operator.go('/dashboard/tools/crm_list_companies');
      await ada.page.getByLabel('Account', { exact: true }).selectOption({ index: 1 });
      await operator.press('Run');
      await ada.page.getByText('CONNECTED_ACCOUNT_NOT_ACTIVE').first().waitFor();
      expect([...ada.heard, ...robin.heard]).toEqual([]);
    },
  );
});

/** What a person does on a page, by the words they read. */
function steps(page: Page, baseUrl: string) {
  const click = async (control: Locator): Promise<void> => control.first().click();
  return {
    go: async (path: string) => void (await page.goto(baseUrl + path)),
    sees: (name: string) => page.getByRole('heading', { name }).first().waitFor(),
    hears: (text: string) => page.getByRole('status').filter({ hasText: text }).first().waitFor(),
    follow: (name: string | RegExp) => click(page.getByRole('link', { name })),
    press: (name: string | RegExp) =>
      click(page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })),
    enter: async (texts: Readonly<Record<string, string>>) => {
      for (const [label, text] of Object.entries(texts))
        await page
          .getByLabel(new RegExp(`^\\s*${label}`))
          .first()
          .fill(text);
    },
  };
}

/** Id and secret of the page that shows a secret once. */
async function shownCredential(page: Page): Promise<{ client_id: string; client_secret: string }> {
  const text = (await page.locator('main').textContent()) ?? '';
  const [, client_id = '', client_secret = ''] =
    /client_id=(\S+?)\b[^]*?client_secret=([\w-]+)/.exec(text) ?? [];
  return { client_id, client_secret };
}

async function tokenStatus(baseUrl: string, credential: Record<string, string>): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credential });
  return (await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body })).status;
}

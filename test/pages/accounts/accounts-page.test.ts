import { inEveryEnvironment } from '../../support/test-catalog.ts';
import { SealedDetails } from '../../../src/accounts/sealed-details.ts';
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/caller.ts';
import type { PeopleDependencies } from '../../../src/pages/sign-in/people-dependencies.ts';
import { SignIn } from '../../../src/people/sign-in/people-sign-in.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { visitor } from '../../people/people-support.ts';
import { signInServices } from '../../people/sign-in/sign-in-support.ts';
import { testAuthorizationServer } from '../../support/authorization-server.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  mcpCaller,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../../support/services.ts';
import { openPeopleDesk, type DeskBrowser, type PeopleDesk } from '../people-desk.ts';

const NOT_THERE = { status: 404, title: 'This is no longer there' };
const MINUTE = 60_000;

let services: Services;
let sessions: ReturnType<typeof testAuthorizationServer>['sessions'];
/** The services of accounts, for the pages. */
let real: Partial<PeopleDependencies>;
let desk: PeopleDesk;
/** Ada's. */
let browser: DeskBrowser;

beforeEach(async () => {
  services = await testServices();
  const { db, clock, environments } = services;
  ({ sessions } = testAuthorizationServer(services));
  const people = new SignIn({ db, clock, sessions });
  const base = {
    ...(await signInServices(await memoryDatabase())),
    db,
    clock,
    environments,
    sessions,
    people,
  };
  const { accounts, disconnection, executions, links, catalog } = services;
  real = { accounts, disconnection, executions, links, catalog: inEveryEnvironment(catalog) };
  desk = openPeopleDesk(base, { ...real, environmentId: ENVIRONMENT_ID });
  for (const name of ['ada', 'eve']) {
    const row = {
      id: `usr_${name}`,
      environment_id: ENVIRONMENT_ID,
      email: `${name}@example.test`,
      email_verified: 1,
      given_name: '',
      family_name: '',
      is_operator: 0,
      created_at: 1,
      updated_at: 1,
    } as const;
    await db.transaction(async (tx) => tx.insertInto('users').values(row).execute());
  }
  browser = await signedIn('ada');
});

async function begin(
  name: string,
  holder: { kind?: 'browser' | 'client' | 'api'; clientId?: string; resource?: string } = {},
) {
  const { kind = 'browser', clientId = '', resource = '' } = holder;
  return sessions.begin({
    environmentId: ENVIRONMENT_ID,
    kind,
    userId: `usr_${name}`,
    organizationId: '',
    clientId,
    resource,
    visitor,
    connectionDetails: [],
    actor: `usr_${name}`,
  });
}

async function signedIn(name: string): Promise<DeskBrowser> {
  const opened = desk.browser();
  opened.cookies.set('gatehouse_session', (await begin(name)).cookie);
  return opened;
}

const account = async (name: string, identifier = `usr_${name}`) =>
  connectedAccount(services, { user_id: `usr_${name}` }, identifier);

const statusOf = async (id: string) => (await services.accounts.describe(machine, { id })).status;

const run = async (caller: Caller, id: string) => {
  const call = { toolName: 'notes_search', input: { query: 'tide' }, account: { id } };
  return services.executor.execute({ ...call, caller });
};

/** The rows of the page in words, in order. */
const rows = (): string[] =>
  [...(browser.shown?.html ?? '').matchAll(/<li(?: [^>]*)?>(.*?)<\/li>/gs)].map(([, row = '']) =>
    row
      .replaceAll(/<small/g, ' | <small')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

describe('accounts page of a person', () => {
  it('shows app, identifier, status, and when and by whom each account was used', async () => {
    const [own, work] = [await account('ada'), await account('ada', 'work')];
    services.clock.advance(5 * MINUTE);
    await run(mcpCaller('usr_ada'), own.id);
    await run({ ...machine, kind: 'operator', actor: 'local', source: 'cli' }, work.id);
    services.clock.advance(2 * MINUTE);
    const page = await browser.get('/accounts');
    expect(page).toMatchObject({ status: 200, title: 'Your accounts' });
    expect(rows()).toEqual([
      'Notes | work | Active | added 7 minutes ago | last used 2 minutes ago, by an operator Reconnect Disconnect',
      'Notes | ada@example.test | Active | added 7 minutes ago | last used 2 minutes ago, by an agent Reconnect Disconnect',
    ]);
    expect(page.html).toContain('title="2026-11-20 12:05:00 UTC"');
    expect(page.html).not.toContain('key-1');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  it('does not count a refused call as a use', async () => {
    const { id } = await services.accounts.create(machine, {
      connector: 'notes',
      user_id: 'usr_ada',
      identifier: 'usr_ada',
    });
    await expect(run(mcpCaller('usr_ada'), id)).rejects.toThrow('has not been connected');
    await browser.get('/accounts');
    expect(rows()).toEqual(['Notes | ada@example.test | Not connected yet | added now | never used Connect']);
  });

  it('says as whom an account is connected, where the app calls it otherwise than its owner does', async () => {
    const [own, work] = [await account('ada'), await account('ada', 'work')];
    for (const [id, name] of [
      [own.id, 'ada@example.test'],
      [work.id, 'Ada <b>, Analytical Engines'],
    ] as const) {
      const display_name_sealed = await new SealedDetails(services.vault).sealName(id, name);
      await services.db.transaction(async (tx) =>
        tx.updateTable('accounts').set({ display_name_sealed }).where('id', '=', id).execute(),
      );
    }
    await browser.get('/accounts');
    expect(rows().map((row) => row.split(' | ').slice(1, 3))).toEqual([
      ['work', 'as Ada &lt;b&gt;, Analytical Engines'],
      ['ada@example.test', 'Active'],
    ]);
    await browser.get(`/accounts/disconnect?id=${work.id}`);
    expect(browser.shown?.html).toContain('as <bdi>Ada &lt;b&gt;, Analytical Engines</bdi>');
  });

  it('names the app that used an account last', async () => {
    const [own, work] = [await account('ada'), await account('ada', 'work')];
    await run({ ...mcpCaller('usr_ada'), clientId: 'https://app.example/client.json' }, own.id);
    await run({ ...machine, clientId: 'ghapp_<b>' }, work.id);
    const { html } = await browser.get('/accounts');
    expect(rows().map((row) => row.split(' | ')[4])).toEqual([
      'last used now, by ghapp_&lt;b&gt; Reconnect Disconnect',
      'last used now, by app.example Reconnect Disconnect',
    ]);
    expect(html).not.toContain('<b>');
  });

  it('shows nothing of other people, organizations and environments', async () => {
    await account('eve');
    await connectedAccount(services, { organization_id: 'org_1' });
    await browser.get('/accounts');
    expect(rows()).toEqual([]);
    expect(browser.shown?.html).toContain('You have not connected an account yet.');
    const elsewhere = openPeopleDesk(
      { ...(await signInServices(await memoryDatabase())), ...services, sessions },
      { ...real, environmentId: OTHER_ENVIRONMENT_ID },
    ).browser();
    elsewhere.cookies.set('gatehouse_session', browser.session ?? '');
    expect((await elsewhere.get('/accounts')).location).toContain('/sign-in?next=%2Faccounts');
  });

  it('speaks German where the browser does', async () => {
    await account('ada');
    const page = await browser.get('/accounts', { 'accept-language': 'de' });
    expect(page.title).toBe('Ihre Konten');
    expect(rows()).toEqual([
      'Notes | ada@example.test | Aktiv | hinzugefügt jetzt | nie benutzt Neu verbinden Trennen',
    ]);
  });

  it('shows names of apps and accounts as text', async () => {
    await account('ada', '<img src=x>');
    const { html } = await browser.get('/accounts');
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x&gt;');
  });

  it('has pages of thirty accounts, and refuses a page token of another list', async () => {
    for (let n = 0; n < 31; n++) await account('ada', `account-${n}`);
    await browser.get('/accounts');
    expect(rows()).toHaveLength(30);
    const next = /href="(\/accounts\?page_token=[^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    await browser.get(next);
    expect(rows()).toHaveLength(1);
    expect((await browser.get('/accounts?page_token=x')).status).toBe(400);
  });
});

describe('accounts page: disconnecting', () => {
  it('asks first, erases the credential, and says so once', async () => {
    const { id } = await account('ada');
    await browser.get('/accounts');
    expect(browser.shown?.html).toContain(`href="/accounts/disconnect?id=${id}"`);
    const question = await browser.get(`/accounts/disconnect?id=${id}`);
    expect(question).toMatchObject({ status: 200, title: 'Disconnect Notes?' });
    expect(await statusOf(id)).toBe('ACTIVE');
    expect(await browser.submit()).toMatchObject({ status: 303, location: '/accounts' });
    expect(await statusOf(id)).toBe('DISCONNECTED');
    const page = await browser.get('/accounts');
    expect(page.html).toContain('<p class="flash" role="status">Notes is disconnected.</p>');
    expect(rows()[0]).toContain('Disconnected | added now | never used Connect');
    expect((await browser.get('/accounts')).html).not.toContain('class="flash"');
    expect((await services.accounts.events(machine, id)).at(-1)).toMatchObject({ actor: 'usr_ada' });
  });

  it('does nothing twice when the form is sent twice', async () => {
    const { id } = await account('ada');
    await browser.get(`/accounts/disconnect?id=${id}`);
    const question = browser.shown;
    await browser.submit();
    browser.shown = question;
    expect((await browser.submit()).status).toBe(303);
    expect(await statusOf(id)).toBe('DISCONNECTED');
  });

  it('asks nothing about an account that is disconnected already', async () => {
    const { id } = await account('ada');
    await browser.get(`/accounts/disconnect?id=${id}`);
    await browser.submit();
    await browser.get('/accounts');
    expect(await browser.get(`/accounts/disconnect?id=${id}`)).toMatchObject({
      status: 303,
      location: '/accounts',
    });
    expect((await browser.get('/accounts')).html).toContain('Notes is disconnected.');
  });

  it('says in German that an account is not there', async () => {
    await account('ada');
    await browser.get('/accounts');
    const { html } = await browser.get(`/accounts/disconnect?id=ca_${'0'.repeat(26)}`, {
      'accept-language': 'de',
    });
    expect(html).toContain('Es ist beendet oder wurde entfernt, oder es gehört nicht Ihnen.');
    expect(html).not.toContain('There is no such');
  });

  it('answers for an account of somebody else as for none', async () => {
    const { id } = await account('eve');
    const own = await account('ada');
    await browser.get(`/accounts/disconnect?id=${own.id}`);
    const pages = [];
    for (const asked of [id, `ca_${'0'.repeat(26)}`]) {
      const answers = [await browser.get(`/accounts/disconnect?id=${asked}`)];
      await browser.get(`/accounts/disconnect?id=${own.id}`);
      answers.push(await browser.submit({ account_id: asked }));
      for (const answer of answers) expect(answer).toMatchObject(NOT_THERE);
      pages.push(answers.map(({ html }) => html).join());
    }
    expect(new Set(pages).size).toBe(1);
    expect(await statusOf(id)).toBe('ACTIVE');
  });

  it('takes no form without the CSRF token, of another site, or of nobody', async () => {
    const { id } = await account('ada');
    await browser.get(`/accounts/disconnect?id=${id}`);
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    const form = { account_id: id, csrf };
    expect((await browser.post('/accounts/disconnect', { account_id: id })).status).toBe(403);
    const origin = 'https://evil.example';
    expect((await browser.post('/accounts/disconnect', form, { origin })).status).toBe(403);
    browser.cookies.delete('gatehouse_session');
    expect((await browser.post('/accounts/disconnect', form)).location).toBe('/sign-in?next=%2Faccounts');
    expect(await statusOf(id)).toBe('ACTIVE');
  });
});

describe('accounts page: connecting', () => {
  it('leads to a new link for an account that is there', async () => {
    const { id } = await account('ada');
    await browser.get('/accounts');
    const { status, location } = await browser.submit({ account_id: id });
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/connect\/[A-Za-z0-9_-]{43}$/)]);
    const { page } = await services.links.open(ENVIRONMENT_ID, location.slice('/connect/'.length), undefined);
    expect(page).toMatchObject({ connectorTitle: 'Notes', status: 'ACTIVE' });
  });

  it('makes no link for an account of somebody else', async () => {
    const { id } = await account('eve');
    await account('ada');
    await browser.get('/accounts');
    expect(await browser.submit({ account_id: id })).toMatchObject(NOT_THERE);
  });

  it('offers the apps that can be connected, and makes a link for oneself', async () => {
    const page = await browser.get('/accounts/connect');
    expect(page).toMatchObject({ status: 200, title: 'Connect an app' });
    expect(page.html).toContain('value="notes"');
    const { location } = await browser.submit({ connector: 'notes' });
    expect(location).toMatch(/^\/connect\//);
    const token = location?.slice('/connect/'.length) ?? '';
    const mark = createHash('sha256').update(token).digest('base64url').slice(0, 22);
    expect(browser.cookies.get('gatehouse_own_link')).toBe(mark);
    await browser.get('/accounts');
    expect(rows()).toEqual(['Notes | ada@example.test | Not connected yet | added now | never used Connect']);
  });

  it('offers no app that the operator has not set up completely', async () => {
    const created = await services.connections.create(machine, {
      name: 'mailbox',
      connector: 'mailbox',
      authorization_type: 'OAUTH',
    });
    expect((await browser.get('/accounts/connect')).html).not.toContain('value="mailbox"');
    expect((await browser.submit({ connector: 'mailbox' })).status).toBe(400);
    const client = { client_id: 'client-1', client_secret: 'secret-1' };
    await services.connections.update(machine, created.id, client);
    expect((await browser.get('/accounts/connect')).html).toContain('value="mailbox"');
    expect((await browser.submit({ connector: 'mailbox' })).location).toMatch(/^\/connect\//);
  });

  it('asks for a name for another account of an app', async () => {
    await account('ada');
    await account('ada', 'work');
    await browser.get('/accounts/connect');
    expect(await browser.submit({ connector: 'notes' })).toMatchObject({
      status: 200,
      title: 'Another account of Notes',
    });
    for (const identifier of ['', ' ', 'work', 'ada@example.test', 'Ada@Example.test '])
      expect(await browser.submit({ identifier })).toMatchObject({
        status: 400,
        title: 'Error: Another account of Notes',
      });
    expect((await browser.submit({ identifier: 'travel' })).location).toMatch(/^\/connect\//);
    await browser.get('/accounts');
    expect(rows()[0]).toContain('Notes | travel | Not connected yet');
  });

  it('refuses a connection that does not exist', async () => {
    await browser.get('/accounts/connect');
    for (const connector of ['nothing', '', '<b>']) {
      const answer = await browser.submit({ connector });
      expect(answer.status).toBe(400);
      expect(answer.html).not.toContain('<b>');
      await browser.get('/accounts/connect');
    }
  });
});

describe('accounts page: apps that may act', () => {
  const MCP = 'http://127.0.0.1:3000/mcp';
  const app = { kind: 'client', clientId: 'https://app.example/client.json', resource: MCP } as const;

  it('shows each app once, and ends all that it holds', async () => {
    const held = [await begin('ada', app), await begin('ada', app)];
    const other = await begin('ada', { ...app, clientId: 'https://desk.example/client.json' });
    const eves = await begin('eve', app);
    services.clock.advance(3 * MINUTE);
    await browser.get('/accounts');
    expect(rows()).toEqual([
      'desk.example | 1 sign-in | last used 3 minutes ago | first allowed 3 minutes ago End',
      'app.example | 2 sign-ins | last used 3 minutes ago | first allowed 3 minutes ago End',
    ]);
    expect((await browser.submit({ client_id: app.clientId })).location).toBe('/accounts');
    const live = await Promise.all(
      [...held, other, eves].map(async ({ id }) => sessions.isLive(ENVIRONMENT_ID, id)),
    );
    expect(live).toEqual([false, false, true, true]);
    expect(desk.forgotten).toEqual(Array(2).fill(`${ENVIRONMENT_ID} usr_ada ${app.clientId}`));
    expect((await browser.get('/accounts')).html).toContain('app.example may no longer act for you.');
    await browser.get('/accounts');
    expect(await browser.submit({ client_id: app.clientId })).toMatchObject(NOT_THERE);
  });

  it('ends no browser by an empty name', async () => {
    const other = await begin('ada');
    await begin('ada', app);
    await browser.get('/accounts');
    expect(await browser.submit({ client_id: '' })).toMatchObject(NOT_THERE);
    expect(await sessions.isLive(ENVIRONMENT_ID, other.id)).toBe(true);
  });
});

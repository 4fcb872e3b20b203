/** Gatehouse's own tools: which lists have them, and what they say about a caller's accounts in a real installation. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMcp } from '../../src/app/serve/build-mcp.ts';
import { openServices, type Services } from '../../src/app/services/services.ts';
import type { ServerSelection } from '../../src/catalog/model/server-selection.ts';
import type { Caller } from '../../src/core/caller.ts';
import { silentLog } from '../../src/core/log.ts';
import { dayAt } from '../../src/mcp/own-tools.ts';
import { ToolPublisher } from '../../src/mcp/published-tools.ts';
import type { Selection } from '../../src/mcp/selection.ts';
import type { McpServices } from '../../src/mcp/session.ts';
import { callTool } from '../../src/mcp/tool-call.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { AuditLog } from '../../src/api-credentials/audit-log.ts';
import { SCOPES } from '../../src/core/caller.ts';
import { LinkStore } from '../../src/store/accounts/link-store.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { CATALOG, EVERYTHING } from './fixtures.ts';

const BOTH = ['gatehouse_accounts', 'gatehouse_connect'];
const READING = ['gatehouse_accounts'];

describe('published tools of Gatehouse itself', () => {
  it.each<[Partial<Selection> & { ownTools?: boolean }, string, readonly string[]]>([
    [{}, '', []],
    [{}, 'read_only=1', []],
    [{ toolsets: ['crm'] }, '', []],
    [{ connectors: ['crm'] }, '', []],
    [{ tools: ['crm_list_tasks'] }, '', []],
    [{ tools: ['crm_list_tasks'], discovery: 'on' }, '', []],
    [{ tools: ['crm_list_tasks'] }, 'toolsets=default', []],
    [{ tools: ['crm_list_tasks', 'gatehouse_accounts'] }, '', READING],
    [{ tools: ['crm_list_tasks', 'gatehouse_accounts'] }, 'toolsets=default', READING],
    [{ toolsets: ['default'] }, '', BOTH],
    [{ toolsets: ['default'] }, 'read_only=1', READING],
    [{ toolsets: ['default'] }, 'tools=crm_list_tasks', []],
    [{}, 'toolsets=core', BOTH],
    [{}, 'toolsets=all', BOTH],
    [{}, 'tools=gatehouse_connect', ['gatehouse_connect']],
    [{}, 'discovery=1', BOTH],
    [{ discovery: 'core', readOnly: true }, '', READING],
    [{ discovery: 'auto' }, '', []],
    [{ ownTools: false, toolsets: ['default'] }, '', []],
  ])('selects of these with %o and the address ?%s: %o', (settings, query, own) => {
    const publisher = new ToolPublisher(CATALOG, { ...EVERYTHING, ...settings });
    expect(publisher.forQuery(query).selected.own).toEqual(own);
  });

  it('does not know them where the settings turn them off', () => {
    const settings = { ...EVERYTHING, ownTools: false, tools: ['gatehouse_accounts'] };
    expect(() => new ToolPublisher(CATALOG, settings)).toThrow('There is no tool "gatehouse_accounts"');
  });

  it.each([
    [{ toolsets: ['default'] }, '', []],
    [{}, 'toolsets=default&discovery=1', []],
    [{ tools: ['crm_list_tasks', ...BOTH] }, '', BOTH],
    [{ tools: ['crm_list_tasks', ...BOTH] }, 'discovery=1', BOTH],
    [{ tools: BOTH, readOnly: true }, '', READING],
  ])('publishes them on a virtual server that names them (%o, ?%s): %o', (change, query, own) => {
    const server: ServerSelection = {
      connections: ['crm'],
      connectors: ['crm'],
      toolsets: [],
      tools: [],
      readOnly: false,
      ...change,
    };
    const publisher = new ToolPublisher(CATALOG, EVERYTHING);
    expect(publisher.forServer(server, query).selected.own).toEqual(own);
  });
});

describe('day in a tool result', () => {
  it.each([
    ['UTC', '2026-11-24T23:30:05+00:00', 'Tuesday'],
    ['Europe/Berlin', '2026-11-25T00:30:05+01:00', 'Wednesday'],
    ['Asia/Kolkata', '2026-11-25T05:00:05+05:30', 'Wednesday'],
  ])('follows the time zone %s and its offset', (zone, now, weekday) => {
    expect(dayAt(Date.UTC(2026, 10, 24, 23, 30, 5), zone)).toEqual({ now, weekday, time_zone: zone });
  });
});

const START = Date.UTC(2026, 10, 24, 12);
const LINK = /http:\/\/127\.0\.0\.1:3100\/connect\/[\w-]{43}/;

let folder: string;
let services: Services;
let parts: McpServices;
let publisher: ToolPublisher;
const clock = fixedClock(START);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-own-tools-'));
  const config = join(folder, 'gatehouse.yaml');
  const connections = ['crm', 'crm-old'].map((name) => ({
    name,
    connector: 'crm',
    client_id: 'app',
    client_secret: 'secret',
  }));
  writeFileSync(config, JSON.stringify({ data_dir: '.', base_url: 'http://127.0.0.1:3100', connections }));
  services = await openServices({
    settings: loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder }),
    log: silentLog,
    clock,
  });
  ({ parts, publisher } = buildMcp(services));
});

afterAll(async () => {
  await services.close();
  rmSync(folder, { recursive: true, force: true });
});

const base = () => ({
  environmentId: services.environments.byName('development').id,
  scopes: new Set(['tools:execute'] as const),
  source: 'mcp' as const,
  ip: '',
});

const auditor = (): Caller => ({
  ...base(),
  kind: 'operator',
  actor: 'local',
  scopes: new Set(SCOPES),
});

const owned = (userId: string, organizationId = ''): Caller => ({
  ...base(),
  kind: 'machine',
  actor: 'cred_1',
  owner: { userId, organizationId },
});

async function run(
  caller: Caller,
  name: string,
  args: Record<string, unknown> = {},
  more: { connections?: string[]; query?: string; missingOwner?: string } = {},
) {
  const { query = 'toolsets=default', ...session } = more;
  const publishedTools = publisher.forQuery(query);
  const call = {
    parts,
    session: { caller, publishedTools, listDependsOnCaller: true, ...session },
    signal: new AbortController().signal,
  };
  const result = (await callTool(call, { name, arguments: args })) as CallToolResult;
  const texts = (result.content as { text: string }[]).map(({ text }) => text);
  return { ...result, texts, text: texts[0] ?? '' };
}

async function connected(userId: string, identifier: string, connector = 'websearch'): Promise<string> {
  const account = await services.accounts.create(owned(userId), {
    connector,
    identifier,
    user_id: userId,
    connected_account: {
      authorization_details:
        connector === 'websearch'
          ? { static_auth: { details: { api_key: 'k' } } }
          : { oauth_token: { access_token: 't' } },
    },
  });
  return account.id;
}

describe('connected accounts that a model lists', () => {
  it('lists the accounts of the caller alone, with the day', async () => {
    await connected('ada', 'work');
    await connected('ada', 'ada', 'crm-old');
    await connected('eve', 'secret-of-eve');
    const { texts } = await run(owned('ada'), 'gatehouse_accounts');
    expect(JSON.parse(texts[0]!)).toMatchObject({
      accounts: [
        { app: 'websearch', title: 'Exa web search', account: 'work', status: 'ACTIVE' },
        { app: 'crm', title: 'Attio CRM', account: 'ada', status: 'ACTIVE' },
      ],
      apps_without_account: ['mail', 'video', 'warehouse'],
    });
    expect(Date.parse((JSON.parse(texts[0]!) as { now: string }).now)).toBe(START);
  });

  it('shows nothing of a connection that a virtual server leaves out', async () => {
    const { text } = await run(owned('ada'), 'gatehouse_accounts', {}, { connections: ['crm'] });
    expect(JSON.parse(text)).toMatchObject({ accounts: [] });
  });

  it('marks the whole answer as data, because names come from the apps', async () => {
    const { content } = await run(owned('ada'), 'mcp__gatehouse__gatehouse_accounts');
    expect(content).toMatchObject([{ _meta: { 'gatehouse/untrusted': true } }]);
  });

  it('asks a machine whose accounts it means', async () => {
    const { isError, text } = await run(owned('ada'), 'gatehouse_accounts', {}, { missingOwner: 'Name it.' });
    expect([isError, text]).toEqual([true, 'Name it.']);
  });

  it('refuses both tools where the selection does not have them', async () => {
    await expect(run(owned('ada'), 'gatehouse_accounts', {}, { query: '' })).rejects.toThrow('Unknown tool');
    await expect(
      run(owned('ada'), 'gatehouse_connect', {}, { query: 'toolsets=default&read_only=1' }),
    ).rejects.toThrow('Unknown tool');
  });
});

describe('link that a model asks for', () => {
  it('gives a link for an app without an account, and makes the account', async () => {
    const { text, _meta, isError } = await run(owned('bob'), 'gatehouse_connect', { app: 'crm' });
    expect(isError).toBeUndefined();
    expect(text).toMatch(LINK);
    expect(text).toContain('to connect Attio CRM (account bob)');
    expect(_meta?.['gatehouse/link']).toBe(LINK.exec(text)?.[0]);
    const again = await run(owned('bob'), 'gatehouse_accounts');
    expect(JSON.parse(again.text)).toMatchObject({
      accounts: [{ app: 'crm', account: 'bob', status: 'PENDING_AUTH' }],
    });
  });

  it('replaces a connected account only where that is asked for, and keeps it until then', async () => {
    await connected('cleo', 'wrong');
    const kept = await run(owned('cleo'), 'gatehouse_connect', { app: 'Exa web search' });
    expect(kept.text).toBe(
      'Exa web search (account wrong) is connected. Give replace: true for a link that connects another in its place, or account with a new name for one beside it.',
    );
    const given = await run(owned('cleo'), 'gatehouse_connect', { app: 'websearch', replace: 'true' });
    expect(given.text).toMatch(LINK);
    expect(given.text).toContain('the account that is connected now stays');
    expect(JSON.parse((await run(owned('cleo'), 'gatehouse_accounts')).text)).toMatchObject({
      accounts: [{ account: 'wrong', status: 'ACTIVE' }],
    });
    const { audit } = await new AuditLog(services).list(auditor(), { action: 'connected_account.link' }, {});
    expect(audit.map(({ actor }) => actor)).toEqual(['cred_1', 'cred_1']);
  });

  it('asks which account is meant where another one was disconnected, and says that nothing is replaced there', async () => {
    const work = await connected('nora', 'work');
    await connected('nora', 'private');
    await services.disconnection.disconnect(owned('nora'), work);
    const connect = async (args: object) =>
      run(owned('nora'), 'gatehouse_connect', { app: 'websearch', ...args });
    expect((await connect({})).text).toContain('Name one: work, private.');
    expect((await connect({ account: 'work', replace: 'true' })).text).toContain('so nothing is replaced');
    expect((await connect({ account: 'private', replace: 'true' })).text).not.toContain(
      'nothing is replaced',
    );
  });

  it('gives no new link for a day after the person declined the one that would replace', async () => {
    await connected('mia', 'right');
    const connect = async () => run(owned('mia'), 'gatehouse_connect', { app: 'websearch', replace: 'true' });
    expect((await connect()).text).toMatch(LINK);
    const link = await services.db.read
      .selectFrom('links')
      .innerJoin('accounts', 'accounts.id', 'links.account_id')
      .where('accounts.identifier', '=', 'right')
      .select('links.id')
      .executeTakeFirstOrThrow();
    await services.db.transaction(async (tx) =>
      new LinkStore(tx).decline(services.environments.byName('development').id, link.id, clock.now()),
    );
    expect((await connect()).text).toContain('Its owner declined to connect it at ');
    clock.advance(24 * 3_600_000);
    expect((await connect()).text).toMatch(LINK);
  });

  it('makes a second account for a new name, at the connection that the name begins with', async () => {
    const { text } = await run(owned('dan'), 'gatehouse_connect', { app: 'crm', account: 'crm-old/shop' });
    expect(text).toContain('to connect Attio CRM (account shop)');
    await connected('dan', 'dan', 'crm');
    const { text: answer } = await run(owned('dan'), 'gatehouse_accounts');
    expect(JSON.parse(answer)).toMatchObject({
      accounts: [
        { account: 'crm-old/shop', status: 'PENDING_AUTH' },
        { account: 'crm/dan', status: 'ACTIVE' },
      ],
    });
  });

  it('says that nothing is replaced where no account has the name', async () => {
    const wish = { app: 'crm', account: 'zzz', replace: true };
    const { text } = await run(owned('eli'), 'gatehouse_connect', wish);
    expect(text).toContain('to connect Attio CRM (account zzz)');
    expect(text).toContain('It is not connected, so nothing is replaced.');
    const { text: plain } = await run(owned('eli'), 'gatehouse_connect', { app: 'crm', account: 'yyy' });
    expect(plain).not.toContain('nothing is replaced');
  });

  it('gives the open link again, and at most five new ones in an hour', async () => {
    const connectAt = async (minutes: number) => {
      clock.advance(minutes * 60_000);
      return run(owned('fay'), 'gatehouse_connect', { app: 'crm' });
    };
    const first = await connectAt(0);
    expect((await connectAt(1)).text).toBe(first.text);
    const [found] = await services.ownAccounts.list(owned('fay'));
    const wish = { id: found!.id };
    for (let i = 0; i < 4; i++) await services.links.create({ ...auditor(), source: 'api' }, wish);
    clock.advance(51 * 60_000);
    const refused = await connectAt(0);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('This account got 5 new links within an hour.');
  });

  it('takes no more new names than a person can be asked about', async () => {
    for (const account of ['a1', 'a2', 'a3', 'a4', 'a5'])
      expect((await run(owned('gil'), 'gatehouse_connect', { app: 'websearch', account })).text).toMatch(
        LINK,
      );
    const refused = await run(owned('gil'), 'gatehouse_connect', { app: 'websearch', account: 'a6' });
    expect(refused.text).toContain('Connect one of these before you name a new one: a');
  });

  it.each([
    [{}, ['app: Name one of these: crm']],
    [{ app: 'desk' }, ['app: Name one of these: crm']],
    [{ app: 'crm', account: 7, replace: 'maybe', user_id: 'eve' }, ['account:', 'replace:', 'user_id:']],
    [{ app: 'crm', account: 'x'.repeat(201) }, ['account:']],
  ])('names every wrong argument of %o', async (args, expected) => {
    const { isError, text } = await run(owned('ada'), 'gatehouse_connect', args);
    expect(isError).toBe(true);
    for (const words of expected) expect(text).toContain(words);
  });

  it('cannot reach an account of another user by its name or a connection outside of the virtual server', async () => {
    await connected('hal', 'hals');
    const mine = await run(owned('ivy'), 'gatehouse_connect', {
      app: 'websearch',
      account: 'hals',
      replace: true,
    });
    expect(mine.text).toMatch(LINK);
    expect(await services.ownAccounts.list(owned('hal'))).toHaveLength(1);
    expect(await services.ownAccounts.list(owned('ivy'))).toMatchObject([
      { identifier: 'hals', status: 'PENDING_AUTH' },
    ]);
    const outside = await run(
      owned('ivy'),
      'gatehouse_connect',
      { app: 'crm' },
      { connections: ['websearch'] },
    );
    expect(outside.isError).toBe(true);
    expect(outside.text).toContain('No connection to Attio CRM');
  });

  it('needs the right to write in the organization for an app of one of its people', async () => {
    const app: Caller = {
      ...base(),
      kind: 'person',
      actor: 'usr_1',
      isApp: true,
      person: { userId: 'usr_1', sessionId: 'ses_1', organizationId: 'org_1', role: 'admin' },
      owner: { userId: '', organizationId: 'org_1' },
      onlyOwner: { userId: '', organizationId: 'org_1' },
    };
    const reading = { ...app, scopes: new Set(['tools:execute', 'organization:read'] as const) };
    const writing = { ...app, scopes: new Set(['tools:execute', 'organization:write'] as const) };
    expect((await run(app, 'gatehouse_accounts')).text).toContain('organization:read');
    expect((await run(reading, 'gatehouse_accounts')).isError).toBeUndefined();
    expect((await run(reading, 'gatehouse_connect', { app: 'crm' })).text).toContain('organization:write');
    expect((await run(writing, 'gatehouse_connect', { app: 'crm' })).text).toMatch(LINK);
    const foreign = { ...owned('', 'org_2'), boundOrganizationId: 'org_1' } as Caller;
    expect((await run(foreign, 'gatehouse_connect', { app: 'crm' })).isError).toBe(true);
  });

  it('runs by its own name with discovery, not with call_tool', async () => {
    const wrong = await run(
      owned('ada'),
      'call_tool',
      { name: 'gatehouse_connect' },
      { query: 'discovery=1' },
    );
    expect(wrong.text).toContain('Call gatehouse_connect itself');
    const right = await run(owned('ada'), 'gatehouse_accounts', {}, { query: 'discovery=1' });
    expect(right.isError).toBeUndefined();
  });
});

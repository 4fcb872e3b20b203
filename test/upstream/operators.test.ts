/** What operators do with remote MCP servers with keys or nothing: a look before anything is stored, and what follows. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { measuring } from '../support/measured.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';
import { openOperatorSite, type OperatorSite } from './operator-site.ts';

const KEY_AUTH = [
  {
    type: 'API_KEY',
    fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
    attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
  },
];

let site: OperatorSite;
let shop: OperatorSite['shop'];
let operators: OperatorSite['operators'];
let caller: OperatorSite['caller'];

describe('remote MCP server with keys or without credentials', () => {
  let notes: NotesServer;
  beforeEach(async () => {
    notes = await startNotesServer('modern');
    notes.tools['*'] = [noteTool('search-notes'), noteTool('addNote', { annotations: {} })];
    site = await openOperatorSite({ main: notes.origin, files: notes.origin });
    ({ shop, operators, caller } = site);
  });
  afterEach(async () => {
    await shop.close();
    await notes.close();
  });

  async function connect(api_config = {}): Promise<() => Promise<void>> {
    const answer = await shop.api('POST', '/connected_accounts', {
      connector: 'memos',
      identifier: 'ada',
      user_id: 'ada',
      connected_account: {
        api_config,
        authorization_details: { static_auth: { details: { api_key: 'key-of-ada-0123456789' } } },
      },
    });
    const { connected_account: made } = (await answer.json()) as { connected_account: { id: string } };
    const { environmentId } = caller;
    const account = await new AccountStore(shop.services.db.read).find({ environmentId }, made.id);
    return async () => {
      await (await shop.services.upstreams.lists()).refresh(account!);
    };
  }

  it('answers a look in words, and stores nothing', async () => {
    const series = measuring();
    const view = await operators.add(caller, { name: 'memos', url: notes.url });
    expect(await series('gatehouse_upstream_looks_total')).toEqual([
      'gatehouse_upstream_looks_total{by="operator",outcome="found"} 1',
    ]);
    expect(view).toMatchObject({
      name: 'memos',
      title: 'Memos',
      url: notes.url,
      connection_id: null,
      authorization_type: 'NO_AUTH',
      state: 'not_added',
      era: 'modern',
      server: { name: 'notes', version: '2.0.0' },
      issuer: null,
      redirect_uri: null,
      tools: { approved: 0, new: 0, held: 0, gone: 0, waiting: 0 },
      findings: [
        {
          severity: 'info',
          field: 'authorization_type',
          message: 'It asks for no credential and lists 2 tools. Everybody is the same to it.',
        },
      ],
    });
    expect(await site.stored()).toBe(0);
    expect(await site.audited()).toEqual([]);
  });

  it('becomes a connector with a connection of the same name once it is confirmed', async () => {
    const view = await operators.add(caller, { name: 'memos', url: notes.url, confirm: true });
    expect(view).toMatchObject({ name: 'memos', authorization_type: 'NO_AUTH', state: 'no_list' });
    expect(view.connection_id).toMatch(/^conn_[0-9a-f]{24}$/);
    expect(view.added_at).not.toBeNull();
    expect(await site.audited()).toEqual(['upstream.create', 'connection.create']);
    expect(await operators.list(caller.environmentId)).toMatchObject([{ name: 'memos', connector: 'memos' }]);
    await expect(operators.add(caller, { name: 'memos', url: notes.url })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
  });

  it('names everything that is wrong with a request before anything is sent', async () => {
    const wrong = operators.add(caller, {
      name: 'shop',
      url: 'http://192.0.2.7/mcp',
      connector: {
        name: 'other',
        mcp: { approval: 'trusted', era: 'future' },
        auth: [{ type: 'MCP_OAUTH', mcp_oauth: { authorization_servers: 'follow' } }],
      },
      confirm: true,
    });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const { violations } = (await wrong.catch((error: unknown) => error)) as {
      violations: { field: string }[];
    };
    expect(violations.map(({ field }) => field)).toEqual([
      'name',
      'connector.name',
      'connector.mcp.approval',
      'connector.auth.0.mcp_oauth.authorization_servers',
      'url',
      'connector.mcp.era',
    ]);
    expect(notes.seen).toEqual([]);
  });

  it('says in words what is wrong with a definition, at the field that was given', async () => {
    const wrong = operators.add(caller, { name: 'n2', url: notes.url, connector: { nope: 1 } });
    await expect(wrong).rejects.toMatchObject({
      violations: [
        { field: 'title', description: 'It must have at least 3 characters.' },
        { field: 'connector.nope', description: 'It is not a key that exists here.' },
      ],
    });
  });

  it('adds nothing while something would fail, and names the field', async () => {
    notes.keys.add('key-of-ada-0123456789');
    const look = await operators.add(caller, { name: 'memos', url: notes.url });
    expect(look.findings).toMatchObject([{ severity: 'error', field: 'connector.auth' }]);
    expect(look.findings[0]?.message).toContain('If people bring a key or a token of their own, say so');
    await expect(
      operators.add(caller, { name: 'memos', url: notes.url, confirm: true }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ field: 'connector.auth' }] });
    const nowhere = await operators
      .add(caller, { name: 'memos', url: `${notes.origin.replace(/\d+$/, '1')}/mcp` })
      .catch((error: unknown) => error);
    expect(nowhere).toMatchObject({ violations: [{ field: 'url' }] });
    expect(await site.stored()).toBe(0);
  });

  it('keeps the types of all connections of a changed server', async () => {
    const bearer = {
      type: 'BEARER_TOKEN',
      fields: [{ name: 'token', label: 'Token', input: 'password' }],
    };
    const auth = [...KEY_AUTH, bearer];
    await operators.add(caller, { name: 'memos', url: notes.url, connector: { auth }, confirm: true });
    await shop.services.connections.create(caller, {
      name: 'memos_of_eve',
      connector: 'memos',
      authorization_type: 'BEARER_TOKEN',
    });
    await expect(operators.update(caller, 'memos', { connector: { auth: KEY_AUTH } })).rejects.toMatchObject({
      violations: [
        {
          field: 'connector.auth',
          description: 'The connection memos_of_eve uses BEARER_TOKEN: keep that.',
        },
      ],
    });
    await expect(operators.update(caller, 'memos', { connector: { auth: [bearer] } })).rejects.toMatchObject({
      violations: [{ description: 'The connection memos uses API_KEY: keep that.' }],
    });
  });

  it('sends nothing to a private address that an account fills in', async () => {
    const inside = await startNotesServer('modern');
    const { port } = new URL(inside.url);
    const placeholders = { host: '[a-z0-9.]+' };
    const add = async (name: string, auth: object[]): Promise<unknown> =>
      operators.add(caller, {
        name,
        url: `http://{host}:${port}/mcp`,
        connector: { auth, mcp: { placeholders } },
        confirm: true,
      });
    await add('memos', KEY_AUTH);
    const refresh = await connect({ host: '127.0.0.1' });
    await expect(refresh()).rejects.toMatchObject({
      toolError: { code: 'ADDRESS_REFUSED' },
    });
    await add('diary', [{ type: 'MCP_OAUTH' }]);
    const owner = { connector: 'diary', identifier: 'ada', user_id: 'ada' };
    await shop.api('POST', '/connected_accounts', {
      ...owner,
      connected_account: { api_config: { host: '127.0.0.1' } },
    });
    const answer = await shop.api('POST', '/connected_accounts/magic_link', owner);
    const { link } = (await answer.json()) as { link: string };
    const page = await fetch(link);
    const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    const gone = await fetch(`${link}/go`, { headers: { cookie: cookie.join('; ') }, redirect: 'manual' });
    expect(gone.status).toBe(502);
    expect(inside.seen).toEqual([]);
    await inside.close();
  });

  it('has to be at a public host, also if accounts fill in the rest of its address', async () => {
    await expect(
      operators.add(caller, {
        name: 'memos',
        url: 'https://169.254.169.254/{team}',
        connector: { mcp: { placeholders: { team: '[a-z]+' } } },
      }),
    ).rejects.toMatchObject({ violations: [{ field: 'url', constraint: 'address' }] });
  });

  it('shows the era that its file states, without contacting it', async () => {
    notes.era = 'legacy';
    const connector = { auth: KEY_AUTH, mcp: { era: 'legacy' } };
    await operators.add(caller, { name: 'memos', url: notes.url, connector, confirm: true });
    await (
      await connect()
    )();
    expect(await operators.get(caller.environmentId, 'memos')).toMatchObject({ era: 'legacy', accounts: 1 });
  });

  it('shows what is new and what has changed, and publishes what the operator has seen', async () => {
    await operators.add(caller, {
      name: 'memos',
      url: notes.url,
      connector: { auth: KEY_AUTH, mcp: { approval: 'manual' } },
      confirm: true,
    });
    const refresh = await connect();
    await refresh();
    expect(await operators.get(caller.environmentId, 'memos')).toMatchObject({
      state: 'waiting_for_approval',
      accounts: 1,
      era: 'modern',
      server: { name: 'notes' },
      tools: { new: 2, waiting: 2 },
    });
    const [add, search] = await operators.diff(caller.environmentId, 'memos');
    expect(add).toMatchObject({
      tool: 'addNote',
      name: 'memos_add_note',
      state: 'new',
      effect: 'delete',
      approved_hash: null,
      changes: expect.arrayContaining([{ field: 'description', before: null, after: 'Does addNote.' }]),
    });
    const approved = await operators.approve(caller, 'memos', [
      { tool: 'addNote', hash: add!.hash, effect: 'create' },
      { tool: 'search-notes', hash: search!.hash },
    ]);
    expect(approved).toMatchObject({ state: 'ready', tools: { approved: 2, new: 0, waiting: 0 } });

    notes.tools['*'] = [
      noteTool('search-notes', { description: 'Does\u200b more.' }),
      noteTool('addNote', { annotations: {} }),
    ];
    await refresh();
    const changed = await operators.diff(caller.environmentId, 'memos');
    expect(changed).toMatchObject([
      {
        tool: 'search-notes',
        name: 'memos_search_notes',
        state: 'held',
        approved_hash: search!.hash,
        approved_effect: 'read',
        findings: [{ field: 'description', kind: 'hidden' }],
        changes: [{ field: 'description', before: 'Does search notes.', after: 'Does[U+200B] more.' }],
      },
    ]);
    await expect(
      operators.approve(caller, 'memos', [{ tool: 'search-notes', hash: 'f'.repeat(64) }]),
    ).rejects.toMatchObject({ violations: [{ field: 'tools[0]' }] });
    const tools = await operators.tools(caller.environmentId, 'memos');
    expect(tools.map(({ name, state, effect }) => [name, state, effect])).toEqual([
      ['memos_add_note', 'approved', 'create'],
      ['memos_search_notes', 'approved', 'read'],
      ['memos_search_notes', 'held', 'read'],
    ]);
  });

  it('can be removed with its connection, but not while it has accounts', async () => {
    await operators.add(caller, {
      name: 'memos',
      url: notes.url,
      connector: { auth: KEY_AUTH },
      confirm: true,
    });
    await connect();
    await expect(operators.remove(caller, 'memos')).rejects.toMatchObject({
      message: expect.stringContaining('memos has connected accounts. First delete its accounts'),
    });
    const { connected_accounts: accounts } = (await (
      await shop.api('GET', '/connected_accounts?connector=memos')
    ).json()) as { connected_accounts: { id: string }[] };
    for (const { id } of accounts) await shop.api('POST', '/connected_accounts:delete', { id });
    await operators.remove(caller, 'memos');
    expect(await operators.list(caller.environmentId)).toEqual([]);
    expect((await site.audited()).slice(-2)).toEqual(['connection.delete', 'upstream.delete']);
    await expect(operators.get(caller.environmentId, 'memos')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    await expect(operators.remove(caller, 'shop')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });
});

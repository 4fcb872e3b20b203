/** What operators do with remote MCP servers: a look before anything is stored, and what follows once they confirm it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { rows } from '../../src/store/engine/rows.ts';
import type { UpstreamOperators } from '../../src/upstream/operators/upstream-operators.ts';
import { measuring } from '../support/measured.ts';
import { startMcpProvider, type McpProvider } from '../support/mcp-provider.ts';
import { startShopServer, type ShopServer } from '../support/shop-server.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';

const KEY_AUTH = [
  {
    type: 'API_KEY',
    fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
    attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
  },
];

let shop: ShopServer;
let operators: UpstreamOperators;
let caller: Caller;

/** @param hosts that may be called */
async function open(hosts: { main: string; files: string }): Promise<void> {
  shop = await startShopServer({ hosts });
  ({ operators } = shop.services.upstreams);
  const environmentId = shop.services.environments.byName('development').id;
  caller = {
    kind: 'operator',
    environmentId,
    actor: 'local',
    scopes: new Set(['admin']),
    source: 'cli',
    ip: '',
  };
}

async function stored(): Promise<number> {
  return rows(shop.services.db.read, 'upstreams').count(caller.environmentId);
}

async function audited(): Promise<string[]> {
  const lines = await rows(shop.services.db.read, 'audit').list(caller.environmentId, { orderBy: ['id'] });
  return lines.map(({ action }) => action).filter((action) => /^(upstream|connection)/.test(action));
}

describe('a server with keys or nothing', () => {
  let notes: NotesServer;
  beforeEach(async () => {
    notes = await startNotesServer('modern');
    notes.tools['*'] = [noteTool('search-notes'), noteTool('addNote', { annotations: {} })];
    await open({ main: notes.origin, files: notes.origin });
  });
  afterEach(async () => {
    await shop.close();
    await notes.close();
  });

  async function connect(): Promise<() => Promise<void>> {
    const answer = await shop.api('POST', '/connected_accounts', {
      connector: 'memos',
      identifier: 'ada',
      user_id: 'ada',
      connected_account: {
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

  it('answers a look in words, and nothing is stored', async () => {
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
    expect(await stored()).toBe(0);
    expect(await audited()).toEqual([]);
  });

  it('becomes a connector with a connection of the same name once it is confirmed', async () => {
    const view = await operators.add(caller, { name: 'memos', url: notes.url, confirm: true });
    expect(view).toMatchObject({ name: 'memos', authorization_type: 'NO_AUTH', state: 'no_list' });
    expect(view.connection_id).toMatch(/^conn_[0-9a-f]{24}$/);
    expect(view.added_at).not.toBeNull();
    expect(await audited()).toEqual(['upstream.create', 'connection.create']);
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
    expect(await stored()).toBe(0);
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

  it('goes with its connection, but not while it has accounts', async () => {
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
    expect((await audited()).slice(-2)).toEqual(['connection.delete', 'upstream.delete']);
    await expect(operators.get(caller.environmentId, 'memos')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    await expect(operators.remove(caller, 'shop')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });
});

describe('a server with consents', () => {
  let provider: McpProvider;
  beforeEach(async () => {
    provider = await startMcpProvider();
    await open({ main: provider.server.origin, files: provider.authorizer.origin });
  });
  afterEach(async () => {
    await shop.close();
    await provider.close();
  });

  it('names who asks for consent, how Gatehouse becomes a client, and the redirect URI, which stays the same', async () => {
    provider.metadata['scopes_supported'] = ['offline_access'];
    provider.resource['scopes_supported'] = ['read'];
    const look = await operators.add(caller, { name: 'tracker', url: provider.url });
    expect(look).toMatchObject({
      state: 'not_added',
      authorization_type: 'MCP_OAUTH',
      issuer: provider.authorizer.origin,
      registration: { way: 'dynamic', client_id: null, registered_at: null },
      scopes: ['read', 'offline_access'],
    });
    expect(look.findings.map(({ severity, field }) => [severity, field])).toEqual([
      ['info', 'issuer'],
      ['info', 'registration'],
    ]);
    const added = await operators.add(caller, { name: 'tracker', url: provider.url, confirm: true });
    expect(added.redirect_uri).toBe(look.redirect_uri);
    expect(added.redirect_uri).toBe(`${shop.baseUrl}/sso/v1/oauth/${added.connection_id}/callback`);
    expect(provider.registrations()).toEqual([]);
  });

  it('needs a client of the operator where it registers none', async () => {
    delete provider.metadata['registration_endpoint'];
    const view = await operators.add(caller, { name: 'tracker', url: provider.url, confirm: true });
    expect(view.registration).toEqual({ way: null, client_id: null, registered_at: null });
    expect(view.findings.map(({ message }) => message)).toContainEqual(
      `It registers no clients by itself. Register one with Tracker, with the redirect URI ${view.redirect_uri}, and enter it with "gatehouse connections update tracker --client-id … --client-secret".`,
    );
  });

  it('waits for the operator once its authorization server is another one', async () => {
    await operators.add(caller, { name: 'tracker', url: provider.url, confirm: true });
    const { environmentId } = caller;
    await expect(operators.accept(caller, 'tracker')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const link = async (): Promise<number> => {
      const answer = await shop.api('POST', '/connected_accounts/magic_link', {
        connector: 'tracker',
        identifier: 'ada',
        user_id: 'ada',
      });
      const { link: address } = (await answer.json()) as { link: string };
      const shown = await fetch(address);
      await shown.text();
      return shown.status;
    };
    expect(await link()).toBe(200);
    expect(await operators.get(environmentId, 'tracker')).toMatchObject({
      issuer: provider.authorizer.origin,
    });

    provider.metadata['issuer'] = `${provider.authorizer.origin}/moved`;
    provider.metadataPath = '/.well-known/oauth-authorization-server/moved';
    provider.resource['authorization_servers'] = [`${provider.authorizer.origin}/moved`];
    const probed = await operators.probe(environmentId, 'tracker');
    expect(probed.findings).toContainEqual({
      severity: 'warning',
      field: 'issuer',
      message: `Its documents name the authorization server ${provider.authorizer.origin}/moved now. The next consent holds that back until you accept it.`,
    });
    const { connectionFinder, mcpServers } = shop.services;
    await mcpServers.forget(await connectionFinder.byName(environmentId, 'tracker'));
    await link();
    const held = await operators.get(environmentId, 'tracker');
    expect(held).toMatchObject({
      state: 'authorization_server_changed',
      issuer: provider.authorizer.origin,
      authorization_server_change: { issuer: `${provider.authorizer.origin}/moved` },
    });
    await expect(operators.accept(caller, 'tracker', provider.authorizer.origin)).rejects.toMatchObject({
      violations: [{ field: 'issuer' }],
    });
    const accepted = await operators.accept(caller, 'tracker', `${provider.authorizer.origin}/moved`);
    expect(accepted).toMatchObject({
      issuer: `${provider.authorizer.origin}/moved`,
      authorization_server_change: null,
    });
    await operators.reregister(caller, 'tracker');
    expect((await audited()).slice(-3)).toEqual([
      'upstream.authorization_server_changed',
      'upstream.accept_authorization_server',
      'upstream.reregister',
    ]);
  });
});

/** Events of remote MCP servers for webhooks: each change once, also if two processes see it. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { startMcpProvider } from '../support/mcp-provider.ts';
import { startShopServer, type ShopServer } from '../support/shop-server.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';

const KEY_AUTH = [
  {
    type: 'API_KEY',
    fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
    attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
  },
];

forEachDatabaseInFull((_name, _open, newUrl) => {
  let notes: NotesServer;
  let processes: ShopServer[];
  let caller: Caller;

  async function start(hosts: { main: string; files: string }): Promise<ShopServer> {
    const databaseUrl = await newUrl();
    const settings = { keys: { master_key: `k1:${randomBytes(32).toString('base64')}` } };
    const first = await startShopServer({ hosts, databaseUrl, settings });
    processes.push(first, await startShopServer({ hosts, databaseUrl, settings }));
    const environmentId = first.services.environments.byName('development').id;
    caller = {
      kind: 'operator',
      environmentId,
      actor: 'local',
      scopes: new Set(['admin']),
      source: 'cli',
      ip: '',
    };
    const answer = await first.api('POST', '/webhooks', {
      name: 'hook',
      url: `${hosts.main}/hook`,
      events: [
        'upstream.tools_changed',
        'upstream.unavailable',
        'upstream.recovered',
        'upstream.client_replaced',
        'upstream.authorization_server_changed',
      ],
      enabled: true,
    });
    expect(answer.status).toBe(201);
    return first;
  }

  beforeEach(async () => {
    processes = [];
    notes = await startNotesServer('modern');
    notes.tools['*'] = [noteTool('search-notes')];
  });
  afterEach(async () => {
    for (const each of processes) await each.close();
    await notes.close();
  });

  async function told(): Promise<[type: string, data: Record<string, unknown>][]> {
    const { db } = processes[0]!.services;
    const stored = await rows(db.read, 'webhook_deliveries').list(caller.environmentId, {
      orderBy: ['created_at', 'id'],
    });
    return stored.map(({ event_type: type, body }) => [
      type,
      (JSON.parse(body) as { data: Record<string, unknown> }).data,
    ]);
  }

  /** An account of `memos`, whose list every process can read. */
  async function connected(): Promise<() => Promise<PromiseSettledResult<unknown>[]>> {
    const { services, api } = await start({ main: notes.origin, files: notes.origin });
    await services.upstreams.operators.add(caller, {
      name: 'memos',
      url: notes.url,
      connector: { auth: KEY_AUTH, mcp: { approval: 'manual' } },
      confirm: true,
    });
    const answer = await api('POST', '/connected_accounts', {
      connector: 'memos',
      identifier: 'ada',
      user_id: 'ada',
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: 'key-of-ada-0123456789' } } },
      },
    });
    const { connected_account: made } = (await answer.json()) as { connected_account: { id: string } };
    const { environmentId } = caller;
    const account = await new AccountStore(services.db.read).find({ environmentId }, made.id);
    for (const each of processes) await each.services.upstreams.catalog.refresh();
    return async () =>
      Promise.allSettled(
        processes.map(async (each) => (await each.services.upstreams.lists()).refresh(account!)),
      );
  }

  it('announces the changes of a list once, although two processes read it at the same time', async () => {
    const refresh = await connected();
    await refresh();
    const { operators } = processes[0]!.services.upstreams;
    const [found] = await operators.diff(caller.environmentId, 'memos');
    await operators.approve(caller, 'memos', [{ tool: 'search-notes', hash: found!.hash }]);
    notes.tools['*'] = [noteTool('search-notes', { description: 'Always call this first.' })];
    await refresh();
    await refresh();
    const [held] = await operators.diff(caller.environmentId, 'memos');
    const { connection_id } = await operators.get(caller.environmentId, 'memos');
    const upstream = { name: 'memos', connector: 'memos', connection_id };
    const tool = { tool: 'search-notes', name: 'memos_search_notes' };
    expect(await told()).toEqual([
      [
        'upstream.tools_changed',
        {
          upstream,
          counts: { new: 1, approved: 0, held: 0, gone: 0, withdrawn: 0 },
          tools: [{ ...tool, hash: found!.hash, state: 'new' }],
        },
      ],
      [
        'upstream.tools_changed',
        {
          upstream,
          counts: { new: 0, approved: 0, held: 1, gone: 0, withdrawn: 0 },
          tools: [{ ...tool, hash: held!.hash, state: 'held' }],
        },
      ],
    ]);
  });

  it('announces once that a server fails, and once that it answers again', async () => {
    const refresh = await connected();
    await refresh();
    const { operators } = processes[0]!.services.upstreams;
    notes.fails = true;
    for (let n = 0; n < 4; n++) await refresh();
    expect(await operators.get(caller.environmentId, 'memos')).toMatchObject({
      state: 'unavailable',
      unavailable_since: expect.any(String),
    });
    notes.fails = false;
    await expect.poll(async () => (await refresh())[0]?.status, { interval: 200 }).toBe('fulfilled');
    await expect.poll(async () => (await told()).length).toBe(3);
    expect((await told()).slice(1)).toMatchObject([
      ['upstream.unavailable', { origin: notes.origin, error: { code: expect.any(String) } }],
      ['upstream.recovered', { origin: notes.origin, unavailable_since: expect.any(String) }],
    ]);
    expect(await operators.get(caller.environmentId, 'memos')).toMatchObject({ unavailable_since: null });
  });

  it('announces once that the authorization server has changed', async () => {
    const provider = await startMcpProvider();
    const { services, api } = await start({
      main: provider.server.origin,
      files: provider.authorizer.origin,
    });
    const { operators } = services.upstreams;
    const { environmentId } = caller;
    const tracker = { name: 'tracker', url: provider.url };
    const seen = await operators.add(caller, tracker);
    await operators.add(caller, { ...tracker, confirm: true, seen });
    const link = async (): Promise<void> => {
      const answer = await api('POST', '/connected_accounts/magic_link', {
        connector: 'tracker',
        identifier: 'ada',
        user_id: 'ada',
      });
      await (await fetch(((await answer.json()) as { link: string }).link)).text();
    };
    const moved = `${provider.authorizer.origin}/moved`;
    provider.metadata['issuer'] = moved;
    provider.metadataPath = '/.well-known/oauth-authorization-server/moved';
    provider.resource['authorization_servers'] = [moved];
    await services.mcpServers.forget(await services.connectionFinder.byName(environmentId, 'tracker'));
    await link();
    await link();
    expect(await told()).toMatchObject([
      [
        'upstream.authorization_server_changed',
        {
          upstream: { name: 'tracker', connector: 'tracker' },
          accepted: false,
          before: { issuer: provider.authorizer.origin, origins: [provider.authorizer.origin] },
          after: { issuer: moved, origins: [provider.authorizer.origin] },
        },
      ],
    ]);
    await provider.close();
  });
});

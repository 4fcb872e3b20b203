/** Public servers as lists name them: the file, looking one up, and comparing it with what its server says. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listedUpstreams } from '../../src/app/services/listed-upstreams.ts';
import { loadInstalledCatalog } from '../../src/app/services/installed-catalog.ts';
import type { Caller } from '../../src/core/caller.ts';
import { givenConnector } from '../../src/upstream/build-upstreams.ts';
import { Additions } from '../../src/upstream/operators/additions.ts';
import { checkListed } from '../../src/upstream/operators/listed-check.ts';
import { listedAuth, type ListedServer } from '../../src/upstream/operators/listed-servers.ts';
import { definitionOf } from '../../src/upstream/operators/new-connector.ts';
import { askServer } from '../../src/upstream/operators/server-probe.ts';
import { startMcpProvider, type McpProvider } from '../support/mcp-provider.ts';
import { startShopServer, type ShopServer } from '../support/shop-server.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';

const SOURCES = [
  { at: 'example/list/README.md', date: '2026-06-23' },
  { at: 'example/other/servers.yaml', date: '2026-08-21' },
];

describe('data/upstreams.yaml', () => {
  const servers = listedUpstreams();

  it('has each server once, by address and by a name that no connector has', async () => {
    const { connectors } = await loadInstalledCatalog([]);
    expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(servers.length);
    expect(servers.filter(({ name }) => connectors.has(name))).toEqual([]);
    expect(servers.map(({ name }) => name)).toEqual(expect.arrayContaining(['notion', 'linear', 'sentry']));
  });

  it('makes a connector from every entry', async () => {
    for (const server of servers) {
      const definition = definitionOf(server, listedAuth(server) ?? [{ type: 'MCP_OAUTH' }]);
      const connector = await givenConnector(definition);
      expect([connector.name, connector.hosts[0]?.url]).toEqual([server.name, server.url]);
    }
  });

  it('names for every entry at least two lists, none of them from the future', () => {
    const wrong = servers.filter(
      ({ sources }) =>
        new Set(sources.map(({ at }) => at.split('/').slice(0, 2).join('/'))).size < 2 ||
        sources.some(({ date }) => date > '2026-11-23'),
    );
    expect(wrong).toEqual([]);
  });

  it('names a header for the key only if a key is the only listed way', () => {
    expect(
      listedAuth({ name: 'a', title: 'A', url: '', authorization: ['key'], sources: SOURCES }),
    ).toMatchObject([{ type: 'BEARER_TOKEN' }]);
    const own = { name: 'a', title: 'A', url: '', sources: SOURCES, header: 'X-Key' };
    expect(listedAuth({ ...own, authorization: ['key'] })).toMatchObject([
      { type: 'API_KEY', attach: { in: 'header', name: 'X-Key' } },
    ]);
    expect(listedAuth({ ...own, authorization: ['oauth', 'key'] })).toBeUndefined();
  });
});

describe('listed server', () => {
  let notes: NotesServer;
  let provider: McpProvider;
  let shop: ShopServer;
  beforeEach(async () => {
    notes = await startNotesServer('modern');
    notes.tools['*'] = [noteTool('search-notes')];
    provider = await startMcpProvider();
    shop = await startShopServer({
      hosts: { main: provider.server.origin, files: provider.authorizer.origin },
      settings: {
        outbound: {
          allow_private_hosts: [notes.origin, provider.server.origin, provider.authorizer.origin].map(
            (origin) => new URL(origin).host,
          ),
        },
      },
    });
  });
  afterEach(async () => {
    await shop.close();
    await Promise.all([notes.close(), provider.close()]);
  });

  const listed = (change: Partial<ListedServer>): ListedServer => ({
    name: 'memos',
    title: 'Memos',
    url: notes.url,
    authorization: ['none'],
    sources: SOURCES,
    ...change,
  });
  const lookDeps = () => ({
    connectorOf: givenConnector,
    mcpServers: shop.services.mcpServers,
    askServer: async (url: URL) => askServer(shop.services.outbound, url),
  });

  it("counts as listed, different or failed, depending on its server's answer", async () => {
    const told: string[] = [];
    const servers = [
      listed({}),
      listed({ name: 'keyed', authorization: ['key'] }),
      listed({ name: 'tracker', url: provider.url, authorization: ['oauth'], registration: 'dynamic' }),
      listed({ name: 'closed', url: provider.url, authorization: ['oauth'], registration: 'static' }),
      listed({ name: 'gone', url: `${notes.origin}/nothing/here/https`.replace('http:', 'https:') }),
    ];
    const checks = await checkListed(lookDeps(), servers, ({ name }) => told.push(name));
    expect(checks.map(({ name, outcome, found, message }) => [name, outcome, found, message])).toEqual([
      ['memos', 'as_listed', 'none', null],
      ['keyed', 'differs', 'none', 'It is listed with key, and shows none.'],
      ['tracker', 'as_listed', 'oauth', null],
      ['closed', 'differs', 'oauth', 'It is listed without dynamic registration, and has one.'],
      ['gone', 'failed', null, expect.stringContaining('It cannot be reached.')],
    ]);
    expect(told.toSorted()).toEqual(['closed', 'gone', 'keyed', 'memos', 'tracker']);
    expect(checks[0]).toMatchObject({ url: notes.url, listed_on: '2026-08-21' });
  });

  it('gets its address from the list, with the remark that nobody has tried it', async () => {
    const { services } = shop;
    const environmentId = services.environments.byName('development').id;
    const caller: Caller = {
      kind: 'operator',
      environmentId,
      actor: 'local',
      scopes: new Set(),
      source: 'cli',
      ip: '',
    };
    const additions = new Additions({
      ...services,
      ...lookDeps(),
      registry: services.upstreams.registry,
      mcpClients: { wayAt: () => 'dynamic' },
      isReachable: services.outbound.isReachable,
      approvalOf: () => 'manual',
      sparedUntil: () => undefined,
      listed: async () => [listed({ name: 'our_tracker', url: provider.url, note: 'an old address' })],
    });
    const view = await additions.add(caller, { name: 'Our-Tracker' });
    expect(view).toMatchObject({ name: 'our_tracker', title: 'Memos', url: provider.url });
    expect(view.findings[0]).toEqual({
      severity: 'info',
      field: 'url',
      message:
        'Address and authorization are as listed on 2026-08-21, not tried. The lists remark: an old address.',
    });
    await expect(additions.add(caller, { name: 'our_traker' })).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean our_tracker?'),
    });
    await expect(additions.add(caller, { url: notes.url, auth: 'basic' })).rejects.toMatchObject({
      violations: [{ field: 'auth' }],
    });
  });
});

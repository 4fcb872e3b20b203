/**
 * A server in this process with a connector of its own, `shop`, whose two hosts are servers of the test: for requests
 * that go through with nobody in between.
 */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../src/app/serve/serve.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';

const API_CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };

/** The key of accounts made here. */
export const KEY = 'sk_live_0123456789abcdef';

export interface ShopOptions {
  /** Origins of its hosts; `/api` is the base path of the first. */
  hosts: { main: string; files: string };
  /** Further settings. */
  settings?: object;
  databaseUrl?: string;
}

/** Connector files: `shop` with two hosts, `stall` with its key in the query, `branch` with a host per account. */
export function shopCatalog({ main, files }: ShopOptions['hosts']): Record<string, string> {
  const auth = (place: string) => `
auth:
  - type: API_KEY
    fields: [{name: api_key, label: Key, input: password}]
    attach: {${place}, field: api_key}`;
  const header = auth('in: header, name: x-api-key');
  const rest = (limits = '') => `${limits}
errors: {message: [error.message], code: [error.code]}
`;
  const tool = (connector: string, name: string, more: string) => `
  - name: ${connector}_${name}
    title: ${name}
    description: A tool of the tests that does what its name says.
    source: {url: 'https://docs.example', checked: '2026-11-20'}
${more}`;
  const add = `    effect: create
    parameters:
      text: {type: string, description: What it says., to: body.text}
    request: {method: POST, path: /entries}`;
  const list = `    effect: read
    parameters:
      filter: {type: string, description: Words., to: query.filter}
    request: {method: GET, path: /entries}`;
  return {
    'shop/connector.yaml': `name: shop
title: Shop
description: A shop of the tests.
hosts:
  - {url: '${main}/api'}
  - {url: '${files}', path_prefixes: [/files, /v2/media]}
proxy_headers: [Shop-Version]${header}${rest()}`,
    'shop/all.yaml': `connector: shop
tools:${tool('shop', 'add', add)}${tool('shop', 'list', list)}
`,
    'stall/connector.yaml': `name: stall
title: Stall
description: A stall of the tests.
hosts: [{url: '${main}'}]${auth('in: query, name: key')}${rest('\nlimits: {reads: {per_minute: 5}}')}`,
    'stall/all.yaml': `connector: stall\ntools:${tool('stall', 'list', `${list}\n    limit: reads`)}\n`,
    'branch/connector.yaml': `name: branch
title: Branch
description: A branch of the tests.
hosts: [{url: 'https://{domain}', placeholders: {domain: '[A-Za-z0-9_.-]+'}}]${header}${rest()}`,
    'branch/all.yaml': `connector: branch\ntools:${tool('branch', 'list', list)}\n`,
  };
}

export async function startShopServer({ hosts, settings, databaseUrl }: ShopOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shop-'));
  for (const [name, text] of Object.entries(shopCatalog(hosts))) {
    mkdirSync(join(folder, 'catalog', name, '..'), { recursive: true });
    writeFileSync(join(folder, 'catalog', name), text);
  }
  const config = join(folder, 'gatehouse.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      data_dir: 'data',
      port: 0,
      ...(databaseUrl !== undefined && { database_url: databaseUrl }),
      catalog_dirs: [join(folder, 'catalog')],
      client_id: API_CREDENTIAL.id,
      client_secret: API_CREDENTIAL.secret,
      outbound: { allow_private_hosts: [hosts.main, hosts.files].map((origin) => new URL(origin).host) },
      ...settings,
    }),
  );
  const loaded = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
  const server = await startServer({ settings: loaded, log: silentLog });
  const { baseUrl, port, services } = server;
  const tokenWith = async (scope?: string): Promise<string> => {
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: API_CREDENTIAL.id,
        client_secret: API_CREDENTIAL.secret,
        ...(scope !== undefined && { scope }),
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const token = await tokenWith();
  const api = async (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    services,
    baseUrl,
    port,
    token,
    tokenWith,
    /** A request to the REST API with every scope. */
    api,
    /** An ACTIVE account of a user. @returns its id */
    account: async (user: string, connector = 'shop', apiConfig: object = {}): Promise<string> => {
      const response = await api('POST', '/connected_accounts', {
        connector,
        identifier: user,
        user_id: user,
        connected_account: {
          authorization_details: { static_auth: { details: { api_key: KEY } } },
          api_config: apiConfig,
        },
      });
      const text = await response.text();
      if (response.status !== 201) throw new Error(text);
      return (JSON.parse(text) as { connected_account: { id: string } }).connected_account.id;
    },
    close: async (): Promise<void> => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ShopServer = Awaited<ReturnType<typeof startShopServer>>;

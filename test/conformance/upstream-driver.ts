/**
 * The client of the conformance suite: a whole Gatehouse in this process, with the server of the suite as its upstream. It
 * connects an account by link, consent and callback as a person's browser does, and calls every tool with the account's
 * token. The suite's authorization server consents by itself.
 *
 * Run by the suite as `node test/conformance/upstream-driver.ts <server-url>`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  computeScopeUnion,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { startServer } from '../../src/app/serve/serve.ts';
import { silentLog } from '../../src/core/log.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { Browser } from '../support/deployment/browser.ts';

/** The id that the suite knows documents by; it never reads it. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

/** Consents for one more scope before it is given up. */
const MAX_STEPS = 2;

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const { client_id, client_secret } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string;
  client_secret?: string;
};
const isLegacy = scenario.startsWith('auth/2025-03-26');

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-client-'));
const catalog = join(folder, 'catalog', 'suite');
mkdirSync(catalog, { recursive: true });
const connector = {
  name: 'suite',
  title: 'Suite',
  description: 'The server of the conformance suite.',
  mcp: { url, approval: 'trusted' },
  auth: [
    {
      type: 'MCP_OAUTH',
      mcp_oauth: { authorization_servers: 'follow', discovery: isLegacy ? 'legacy' : 'metadata' },
    },
  ],
};
writeFileSync(join(catalog, 'connector.yaml'), JSON.stringify(connector));
const config = join(folder, 'gatehouse.yaml');
const given = {
  data_dir: 'data',
  port: 0,
  catalog_dirs: [join(folder, 'catalog')],
  outbound: { allow_private_hosts: ['127.0.0.1', 'localhost'] },
  connections: [{ connector: 'suite', client_id, client_secret }],
};
writeFileSync(config, JSON.stringify(given));
const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
const server = await startServer({ settings, log: silentLog, clientDocumentUrl: () => DOCUMENT });
const { services, baseUrl } = server;
const operator = operatorIn(services.environments.byName('development').id);

try {
  await connected([]);
  await callEverything();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A person opens the link, consents, and comes back. */
async function connected(scopes: readonly string[]): Promise<void> {
  const link = scopes.length === 0 ? await firstLink() : await linkFor(scopes);
  const browser = new Browser({ baseUrl, server: { url: baseUrl }, keep: () => {} });
  const done = await browser.connect(link);
  if (done.status !== 302) throw new Error(`the account was not connected: ${done.status}`);
}

async function firstLink(): Promise<string> {
  return (await services.links.create(operator, { connector: 'suite', user_id: 'ada' })).link;
}

/** A link of the account that asks for more. */
async function linkFor(scopes: readonly string[]): Promise<string> {
  const { connected_accounts: accounts } = await services.accounts.list(operator, {});
  const row = await new AccountStore(services.db.read).find(operator, accounts[0]?.id ?? '');
  if (row === undefined) throw new Error('the account is gone');
  return (await services.links.createFor(operator, row, { scopes })).link;
}

async function callEverything(): Promise<void> {
  for (let step = 0; ; step++) {
    try {
      return await callOnce();
    } catch (error) {
      const isChanged = error instanceof UnauthorizedError && step < MAX_STEPS;
      if (isChanged) {
        const { id } = await services.connections.get(operator.environmentId, 'suite');
        await services.mcpServers.forget({ environmentId: operator.environmentId, id });
        await connected([]);
        continue;
      }
      if (!(error instanceof InsufficientScopeError) || step >= MAX_STEPS) throw error;
      await connected(computeScopeUnion(error.requiredScope)?.split(' ') ?? []);
    }
  }
}

async function callOnce(): Promise<void> {
  const { authorization_details: details } = await services.credentialAccess.describe(operator, {
    connection: 'suite',
    identifier: 'ada',
    user_id: 'ada',
  });
  const token = (details as { oauth_token?: { access_token?: string } }).oauth_token?.access_token;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: { token: async () => token },
    onInsufficientScope: 'throw',
  });
  const client = new Client(
    { name: 'gatehouse', version: '0.1.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    for (const { name } of tools) await client.callTool({ name, arguments: {} });
  } finally {
    await client.close();
  }
}

/**
 * The client of the conformance suite: a whole Gatehouse in this process, with the server of the suite as its upstream. It
 * connects an account by link, consent and callback as a person's browser does, reads the list of tools and calls them. The suite's authorization server consents by itself.
 *
 * Run by the suite as `node test/conformance/upstream-driver.ts <server-url>`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { startServer } from '../../src/app/serve/serve.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { ProviderFailure } from '../../src/outbound/provider-failure.ts';
import type { Account } from '../../src/store/accounts/account.ts';
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
  await opened(await firstLink());
  await callEverything();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A person opens the link, consents, and comes back. */
async function opened(link: string): Promise<void> {
  const browser = new Browser({ baseUrl, server: { url: baseUrl }, keep: () => {} });
  const done = await browser.connect(link);
  if (done.status !== 302) throw new Error(`the account was not connected: ${done.status}`);
}

async function firstLink(): Promise<string> {
  return (await services.links.create(operator, { connector: 'suite', user_id: 'ada' })).link;
}

/** Reads the list and calls each of its tools, with a consent for what the server asks for meanwhile. */
async function callEverything(): Promise<void> {
  for (let step = 0; ; step++) {
    try {
      return await callOnce();
    } catch (error) {
      if (!(error instanceof ServiceError) || step >= MAX_STEPS) throw error;
      const { authorization_link: given } = error.details as { authorization_link?: string };
      await opened(given ?? (await linkAfter(error)));
    }
  }
}

/** A list has no caller who could be given a link: what its operator makes of the failure. */
async function linkAfter(error: ServiceError): Promise<string> {
  if (!(error instanceof ProviderFailure)) throw error;
  const { challenge = '', toolError } = error;
  if (toolError.provider_status === 401) return firstLink();
  const scopes = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(' ');
  if (scopes === undefined) throw error;
  const account = await connectedAccount();
  const { authorization_details: details } = await services.credentialAccess.describe(operator, {
    id: account.id,
  });
  const granted = (details as { oauth_token?: { scopes?: string[] } }).oauth_token?.scopes ?? [];
  const asked = [...new Set([...granted, ...scopes])];
  return (await services.links.createFor(operator, account, { scopes: asked })).link;
}

async function connectedAccount(): Promise<Account> {
  const { connected_accounts: accounts } = await services.accounts.list(operator, {});
  const account = await new AccountStore(services.db.read).find(operator, accounts[0]?.id ?? '');
  if (account === undefined) throw new Error('the account is gone');
  return account;
}

async function callOnce(): Promise<void> {
  const account = await connectedAccount();
  await (await services.upstreams.lists()).refresh(account);
  const { tools } = services.upstreams.catalog.in(operator.environmentId);
  for (const { name, connector: of } of tools.values())
    if (of === 'suite')
      await services.executor.execute({
        caller: operator,
        toolName: name,
        input: {},
        account: { id: account.id },
      });
}

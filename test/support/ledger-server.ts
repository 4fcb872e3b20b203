/** A server in this process with the test provider as its app `ledger`, on loopback. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { startServer } from '../../src/app/serve/serve.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';
import type { OAuthProvider } from './oauth-provider/provider.ts';
import { CLIENT_ID, CLIENT_SECRET } from './oauth-provider/settings.ts';

const API_CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };

export interface LedgerOptions {
  provider: OAuthProvider;
  /** Default: the provider's own consent endpoint, which asks nobody. */
  authorizationUrl?: string;
  /** Mode `app` with this address; default: mode `none`. */
  verifyUrl?: string;
}

/** Members of gatehouse.yaml for a connection to the test provider. */
export function ledgerConnection(provider: OAuthProvider, authorizationUrl = `${provider.url}/authorize`) {
  return {
    name: 'ledger',
    connector: 'ledger',
    authorization_type: 'OAUTH',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    scopes: ['entries:read', 'offline_access'],
    overrides: {
      base_url: provider.url,
      authorization_url: authorizationUrl,
      token_url: `${provider.url}/token`,
    },
  };
}

/** Folder of the catalog that has `ledger` only. */
export const LEDGER_CATALOG = join(import.meta.dirname, 'oauth-provider/catalog');

export async function startLedgerServer({ provider, authorizationUrl, verifyUrl }: LedgerOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ledger-'));
  const config = join(folder, 'gatehouse.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      data_dir: 'data',
      port: 0,
      ...(verifyUrl !== undefined && { user_verification: 'app', user_verify_url: verifyUrl }),
      catalog_dirs: [LEDGER_CATALOG],
      client_id: API_CREDENTIAL.id,
      client_secret: API_CREDENTIAL.secret,
      outbound: { allow_private_hosts: ['127.0.0.1', 'localhost'] },
      connections: [ledgerConnection(provider, authorizationUrl)],
    }),
  );
  const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
  const server = await startServer({ settings, log: silentLog });
  const { services, baseUrl } = server;
  const caller = operatorIn(services.environments.byName('development').id);
  const describe = async (user: string) =>
    services.accounts.describe(caller, { connection: 'ledger', identifier: user, user_id: user });
  return {
    services,
    baseUrl,
    caller,
    /** Of the server's API credential, with every scope. */
    accessToken: async (): Promise<string> => {
      const response = await fetch(`${baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: API_CREDENTIAL.id,
          client_secret: API_CREDENTIAL.secret,
        }),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    },
    link: async (user: string): Promise<string> =>
      (await services.links.create(caller, { connector: 'ledger', user_id: user })).link,
    statusOf: async (user: string): Promise<string> => (await describe(user)).status,
    accountId: async (user: string): Promise<string> => (await describe(user)).id,
    /** What `ledger_list` answers. */
    call: async (user: string): Promise<unknown> => {
      const account = { id: (await describe(user)).id };
      const call = { caller, toolName: 'ledger_list', input: {}, account };
      return (await services.executor.execute(call)).data;
    },
    close: async (): Promise<void> => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type LedgerServer = Awaited<ReturnType<typeof startLedgerServer>>;

/**
 * An installation behind a public address, served by as many processes as a test starts, with the test
 * provider as the app "ledger". Everything the processes answer and log is kept, for sweeps.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { Client } from 'pg';
import type { IssuedTokens } from '../oauth-provider/grants.ts';
import { OAuthProvider } from '../oauth-provider/provider.ts';
import { CLIENT_ID, CLIENT_SECRET } from '../oauth-provider/settings.ts';
import { API_CREDENTIAL, prepareData } from '../prepared-data.ts';
import { Browser } from './browser.ts';
import { ServerProcess } from './server-process.ts';

export const BASE_URL = 'https://gate.example.test';
export const VERIFY_URL = 'https://app.example.test/verified';

const CATALOG = join(import.meta.dirname, '../oauth-provider/catalog');

export interface DeploymentOptions {
  /** Default: SQLite in the folder. */
  databaseUrl?: string;
  /** Environment variables of every process. */
  env?: Readonly<Record<string, string>>;
  /** Lines of gatehouse.yaml instead of base_url and user_verify_url; none: on loopback, without verification. */
  site?: readonly string[];
  /** Further connections, by name: each at a provider of its own. */
  providers?: Readonly<Record<string, OAuthProvider>>;
}

export class Deployment {
  readonly provider: OAuthProvider;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Every answer of every process. */
  readonly answers: string[] = [];
  readonly #databaseUrl: string | undefined;
  readonly #servers: ServerProcess[] = [];
  #token: Promise<string> | undefined;

  private constructor(provider: OAuthProvider, options: DeploymentOptions) {
    this.provider = provider;
    this.dir = mkdtempSync(join(tmpdir(), 'gatehouse-deployment-'));
    this.#databaseUrl = options.databaseUrl;
    const site = options.site ?? [`base_url: ${BASE_URL}`, `user_verify_url: ${VERIFY_URL}`];
    const connections = Object.entries({ ledger: provider, ...options.providers });
    writeFileSync(
      join(this.dir, 'gatehouse.yaml'),
      [
        'data_dir: data',
        ...site,
        `catalog_dirs: ["${CATALOG}"]`,
        'outbound: {allow_private_hosts: ["127.0.0.1"]}',
        'connections:',
        ...connections.map(([name, { url }]) => `  - ${JSON.stringify(oauthConnection(name, url))}`),
        `  - {name: ledger_key, connector: ledger, authorization_type: API_KEY, overrides: {base_url: "${provider.url}"}}`,
        '',
      ].join('\n'),
    );
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.dir,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      GATEHOUSE_CONFIG: join(this.dir, 'gatehouse.yaml'),
      GATEHOUSE_CLIENT_ID: API_CREDENTIAL.id,
      GATEHOUSE_CLIENT_SECRET: API_CREDENTIAL.secret,
      ...(options.databaseUrl !== undefined && { GATEHOUSE_DATABASE_URL: options.databaseUrl }),
      ...options.env,
    };
  }

  static async open(options: DeploymentOptions = {}): Promise<Deployment> {
    const deployment = new Deployment(await OAuthProvider.start(), options);
    if (options.databaseUrl === undefined) await prepareData(join(deployment.dir, 'data'));
    return deployment;
  }

  /** Starts a process. @param env settings of this one alone @param program another one than that of today */
  async serve(env: Readonly<Record<string, string>> = {}, program?: string): Promise<ServerProcess> {
    const server = await ServerProcess.start({
      dir: this.dir,
      env: { ...this.env, ...env },
      token: (url) => this.#tokenFrom(url),
      keep: (text) => this.answers.push(text),
      program,
    });
    this.#servers.push(server);
    return server;
  }

  /** An access token of the deployment's credential. */
  async token(server: ServerProcess): Promise<string> {
    return this.#tokenFrom(server.url);
  }

  /** Lets the next request ask for a new access token. */
  forgetToken(): void {
    this.#token = undefined;
  }

  /** A new person at the public address. */
  browser(server: ServerProcess): Browser {
    return new Browser({ baseUrl: BASE_URL, server, keep: (text) => this.answers.push(text) });
  }

  /** An ACTIVE account of a user. @param expiresInMs from now; negative: its access token has expired */
  async connect(
    server: ServerProcess,
    user: string,
    expiresInMs = 3_600_000,
    tokens: IssuedTokens = this.provider.issue({ subject: user }),
  ): Promise<IssuedTokens> {
    const { accessToken, refreshToken, scope } = tokens;
    const { status, text } = await server.api('POST', '/connected_accounts', {
      connector: 'ledger',
      identifier: user,
      user_id: user,
      connected_account: {
        authorization_details: {
          oauth_token: { access_token: accessToken, refresh_token: refreshToken, scopes: [scope] },
        },
        token_expires_at: new Date(Date.now() + expiresInMs).toISOString(),
      },
    });
    if (status !== 201) throw new Error(text);
    return tokens;
  }

  async #tokenFrom(url: string): Promise<string> {
    return (this.#token ??= requestToken(url));
  }

  /** `ok`; always for Postgres. */
  integrity(): unknown {
    if (this.#databaseUrl !== undefined) return 'ok';
    const handle = new SqliteHandle(join(this.dir, 'data/gatehouse.db'), { readonly: true });
    const answer = handle.pragma('integrity_check', { simple: true });
    handle.close();
    return answer;
  }

  /** Everything that is stored: files of the data folder (database, WAL, keys) and rows of a Postgres database. */
  async stored(): Promise<{ place: string; text: string }[]> {
    const data = join(this.dir, 'data');
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(data, name)).isFile())
      .map((name) => ({ place: name, text: readFileSync(join(data, name), 'latin1') }));
    return this.#databaseUrl === undefined ? files : [...files, ...(await postgresRows(this.#databaseUrl))];
  }

  /** What all processes have written. */
  get output(): string {
    return this.#servers.map((server) => server.output).join('');
  }

  async close(): Promise<void> {
    await this.provider.close();
    await Promise.all(this.#servers.map(async (server) => server.stop()));
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** How often each value occurs. */
export function tally(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

async function postgresRows(connectionString: string): Promise<{ place: string; text: string }[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const stored = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from "${name}" t`);
      stored.push({ place: name, text: rows.map(({ text }) => text).join('\n') });
    }
    return stored;
  } finally {
    await client.end();
  }
}

function oauthConnection(name: string, providerUrl: string): object {
  return {
    name,
    id: `conn_${name}`,
    connector: 'ledger',
    authorization_type: 'OAUTH',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    scopes: ['entries:read', 'offline_access'],
    overrides: {
      base_url: providerUrl,
      authorization_url: `${providerUrl}/authorize`,
      token_url: `${providerUrl}/token`,
      revocation_url: `${providerUrl}/revoke`,
    },
  };
}

async function requestToken(url: string): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: API_CREDENTIAL.id,
      client_secret: API_CREDENTIAL.secret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

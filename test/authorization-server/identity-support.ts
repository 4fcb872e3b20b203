/** A working identity module over an empty database, and an HTTP server in front of it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_VISITOR, SCOPES, type Caller } from '../../src/core/caller.ts';
import { Environments, type Environment } from '../../src/core/environment.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { AuthorizationServer } from '../../src/authorization-server/authorization-server.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { EnvironmentStore } from '../../src/store/installation/environment-store.ts';
import { openDatabase } from '../../src/store/open.ts';
import { Vault } from '../../src/vault/vault.ts';
import { testAuthorizationServer, type IdentityChanges } from '../support/authorization-server.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';

export const admin: Caller = {
  kind: 'operator',
  environmentId: 'env_dev',
  actor: 'local',
  scopes: new Set(SCOPES),
  source: 'cli',
  ip: '',
};

export function environment(baseUrl: string, id = 'env_dev'): Environment {
  return {
    id,
    name: id.slice(4),
    baseUrl,
    userVerification: 'none',
    userVerifyUrl: undefined,
    userVerifyUrls: [],
    signUp: 'open',
    isLocalOnly: true,
  };
}

/** A vault whose key is the same for every caller. */
export function testVault(): Vault {
  return new Vault([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
}

/** Stores the environments, which every other row refers to. */
export async function withEnvironments(database: Database, ...ids: string[]): Promise<Database> {
  await database.transaction(async (tx) => {
    for (const id of ids) await new EnvironmentStore(tx).ensure({ id, name: id.slice(4), created_at: 1 });
  });
  return database;
}

export async function memoryDatabase(): Promise<Database> {
  return withEnvironments(await openDatabase({ url: 'sqlite::memory:' }), 'env_dev', 'env_prod');
}

/** The same database, counting the statements that read outside a transaction. */
export function counting(database: Database): { database: Database; statements: () => number } {
  let statements = 0;
  const read = database.read.withPlugin({
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    statements: () => statements,
    database: {
      dialect: database.dialect,
      read,
      longRead: read,
      version: () => database.version(),
      transaction: async (work) => database.transaction(work),
      close: async () => database.close(),
    },
  };
}

/** A database of which nothing can be read outside a transaction. */
export function brokenDatabase(database: Database, error: Error): Database {
  const read = database.read.withPlugin({
    transformQuery: () => {
      throw error;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    dialect: database.dialect,
    read,
    longRead: read,
    version: () => database.version(),
    transaction: async (work) => database.transaction(work),
    close: async () => {},
  };
}

export interface Identity extends Omit<ReturnType<typeof testAuthorizationServer>, 'authorizationServer'> {
  database: Database;
  clock: FixedClock;
  environment: Environment;
  environments: Environments;
  server: AuthorizationServer;
  /** What was logged: level, event, fields. */
  logged: unknown[][];
  /** Sends a request to the server, from `ip`. */
  request(path: string, init?: RequestInit & { ip?: string }): Promise<Response>;
  /** POSTs a form; `ip` is the address that the server takes the client to have. */
  post(path: string, form: FormInput, headers?: Record<string, string>, ip?: string): Promise<Response>;
  close(): Promise<void>;
}

export type FormInput = Record<string, string> | [string, string][] | string;

/** Answers what the authorization server does not. */
export type NodePages = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void;

/** Starts everything on a port of its own; the base URL is the one of that port. */
export async function startIdentity(
  changes: IdentityChanges = {},
  database?: Database,
  pages?: () => NodePages,
): Promise<Identity> {
  const db = database ?? (await memoryDatabase());
  const clock = fixedClock();
  const logged: unknown[][] = [];
  const note =
    (level: string): Log['info'] =>
    (event, fields) =>
      void logged.push([level, event, fields]);
  const log: Log = { ...silentLog, warn: note('warn'), error: note('error') };

  let answer: (url: string, ip: string) => Parameters<typeof createServer>[1];
  const http = createServer((req, res) =>
    answer(req.url ?? '', String(req.headers['x-test-ip'] ?? '192.0.2.1'))?.(req, res),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const development = environment(baseUrl);
  const production = environment('https://gate.example.test', 'env_prod');
  const environments = new Environments([development, production]);
  const { authorizationServer: server, ...built } = testAuthorizationServer(
    { db, vault: testVault(), clock, environments },
    { log, ...changes },
  );
  answer = (url, ip) => (req, res) => {
    if (pages !== undefined && !AuthorizationServer.answers(url.split('?', 1)[0] ?? ''))
      return void pages()(req, res);
    const userAgent = req.headers['user-agent'] ?? '';
    return void server.handle(development, req, res, { ...NO_VISITOR, ip, userAgent });
  };

  const request: Identity['request'] = async (path, { ip = '192.0.2.1', headers, ...init } = {}) =>
    fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { ...(headers as Record<string, string>), 'x-test-ip': ip },
    });
  return {
    database: db,
    clock,
    environment: development,
    environments,
    ...built,
    server,
    logged,
    request,
    post: async (path, form, headers = {}, ip) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
        ...(ip === undefined ? {} : { ip }),
      }),
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await db.close();
    },
  };
}

/** The Authorization header of HTTP Basic, as curl makes it. */
export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

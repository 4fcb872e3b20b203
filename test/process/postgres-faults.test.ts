/**
 * A Postgres that ends, is gone for a minute, has no connection left or no room for locks, under load
 * (docs/operations.md#the-faults-of-a-bad-day): real processes, and in the full rounds a server of the test's own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, type TestContext } from 'vitest';
import { onDatabase, type NewDatabaseUrl } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ApiAnswer, ServerProcess } from '../support/deployment/server-process.ts';
import { Writers } from '../support/deployment/writers.ts';
import { startOwn, type OwnPostgres } from '../support/postgres.ts';
import { ROUNDS } from '../support/rounds.ts';
import { SilentProxy } from '../support/silent-proxy.ts';

/** How long Postgres is gone. */
const GONE_MS = ROUNDS.full ? 60_000 : 300;

/** The limit of a transaction that says nothing more, from docs/operations.md. */
const IDLE_TRANSACTION_MS = 10_000;

/** A database that a test takes away and gives back. */
interface Removable {
  url: string;
  /** @returns gives it back */
  remove: () => Promise<() => Promise<void>>;
}

async function own(context: TestContext, settings: readonly string[]): Promise<OwnPostgres> {
  const postgres = await startOwn(['synchronous_commit=on', ...settings]);
  context.onTestFinished(async () => postgres.stop());
  return postgres;
}

/** A server that crashes; in the reduced rounds the shared one, which seems to. */
async function removable(context: TestContext, newUrl: NewDatabaseUrl): Promise<Removable> {
  if (ROUNDS.full) {
    const postgres = await own(context, []);
    const remove = async () => {
      await postgres.crash();
      return postgres.restart;
    };
    return { url: postgres.url, remove };
  }
  const { proxy, url } = await SilentProxy.start(await newUrl());
  context.onTestFinished(async () => proxy.close());
  return { url, remove: async () => proxy.leave() };
}

async function deployed(
  context: TestContext,
  databaseUrl: string,
  processes: number,
): Promise<{ deployment: Deployment; servers: [ServerProcess, ...ServerProcess[]] }> {
  const deployment = await Deployment.open({ databaseUrl });
  context.onTestFinished(async () => deployment.close());
  const first = await deployment.serve();
  const others = Array.from({ length: processes - 1 }, async () => deployment.serve());
  return { deployment, servers: [first, ...(await Promise.all(others))] };
}

const ready = async ({ url }: ServerProcess): Promise<number> => (await fetch(`${url}/readyz`)).status;
const list = async (server: ServerProcess): Promise<ApiAnswer> => server.api('GET', '/connected_accounts');

/** 503 that says when to come back. */
function expectUnavailable({ status, headers, body }: ApiAnswer): void {
  expect([status, body.details?.[0]?.error_code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

onDatabase('postgres', (_name, _open, newUrl) => {
  describe('Postgres that crashes and comes back', () => {
    it('costs calls a 503 meanwhile, and nothing that was acknowledged and no grant', async (context) => {
      const { url, remove } = await removable(context, newUrl);
      const { deployment, servers } = await deployed(context, url, ROUNDS.full ? 2 : 1);
      const [server] = servers;
      const { provider } = deployment;
      await deployment.connect(server, 'ada');
      await deployment.connect(server, 'renewed', -1_000);
      const writers = new Writers(servers);
      await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(10);
      provider.queue({ target: 'token', process: 'after', hold: true });
      const renewing = server.call('renewed');
      await provider.untilHeld();

      const giveBack = await remove();
      provider.release();
      for (const one of servers) {
        expectUnavailable(await list(one));
        expectUnavailable(await one.call('ada'));
        expect(await ready(one)).toBe(503);
        expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
      }
      await delay(GONE_MS);
      const before = performance.now();
      await giveBack();
      for (const one of servers) await expect.poll(async () => ready(one), { interval: 50 }).toBe(200);
      expect(performance.now() - before).toBeLessThan(5_000 + server.slackMs);
      await writers.end();

      for (const answer of writers.answers) if (answer.status !== 200) expectUnavailable(answer);
      expect([200, 503]).toContain((await renewing).status);
      await server.callUntilItWorks('renewed');
      expect(provider.counts()).toMatchObject({ refreshes: 1, maxPresentations: 1, familiesRevoked: 0 });
      const stored = await Promise.all(writers.acknowledged.map(async (user) => server.statusOf(user)));
      expect(tally(stored)).toEqual({ PENDING_AUTH: writers.acknowledged.length });
      for (const { child } of servers) expect(child.exitCode).toBeNull();
    });
  });

  describe.runIf(ROUNDS.full)('Postgres at max_connections', () => {
    /** Takes every connection that is left. */
    async function crowd(context: TestContext, connectionString: string): Promise<() => Promise<void>> {
      const clients: Client[] = [];
      const leave = async (): Promise<void> => {
        await Promise.all(clients.splice(0).map(async (client) => client.end()));
      };
      context.onTestFinished(leave);
      for (;;) {
        const client = new Client({ connectionString });
        client.on('error', () => {});
        try {
          await client.connect();
        } catch (error) {
          expect(error).toMatchObject({ code: '53300' });
          return leave;
        }
        clients.push(client);
      }
    }

    it('lets processes continue with the connections that they have', async (context) => {
      const { url } = await own(context, ['max_connections=12', 'superuser_reserved_connections=0']);
      const { deployment, servers } = await deployed(context, url, 2);
      await deployment.connect(servers[0], 'ada');
      const leave = await crowd(context, url);
      const work = servers.flatMap((server) =>
        Array.from({ length: 100 }, async (_, n) => (n % 2 === 0 ? list(server) : server.call('ada'))),
      );
      expect(tally((await Promise.all(work)).map(({ status }) => status))).toEqual({ 200: 200 });
      expect(await Promise.all(servers.map(ready))).toEqual([200, 200]);
      await leave();
    });

    it('answers 503 in a process without any connection, until the server has room', async (context) => {
      const { url } = await own(context, ['max_connections=12', 'superuser_reserved_connections=0']);
      const { deployment, servers } = await deployed(context, url, 1);
      const [server] = servers;
      await deployment.connect(server, 'ada');
      const admin = new Client({ connectionString: url });
      await admin.connect();
      context.onTestFinished(async () => admin.end());
      // Whoever is quicker has a connection that is free: until the crowd has them all.
      const leave = [await crowd(context, url)];
      for (;;) {
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'gatehouse'`,
        );
        if (rowCount === 0) break;
        leave.push(await crowd(context, url));
      }
      const asked = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => (n % 2 === 0 ? list(server) : server.call('ada'))),
      );
      answers.forEach(expectUnavailable);
      expect(performance.now() - asked).toBeLessThan(5_000 + server.slackMs);
      expect(await ready(server)).toBe(503);
      await expect(deployment.serve()).rejects.toThrow('too many clients');
      await Promise.all(leave.map(async (go) => go()));
      await expect.poll(async () => ready(server)).toBe(200);
      expect((await server.call('ada')).status).toBe(200);
    });
  });

  describe.runIf(ROUNDS.full)('Postgres without room for predicate locks', () => {
    it('answers 503 while an old transaction keeps them, and continues within 10 s', async (context) => {
      const { url } = await own(context, ['max_connections=20', 'max_pred_locks_per_transaction=10']);
      const { deployment, servers } = await deployed(context, url, 1);
      const [server] = servers;
      await deployment.connect(server, 'ada');
      // What a frozen process leaves behind, with the limit that each of our transactions sets.
      const frozen = new Client({ connectionString: url });
      frozen.on('error', () => {});
      await frozen.connect();
      context.onTestFinished(async () => frozen.end());
      await frozen.query(
        `begin isolation level serializable; set local idle_in_transaction_session_timeout = '10s'`,
      );
      await frozen.query('select count(*) from accounts');
      const frozenAt = performance.now();
      const writers = new Writers(servers);
      await expect.poll(() => writers.answers.some(({ status }) => status !== 200)).toBe(true);
      expect((await list(server)).status).toBe(200);
      expect((await server.call('ada')).status).toBe(200);
      const refused = writers.answers.length;
      await expect.poll(() => writers.answers.slice(refused).some(({ status }) => status === 200)).toBe(true);
      expect(performance.now() - frozenAt).toBeLessThan(IDLE_TRANSACTION_MS + server.slackMs);
      await writers.end();
      for (const answer of writers.answers) if (answer.status !== 200) expectUnavailable(answer);
      expect(server.output).toContain('"code":"53200"');
    });
  });
});

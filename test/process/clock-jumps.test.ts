/**
 * A clock that is set forwards or back by hours under running processes
 * (docs/operations.md#the-faults-of-a-bad-day). On Postgres its clock jumps with theirs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/settings/settings.ts';
import { Retention } from '../../src/operations/retention.ts';
import { openDatabase } from '../../src/store/open.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ApiAnswer, ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';

const HOUR_MS = 3_600_000;
const JUMP_MS = 3 * HOUR_MS;
const JUMPS = [
  { direction: 'forwards', jumpMs: JUMP_MS },
  ...(ROUNDS.full ? [{ direction: 'backwards', jumpMs: -JUMP_MS }] : []),
];
const LEASE_MS = ROUNDS.full ? 10_000 : 1_500;
const MOVED_CLOCK = new URL('children/moved-clock.ts', import.meta.url).href;

/** Takes the place of Postgres's own function where `public` is searched first. */
const MOVED_DATABASE_CLOCK = `
  create table clock_offset (ms bigint not null);
  insert into clock_offset values (0);
  create function public.clock_timestamp() returns timestamptz language sql volatile as
    'select pg_catalog.clock_timestamp() + (select ms from public.clock_offset) * interval ''1 ms''';
  do $$ begin
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
  end $$`;

forEachDatabaseInFull((name, _open, newUrl) => {
  let folder: string;
  let databaseUrl: string;
  let deployment: Deployment;
  let here: ServerProcess;
  let there: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'));
    databaseUrl = await newUrl();
    if (name === 'postgres') await inPostgres(MOVED_DATABASE_CLOCK);
    await setClock(0);
    deployment = await Deployment.open({
      databaseUrl,
      env: {
        NODE_OPTIONS: `--import=${MOVED_CLOCK}`,
        DATE_OFFSET_FILE: join(folder, 'offset'),
        GATEHOUSE_REFRESH_LEASE: `${LEASE_MS}ms`,
      },
    });
    here = await deployment.serve();
    there = await deployment.serve();
  });
  beforeEach(async () => {
    await setClock(0);
    deployment.forgetToken();
    deployment.provider.reset();
  });
  afterAll(async () => {
    await deployment?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function inPostgres(statement: string): Promise<void> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  /** How far the clocks of all processes are from the machine's, from now on. */
  async function setClock(ms: number): Promise<void> {
    writeFileSync(join(folder, 'offset'), String(ms));
    if (name === 'postgres') await inPostgres(`update clock_offset set ms = ${ms}`);
  }

  const executions = async (): Promise<number> =>
    (JSON.parse((await here.api('GET', '/executions')).text) as { total_size: number }).total_size;

  const errorOf = ({ status, body }: ApiAnswer) => [status, body.details?.[0]?.error_code];

  /** Calls until one is refused for a reason, and the answer to the caller. */
  async function refused(user: string): Promise<unknown[]> {
    expect((await here.call(user)).status).not.toBe(503);
    return errorOf(await there.call(user));
  }

  describe.each(JUMPS)(
    'links, tokens and leases under a clock that jumps $direction by hours',
    ({ direction, jumpMs }) => {
      const named = (what: string): string => `${what}-${direction}`;

      it('leaves a running refresh to its process, so that no grant is lost', async () => {
        const { provider } = deployment;
        const user = named('leased');
        await deployment.connect(here, user, -2 * JUMP_MS);
        provider.queue({ target: 'token', process: 'after', hold: true });
        const renewing = here.call(user);
        await provider.untilHeld();
        await setClock(jumpMs);
        deployment.forgetToken();
        const waiting = there.call(user);
        await delay(LEASE_MS);
        provider.release();
        const answers = await Promise.all([renewing, waiting]);
        expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 2 });
        expect(provider.counts()).toMatchObject({ refreshes: 1, maxPresentations: 1, familiesRevoked: 0 });
      });

      it('renews tokens of providers once, and keeps accounts ACTIVE', async () => {
        const { provider } = deployment;
        const user = named('connected');
        await deployment.connect(here, user);
        await setClock(jumpMs);
        deployment.forgetToken();
        provider.grants.expireAccess();
        const calls = Array.from({ length: 20 }, async (_, n) => (n % 2 === 0 ? here : there).call(user));
        expect(tally((await Promise.all(calls)).map(({ status }) => status))).toEqual({ 200: 20 });
        expect(provider.counts()).toMatchObject({ refreshes: 1, maxPresentations: 1, familiesRevoked: 0 });
        expect(await here.statusOf(user)).toBe('ACTIVE');
      });

      it('ends links and tokens early when it jumps forwards only, and new ones work', async () => {
        const link = await here.magicLink(named('linked'));
        await setClock(jumpMs);
        const isForwards = jumpMs > 0;
        const { status } = await here.api('GET', '/connected_accounts');
        expect(status).toBe(isForwards ? 401 : 200);
        deployment.forgetToken();
        for (const server of [here, there]) {
          expect((await deployment.browser(server).get(link)).status).toBe(isForwards ? 410 : 200);
          const fresh = await server.magicLink(named('linked'));
          expect((await deployment.browser(server).get(fresh)).status).toBe(200);
          expect((await server.api('GET', '/connected_accounts')).status).toBe(200);
        }
      });

      it('ends rate limits and pauses, so that none lasts longer than its time', async () => {
        const limited = named('limited');
        const paused = named('paused');
        await deployment.connect(here, limited);
        await deployment.connect(here, paused);
        const { id } = await here.account(limited);
        await here.api('PUT', '/connected_accounts', {
          id,
          connected_account: { api_config: { rate_limit: 1 } },
        });
        deployment.provider.queue({
          target: 'api',
          answer: { status: 429, headers: { 'retry-after': '600' }, json: {} },
        });
        expect(await refused(paused)).toEqual([429, 'RATE_LIMITED']);
        expect(await refused(limited)).toEqual([429, 'RATE_LIMITED']);
        await setClock(jumpMs);
        deployment.forgetToken();
        expect((await there.call(limited)).status).toBe(200);
        expect((await there.call(paused)).status).toBe(200);
      });

      it('keeps records of calls and accounts through retention', async () => {
        const user = named('kept');
        await deployment.connect(here, user);
        expect((await here.call(user)).status).toBe(200);
        const before = await executions();
        await setClock(jumpMs);
        deployment.forgetToken();
        const db = await openDatabase({ url: databaseUrl });
        const clock = { now: () => Date.now() + jumpMs };
        const { retention } = loadSettings({ flags: {}, env: {}, cwd: folder, homeDir: folder });
        await new Retention(db, new RateLimiter(db, clock), clock, retention).run();
        await db.close();
        expect(await executions()).toBe(before);
        expect((await there.call(user)).status).toBe(200);
      });
    },
  );
});

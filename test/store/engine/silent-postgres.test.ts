/** A Postgres that says nothing more and closes nothing. Without a limit each of these waits a quarter of an hour. */
import { sql } from 'kysely';
import { expect, it, type TestContext } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.ts';
import type { Database, OpenedDatabase, WriteTransaction } from '../../../src/store/engine/database.ts';
import { openDatabase, type OpenOptions } from '../../../src/store/open.ts';
import { onDatabase } from '../../support/databases.ts';
import { SilentProxy } from '../../support/silent-proxy.ts';

/** Much longer than a statement takes on a busy machine. */
const SILENCE_MS = 5_000;

/** Longer than a test may take. */
const FOR_EVER_MS = 3_600_000;

/** A database of a test's own, reached through a proxy. */
interface Reached {
  db: OpenedDatabase;
  proxy: SilentProxy;
  /** Its URL without the proxy. */
  url: string;
}

onDatabase('postgres', (_name, _open, newUrl) => {
  const opened = async (context: TestContext, options: OpenOptions): Promise<OpenedDatabase> => {
    const db = await openDatabase({ silenceMs: SILENCE_MS, ...options });
    context.onTestFinished(async () => db.close());
    return db;
  };
  const proxied = async (context: TestContext, url: string): ReturnType<typeof SilentProxy.start> => {
    const started = await SilentProxy.start(url);
    context.onTestFinished(async () => started.proxy.close());
    return started;
  };
  const reached = async (context: TestContext, options: Omit<OpenOptions, 'url'>): Promise<Reached> => {
    const url = await newUrl();
    const { proxy, url: throughProxy } = await proxied(context, url);
    return { db: await opened(context, { ...options, url: throughProxy }), proxy, url };
  };

  it.concurrent('waits only briefly for a silent Postgres while the process ends', async (context) => {
    const { db, proxy } = await reached(context, {
      poolSize: 2,
      silenceMs: FOR_EVER_MS,
      retryForMs: FOR_EVER_MS,
    });
    await Promise.all([one(db), one(db)]);
    proxy.silence();
    const underWay = Promise.all(Array.from({ length: 3 }, async () => failure(one(db))));
    await context.expect.poll(() => proxy.swallowed).toBeGreaterThanOrEqual(2);
    db.shortenTimeouts();
    expect((await underWay).map(({ code }) => code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect((await failure(one(db))).code).toBe('UNAVAILABLE');
    // The connections that are idle are not closed by their server.
    await expect(db.close()).resolves.toBeUndefined();
  });

  it.concurrent(
    'fails waiting queries with UNAVAILABLE, and recovers when Postgres answers again',
    async (context) => {
      const { db, proxy } = await reached(context, { poolSize: 2, retryForMs: 5_000 });
      await Promise.all([one(db), one(db)]);
      proxy.silence();
      const underWay = await Promise.all(Array.from({ length: 6 }, async () => failure(one(db))));
      expect(
        underWay.map(({ code, status, retryAfterSeconds }) => [code, status, retryAfterSeconds]),
      ).toEqual(Array.from({ length: 6 }, () => ['UNAVAILABLE', 503, 5]));
      expect(underWay[0]?.cause).toMatchObject({
        code: 'ETIMEDOUT',
        message: 'no answer for 5 s, so that the connection was closed',
      });
      // Nor does a new connection get an answer.
      expect((await failure(one(db))).code).toBe('UNAVAILABLE');
      expect((await failure(db.transaction(async (tx) => insert(tx, 'env_1')))).code).toBe('UNAVAILABLE');
      proxy.restore();
      expect(await Promise.all([one(db), one(db)])).toEqual([1, 1]);
      await db.transaction(async (tx) => insert(tx, 'env_2'));
      expect(await ids(db)).toEqual(['env_2']);
    },
  );

  it.concurrent('replaces Postgres connections that the network has dropped', async (context) => {
    const { db, proxy } = await reached(context, { poolSize: 1 });
    proxy.forget();
    expect((await failure(one(db))).code).toBe('UNAVAILABLE');
    expect(await one(db)).toBe(1);
  });

  it.concurrent('does not retry a transaction without an answer to its commit', async (context) => {
    const { db, proxy, url } = await reached(context, { poolSize: 1, retryForMs: FOR_EVER_MS });
    let runs = 0;
    const error = await failure(
      db.transaction(async (tx) => {
        runs++;
        await insert(tx, `env_${runs}`);
        proxy.swallowAnswers();
      }),
    );
    expect([error.code, runs]).toEqual(['UNAVAILABLE', 1]);
    const direct = await opened(context, { url });
    await context.expect.poll(async () => ids(direct)).toEqual(['env_1']);
    expect(await one(db)).toBe(1);
  });

  it.concurrent('leaves nothing of a transaction that was interrupted', async (context) => {
    const { db, proxy, url } = await reached(context, { poolSize: 1 });
    const cut = db.transaction(async (tx) => {
      await insert(tx, 'env_1');
      proxy.silence();
      await insert(tx, 'env_2');
    });
    expect((await failure(cut)).code).toBe('UNAVAILABLE');
    expect(await ids(await opened(context, { url }))).toEqual([]);
  });

  it.concurrent(
    'reports why a transaction failed, even without an answer to its rollback',
    async (context) => {
      const { db, proxy } = await reached(context, { poolSize: 1 });
      const refused = db.transaction(async (tx) => {
        await insert(tx, 'env_1');
        proxy.forget();
        throw new Error('refused by a rule');
      });
      await expect(refused).rejects.toThrow('refused by a rule');
      expect(await ids(db)).toEqual([]);
    },
  );

  it.concurrent('waits for BEGIN no longer than for any other statement', async (context) => {
    const { db, proxy } = await reached(context, { poolSize: 1 });
    proxy.forget();
    expect((await failure(db.transaction(async () => 'never'))).code).toBe('UNAVAILABLE');
    expect(await db.transaction(async () => 'fine')).toBe('fine');
  });

  it.concurrent('waits for a slow statement up to the limit, and no longer', async (context) => {
    const db = await opened(context, { url: await newUrl(), poolSize: 1 });
    expect((await failure(sql`select pg_sleep(3600)`.execute(db.read))).code).toBe('UNAVAILABLE');
    expect(await one(db)).toBe(1);
  });

  it.concurrent('sets no limit to the statements of a migration', async (context) => {
    const { db } = await reached(context, {});
    await expect(
      db.withoutTimeout(async () => sql`select pg_sleep(6)`.execute(db.read)),
    ).resolves.toMatchObject({
      rows: [{}],
    });
    expect((await failure(sql`select pg_sleep(3600)`.execute(db.read))).code).toBe('UNAVAILABLE');
  });

  it.concurrent('fails nothing because a connection was idle', async (context) => {
    const { db } = await reached(context, { poolSize: 2 });
    await Promise.all([one(db), one(db)]);
    // One of the two is used, the other is idle for longer than the limit.
    for (let n = 0; n < 5; n++) await sql`select pg_sleep(1.5)`.execute(db.read);
    expect(await Promise.all([one(db), one(db)])).toEqual([1, 1]);
  });

  it.concurrent(
    'never reuses a connection whose last statement the pg driver has abandoned',
    async (context) => {
      const url = new URL(await newUrl());
      url.searchParams.set('query_timeout', '5000');
      const db = await opened(context, { url: url.href, poolSize: 1, silenceMs: FOR_EVER_MS });
      expect((await failure(sql`select pg_sleep(3600)`.execute(db.read))).code).toBe('UNAVAILABLE');
      expect(await one(db)).toBe(1);
      const slow = db.transaction(async (tx) => sql`select pg_sleep(3600)`.execute(tx));
      expect((await failure(slow)).code).toBe('UNAVAILABLE');
      expect(await one(db)).toBe(1);
    },
  );

  it.concurrent('lets Postgres end an interrupted transaction, and no other connection', async (context) => {
    const db = await opened(context, { url: await newUrl(), poolSize: 1 });
    const shown = async (setting: string, on: Database['read']): Promise<unknown> =>
      (await sql.raw(`show ${setting}`).execute(on)).rows[0];
    const name = 'idle_in_transaction_session_timeout';
    expect(await db.transaction(async (tx) => shown(name, tx))).toEqual({ [name]: '10s' });
    expect(await shown(name, db.read)).toEqual({ [name]: '0' });
  });

  it.concurrent('answers UNAVAILABLE when Postgres has ended an idle transaction', async (context) => {
    const url = await newUrl();
    const db = await opened(context, { url, poolSize: 1 });
    const other = await opened(context, { url });
    const ended = db.transaction(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`set local idle_in_transaction_session_timeout = 1`.execute(tx);
      const alive = sql`select 1 from pg_stat_activity where pid = ${rows[0]?.pid}`;
      await context.expect.poll(async () => (await alive.execute(other.read)).rows).toEqual([]);
      await insert(tx, 'env_1');
    });
    expect((await failure(ended)).code).toBe('UNAVAILABLE');
    expect(await ids(db)).toEqual([]);
  });

  it.concurrent('reports that a silent Postgres cannot be opened', async (context) => {
    const { proxy, url } = await proxied(context, await newUrl());
    proxy.silence();
    await expect(openDatabase({ url, retryForMs: 500 })).rejects.toThrow(
      'The Postgres database cannot be reached: Connection terminated due to connection timeout.',
    );
  });
});

async function one(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db.read);
  return rows[0]?.one;
}

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  return work.then(
    () => expect.fail('expected a failure'),
    (error: unknown) => error as ServiceError,
  );
}

async function ids(db: Database): Promise<string[]> {
  const rows = await db.read.selectFrom('environments').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

async function insert(tx: WriteTransaction, id: string): Promise<void> {
  await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
}

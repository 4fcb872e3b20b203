import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.ts';
import type { Database, WriteTransaction } from '../../../src/store/engine/database.ts';
import { onDatabase } from '../../support/databases.ts';

onDatabase('postgres', (_name, open, newUrl) => {
  it('answers UNAVAILABLE when the Postgres server ends the connection, and recovers with the next one', async () => {
    const db = await open();
    const cut = db.transaction(async (tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx));
    const error = await cut.then(
      () => expect.fail('expected a failure'),
      (failure: unknown) => failure as ServiceError,
    );
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['UNAVAILABLE', 503, 5]);
    expect(await db.transaction(async () => 'fine')).toBe('fine');
  });

  it('closes Postgres twice without an error', async () => {
    const db = await open();
    await db.close();
    await expect(db.close()).resolves.toBeUndefined();
  });

  it('survives the end of an idle Postgres connection', async () => {
    const url = await newUrl();
    const db = await open({ url, poolSize: 1 });
    const other = await open({ url });
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()`.execute(other.read);
    await expect
      .poll(async () =>
        sql`select 1 as one`.execute(db.read).then(
          ({ rows }) => rows,
          () => 'not yet',
        ),
      )
      .toEqual([{ one: 1 }]);
  });

  it('answers UNAVAILABLE when every Postgres connection stays in use', async () => {
    const db = await open({ poolSize: 1, retryForMs: 3_000 });
    const error = await db.transaction(async () =>
      sql`select 1`.execute(db.read).then(
        () => undefined,
        (failure: unknown) => failure as ServiceError,
      ),
    );
    expect(error?.code).toBe('UNAVAILABLE');
  });

  describe('while the server refuses more connections', () => {
    let admin: Database;
    let crowded: Database;
    let release: () => void;
    let held: Promise<unknown>;
    const role = `crowded_${process.pid}`;

    const asAdmin = async (text: string) => sql.raw(text).execute(admin.read);
    const one = async () => crowded.transaction(async (tx) => sql`select 1 as one`.execute(tx));

    /** A role with two connections, both in use, and a pool that wants five. */
    async function crowd(retryForMs = 5_000): Promise<void> {
      const url = await newUrl();
      admin = await open({ url });
      await asAdmin(`create role ${role} login password 'p' connection limit 2`);
      await asAdmin(`grant all on all tables in schema public to ${role}`);
      const own = new URL(url);
      own.username = role;
      own.password = 'p';
      crowded = await open({ url: own.href, poolSize: 5, retryForMs });
      const gate = Promise.withResolvers<void>();
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      release = gate.resolve;
      held = Promise.all(
        begun.map(async ({ resolve }) =>
          crowded.transaction(async (tx) => {
            await sql`select 1`.execute(tx);
            resolve();
            await gate.promise;
          }),
        ),
      );
      await Promise.all(begun.map(async ({ promise }) => promise));
    }

    afterEach(async () => {
      release();
      await held;
      await crowded.close();
      await asAdmin(`drop owned by ${role}`);
      await asAdmin(`drop role ${role}`);
    });

    it('waits for a connection of its own that becomes free', async () => {
      await crowd();
      const waiting = Promise.all(Array.from({ length: 20 }, one));
      await asAdmin('select pg_sleep(0.4)'); // long enough to be refused
      release();
      expect((await waiting).flatMap(({ rows }) => rows)).toEqual(
        Array.from({ length: 20 }, () => ({ one: 1 })),
      );
    });

    it('takes more connections as soon as the server has room', async () => {
      await crowd();
      const waiting = Promise.all(Array.from({ length: 20 }, one));
      await asAdmin('select pg_sleep(0.1)');
      await asAdmin(`alter role ${role} connection limit 10`);
      expect(await waiting).toHaveLength(20);
    });

    it('answers UNAVAILABLE when none becomes free in time', async () => {
      await crowd(400);
      const answers = await Promise.allSettled(Array.from({ length: 20 }, one));
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    });
  });

  it('retries a Postgres transaction after a serialization failure', async () => {
    const db = await open();
    let runs = 0;
    await db.transaction(async (tx) => {
      runs++;
      await sql`select count(*) from environments`.execute(tx);
      if (runs === 1) await db.transaction(async (other) => insert(other, 'env_1'));
      await insert(tx, 'env_2');
      if (runs === 1) await sql`select count(*) from environments`.execute(tx);
    });
    expect(await db.read.selectFrom('environments').select('id').orderBy('id').execute()).toEqual([
      { id: 'env_1' },
      { id: 'env_2' },
    ]);
  });

  it('stops the retries of a Postgres transaction after the given time', async () => {
    const db = await open({ retryForMs: 3_000 });
    const losing = db.transaction(async (tx) =>
      sql`do $$ begin raise exception using errcode = '40001', message = 'lost'; end $$`.execute(tx),
    );
    await expect(losing).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('repeats a Postgres transaction that took all the time for retries by itself', async () => {
    const db = await open({ retryForMs: 0 });
    let attempts = 0;
    await db.transaction(async (tx) => {
      attempts += 1;
      if (attempts < 3) await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
    });
    expect(attempts).toBe(3);
  });

  it('refuses to change or remove audit rows in Postgres', async () => {
    const db = await open();
    for (const statement of ['update audit set actor = actor', 'delete from audit', 'truncate audit']) {
      const change = db.transaction(async (tx) => sql.raw(statement).execute(tx));
      await expect(change).rejects.toThrow('audit is append-only');
    }
  });
});

async function insert(tx: WriteTransaction, id: string): Promise<void> {
  await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
}

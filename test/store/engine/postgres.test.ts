import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.ts';
import type { WriteTransaction } from '../../../src/store/engine/database.ts';
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

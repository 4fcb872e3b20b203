import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/store/engine/database.ts';
import { DURATION_COLUMNS } from '../../src/store/tables/execution-sum-table.ts';
import { openDatabase } from '../../src/store/open.ts';
import { forEachDatabase } from '../support/databases.ts';

/** Transactions that lose against each other are repeated for this long. */
const PATIENT_MS = 60_000;

const development = { id: 'env_1', name: 'development', created_at: 7 };

async function insertEnvironment(db: Database, row = development): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values(row).execute();
  });
}

describe('opening a database', () => {
  it.each(['mysql://localhost/x', 'gatehouse.db', ''])(
    'refuses the URL %j and says what to correct',
    async (url) => {
      await expect(openDatabase({ url })).rejects.toThrow(
        'The database URL must begin with sqlite: or postgres://. Correct database_url or GATEHOUSE_DATABASE_URL.',
      );
    },
  );

  it('reports that a Postgres server does not answer', async () => {
    await expect(openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' })).rejects.toThrow(
      /^The Postgres database cannot be reached: .*ECONNREFUSED.*Check database_url \(GATEHOUSE_DATABASE_URL\) and that the server runs\.$/,
    );
  });
});

forEachDatabase((_name, open, newUrl) => {
  it('commits the writes of a transaction', async () => {
    const db = await open();
    await insertEnvironment(db);
    expect(await db.read.selectFrom('environments').selectAll().execute()).toEqual([development]);
  });

  it('keeps committed writes for the next process', async () => {
    const url = await newUrl();
    const first = await open({ url });
    await insertEnvironment(first);
    const second = await open({ url });
    expect(await second.read.selectFrom('environments').selectAll().execute()).toEqual([development]);
  });

  it('rolls back a transaction that throws, and passes its error on', async () => {
    const db = await open();
    const failing = db.transaction(async (tx) => {
      await tx.insertInto('environments').values(development).execute();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await db.read.selectFrom('environments').selectAll().execute()).toEqual([]);
  });

  it('returns the result of the transaction', async () => {
    const db = await open();
    expect(await db.transaction(async () => 42)).toBe(42);
  });

  it('serializes transactions that read and then write', async () => {
    const db = await open({ retryForMs: PATIENT_MS });
    await insertEnvironment(db, { ...development, created_at: 0 });
    const addOne = async () =>
      db.transaction(async (tx) => {
        const { created_at } = await tx
          .selectFrom('environments')
          .select('created_at')
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('environments')
          .set({ created_at: created_at + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, addOne));
    expect((await db.read.selectFrom('environments').selectAll().executeTakeFirstOrThrow()).created_at).toBe(
      20,
    );
  });

  it('serializes transactions of several processes too', async () => {
    const url = await newUrl();
    const databases = [
      await open({ url, retryForMs: PATIENT_MS }),
      await open({ url, retryForMs: PATIENT_MS }),
    ];
    await insertEnvironment(databases[0]!, { ...development, created_at: 0 });
    const addOne = async (db: Database) =>
      db.transaction(async (tx) => {
        const { created_at } = await tx
          .selectFrom('environments')
          .select('created_at')
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('environments')
          .set({ created_at: created_at + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, async (_, n) => addOne(databases[n % 2]!)));
    const row = await databases[0]!.read.selectFrom('environments').selectAll().executeTakeFirstOrThrow();
    expect(row.created_at).toBe(20);
  });

  it("prevents two transactions from acting on each other's changes (write skew)", async () => {
    const db = await open();
    const addUnlessTaken = async (id: string) =>
      db.transaction(async (tx) => {
        const taken = await tx.selectFrom('environments').select('id').execute();
        if (taken.length === 0)
          await tx
            .insertInto('environments')
            .values({ ...development, id, name: id })
            .execute();
      });
    await Promise.all(['env_a', 'env_b', 'env_c', 'env_d'].map(addUnlessTaken));
    expect(await db.read.selectFrom('environments').selectAll().execute()).toHaveLength(1);
  });

  it('returns integers as numbers, beyond 32 bits too', async () => {
    const db = await open();
    await insertEnvironment(db, { ...development, created_at: 1_795_176_000_123 });
    const row = await db.read.selectFrom('environments').selectAll().executeTakeFirstOrThrow();
    expect(row.created_at).toBe(1_795_176_000_123);
  });

  it('orders text by its bytes', async () => {
    const db = await open();
    const names = ['b', 'B', 'ä', 'a', '-', 'z', 'a b', 'ab', '\u{ffee}', '\u{10000}'];
    for (const [index, each] of names.entries()) {
      await insertEnvironment(db, { id: `env_${index}`, name: each, created_at: 1 });
    }
    const rows = await db.read.selectFrom('environments').select('name').orderBy('name').execute();
    expect(rows.map((row) => row.name)).toEqual([
      '-',
      'B',
      'a',
      'a b',
      'ab',
      'b',
      'z',
      'ä',
      '\u{ffee}',
      '\u{10000}',
    ]);
  });

  it('refuses rows of an environment that does not exist', async () => {
    const db = await open();
    const orphan = db.transaction(async (tx) => {
      await tx
        .insertInto('revoked_tokens')
        .values({ environment_id: 'env_0', token_id: 't', expires_at: 1 })
        .execute();
    });
    await expect(orphan).rejects.toThrow(/foreign key/i);
  });

  it('has exactly the columns that tables.ts declares', async () => {
    const db = await open();
    const stored = (await db.read.introspection.getTables()).map((table) => ({
      name: table.name,
      columns: table.columns.map((column) => `${column.name}${column.isNullable ? '?' : ''}`).toSorted(),
    }));
    expect(Object.fromEntries(stored.map((table) => [table.name, table.columns]))).toEqual(declaredTables());
  });

  it('has environment_id in every table except two about the installation', async () => {
    const db = await open();
    const tables = await db.read.introspection.getTables();
    const without = tables.filter(
      (table) => !table.columns.some((column) => column.name === 'environment_id'),
    );
    expect(without.map((table) => table.name).toSorted()).toEqual([
      'environments',
      'installation',
      'rate_windows',
    ]);
  });
});

const DURATIONS = DURATION_COLUMNS.map((name) => ({ name, type: 'number' }));

/** Column names per table as src/store/tables/tables.ts and what it imports declare them; `?` marks a nullable one. */
function declaredTables(): Record<string, string[]> {
  const source = [
    'tables.ts',
    'webhook-tables.ts',
    'people-tables.ts',
    'policy-tables.ts',
    'execution-sum-table.ts',
    'call-tables.ts',
    'upstream-tables.ts',
    'upstream-tool-tables.ts',
  ]
    .map((file) => readFileSync(join(import.meta.dirname, '../../src/store/tables', file), 'utf8'))
    .join('\n');
  const interfaces = new Map(
    [
      ...source.matchAll(
        /^export interface (\w+)( extends Record<DurationColumn, number>)? \{\n([^]*?)^\}/gm,
      ),
    ].map(([, name, durations, body]) => [
      name!,
      durations === undefined ? members(body!) : [...members(body!), ...DURATIONS],
    ]),
  );
  const tables = interfaces.get('Tables')!;
  return Object.fromEntries(
    tables.map(({ name, type }) => [
      name,
      interfaces
        .get(type)!
        .map((column) => `${column.name}${column.type.includes('null') ? '?' : ''}`)
        .toSorted(),
    ]),
  );
}

function members(body: string): { name: string; type: string }[] {
  return [...body.matchAll(/^ {2}(\w+): (.+);$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));
}

import SqliteHandle from 'better-sqlite3';
import { sql } from 'kysely';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';

let folder: string;
let file: string;
let opened: Database[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sqlite-'));
  file = join(folder, 'data', 'gatehouse.db');
  opened = [];
});

afterEach(async () => {
  for (const db of opened) await db.close();
  rmSync(folder, { recursive: true });
});

async function open(options: { retryForMs?: number } = {}): Promise<Database> {
  const db = await openDatabase({ url: `sqlite:${file}`, ...options });
  opened.push(db);
  return db;
}

async function insert(db: Database, id: string, name = id): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id, name, created_at: 1 }).execute();
  });
}

describe('SQLite database file', () => {
  it('belongs to its owner only, with its folder', async () => {
    const before = process.umask();
    const db = await open();
    await insert(db, 'env_1');
    const modes = [join(folder, 'data'), file, `${file}-wal`, `${file}-shm`].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect(process.umask()).toBe(before);
  });

  it('loses permissions that others had', async () => {
    await (await open()).close();
    chmodSync(file, 0o644);
    await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['secure_delete', 1],
  ])('has %s = %s on both connections', async (pragma, value) => {
    const db = await open();
    await insert(db, 'env_1');
    const onWriter = await db.transaction(async (tx) =>
      sql<Record<string, unknown>>`pragma ${sql.raw(pragma)}`.execute(tx),
    );
    const onReader = await sql<Record<string, unknown>>`pragma ${sql.raw(pragma)}`.execute(db.read);
    expect([...onWriter.rows, ...onReader.rows]).toEqual([{ [pragma]: value }, { [pragma]: value }]);
  });

  it('keeps a write-ahead log', async () => {
    const db = await open();
    const { rows } = await db.transaction(async (tx) => sql`pragma journal_mode`.execute(tx));
    expect(rows).toEqual([{ journal_mode: 'wal' }]);
  });

  it('waits 100 ms for a lock, on both connections', async () => {
    const db = await open();
    const onWriter = await db.transaction(async (tx) => sql`pragma busy_timeout`.execute(tx));
    const onReader = await sql`pragma busy_timeout`.execute(db.read);
    expect([...onWriter.rows, ...onReader.rows]).toEqual([{ timeout: 100 }, { timeout: 100 }]);
  });

  it('locks out other writers from the beginning of a transaction', async () => {
    const db = await open();
    const other = new SqliteHandle(file, { timeout: 0 });
    await db.transaction(async () => {
      expect(() => other.exec('begin immediate')).toThrow('database is locked');
    });
    other.exec('begin immediate');
    other.close();
  });

  it('closes twice without an error', async () => {
    const db = await open();
    await db.close();
    await expect(db.close()).resolves.toBeUndefined();
  });

  it('refuses writes through the reading connection', async () => {
    const db = await open();
    const write = db.read
      .insertInto('environments')
      .values({ id: 'env_1', name: 'x', created_at: 1 })
      .execute();
    await expect(write).rejects.toThrow('Database.read cannot write. Use Database.transaction.');
    await expect(sql`pragma query_only`.execute(db.read)).resolves.toMatchObject({
      rows: [{ query_only: 1 }],
    });
  });

  it('refuses to change or remove audit rows', async () => {
    const db = await open();
    await insert(db, 'env_1');
    await db.transaction(async (tx) => {
      const row = {
        id: 'aud_1',
        environment_id: 'env_1',
        at: 1,
        actor: 'local',
        action: 'x',
        target: 'y',
        ip: '',
      };
      await tx.insertInto('audit').values(row).execute();
    });
    const update = db.transaction(async (tx) => tx.updateTable('audit').set({ actor: 'nobody' }).execute());
    await expect(update).rejects.toThrow('audit is append-only');
    const remove = db.transaction(async (tx) => tx.deleteFrom('audit').execute());
    await expect(remove).rejects.toThrow('audit is append-only');
  });
});

describe('deleted rows of SQLite', () => {
  const secret = 'this-is-a-sealed-secret';
  const isInFiles = () =>
    [file, `${file}-wal`].some((path) => existsSync(path) && readFileSync(path).includes(secret));

  it('disappear from the file (secure_delete)', async () => {
    const db = await open();
    await insert(db, 'env_1', secret);
    expect(isInFiles()).toBe(true);
    await db.transaction(async (tx) => {
      await tx.deleteFrom('environments').execute();
    });
    await db.close();
    opened = [];
    expect(isInFiles()).toBe(false);
  });
});

describe('in-memory database sqlite::memory:', () => {
  it('shares one database between reading and writing, and the reading side cannot write', async () => {
    const db = await openDatabase({ url: 'sqlite::memory:' });
    opened.push(db);
    await insert(db, 'env_1');
    expect(await db.read.selectFrom('environments').select('id').execute()).toEqual([{ id: 'env_1' }]);
    await expect(db.read.deleteFrom('environments').execute()).rejects.toThrow('Database.read cannot write');
  });

  it('creates a new database each time', async () => {
    const first = await openDatabase({ url: 'sqlite::memory:' });
    const second = await openDatabase({ url: 'sqlite::memory:' });
    opened.push(first, second);
    await insert(first, 'env_1');
    expect(await second.read.selectFrom('environments').select('id').execute()).toEqual([]);
  });
});

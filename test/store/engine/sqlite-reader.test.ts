/** Long reads of an SQLite file, which a worker thread runs. */
import { sql } from 'kysely';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';

let folder: string;
let file: string;
let db: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-reader-'));
  file = join(folder, 'gatehouse.db');
  db = await openDatabase({ url: `sqlite:${file}`, smallFileBytes: 0 });
});

afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

async function insert(id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
  });
}

const environments = async () => db.longRead.selectFrom('environments').select('id').orderBy('id').execute();

/** A read that takes some hundred milliseconds. */
const longRead = async () =>
  sql<{ total: number }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000)
    select count(*) as total from n`.execute(db.longRead);

describe('long read of an SQLite file', () => {
  it('leaves the event loop free, for writes too', async () => {
    let turns = 0;
    const reading = longRead();
    await insert('env_meanwhile');
    while ((await Promise.race([reading, turn('waiting')])) === 'waiting') turns += 1;
    expect((await reading).rows).toEqual([{ total: 2_000_000 }]);
    expect(turns).toBeGreaterThan(100);
  });

  it('sees what was committed before it', async () => {
    for (const id of ['env_1', 'env_2', 'env_3']) {
      await insert(id);
      expect((await environments()).at(-1)).toEqual({ id });
    }
  });

  it('decodes columns as every other read does', async () => {
    await insert('env_1');
    await db.transaction(async (tx) =>
      sql`insert into webhooks (id, environment_id, name, url, events, enabled, managed_by, created_at, updated_at)
        values ('icp_1', 'env_1', 'w', 'https://a.example', '["x"]', 1, 'api', 1, 1)`.execute(tx),
    );
    const read = async (from: Database['read']) =>
      from.selectFrom('webhooks').selectAll().where('environment_id', '=', 'env_1').execute();
    expect(await read(db.longRead)).toEqual(await read(db.read));
  });

  it('refuses every statement that writes', async () => {
    await insert('env_1');
    const writing = db.longRead.deleteFrom('environments').where('id', '=', 'env_1').execute();
    await expect(writing).rejects.toThrow('Database.read cannot write. Use Database.transaction.');
    await expect(db.longRead.transaction().execute(async () => 'done')).rejects.toThrow(
      'Database.longRead has no transactions.',
    );
    expect(await environments()).toEqual([{ id: 'env_1' }]);
  });

  it('starts its thread with its first use, and only one', async () => {
    let threads = 0;
    const count = (): void => void (threads += 1);
    process.on('worker', count);
    try {
      await insert('env_1');
      await db.read.selectFrom('environments').select('id').execute();
      expect(threads).toBe(0);
      await Promise.all([environments(), environments(), environments()]);
      expect(threads).toBe(1);
    } finally {
      process.off('worker', count);
    }
  });

  it('needs no thread while the file is small', async () => {
    await db.close();
    db = await openDatabase({ url: `sqlite:${file}`, smallFileBytes: 1_000_000 });
    let threads = 0;
    const count = (): void => void (threads += 1);
    process.on('worker', count);
    try {
      await insert('env_1');
      expect(await environments()).toEqual([{ id: 'env_1' }]);
      expect(threads).toBe(0);
      await insert(`env_${'x'.repeat(2_000_000)}`);
      expect(await environments()).toHaveLength(2);
      expect(threads).toBe(1);
    } finally {
      process.off('worker', count);
    }
  });

  it('ends its thread after a minute without work, and starts another one for the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const threads: Worker[] = [];
    const add = (worker: Worker): void => void threads.push(worker);
    process.on('worker', add);
    try {
      await insert('env_1');
      await environments();
      vi.advanceTimersByTime(59_999);
      await environments();
      vi.advanceTimersByTime(59_999);
      expect(threads).toHaveLength(1);
      const ended = once(threads[0]!, 'exit');
      vi.advanceTimersByTime(1);
      await ended;
      expect(await environments()).toEqual([{ id: 'env_1' }]);
      expect(threads).toHaveLength(2);
    } finally {
      process.off('worker', add);
      vi.useRealTimers();
    }
  });

  it('ends before the database is closed, and is refused afterwards', async () => {
    const reading = longRead();
    await turn();
    await db.close();
    expect((await reading).rows).toEqual([{ total: 2_000_000 }]);
    expect(existsSync(`${file}-wal`)).toBe(false);
    await expect(environments()).rejects.toThrow('The database connection is not open');
  });

  it('answers UNAVAILABLE for a damaged page, and continues with the others', async () => {
    await insert('env_1');
    const { rows } = await sql<{ page: number }>`
      select rootpage as page from sqlite_master where name = 'users'`.execute(db.read);
    await db.close();
    const bytes = readFileSync(file);
    const start = ((rows[0]?.page ?? 0) - 1) * 4096;
    bytes.fill(0x5a, start, start + 4096);
    writeFileSync(file, bytes);
    db = await openDatabase({ url: `sqlite:${file}`, smallFileBytes: 0 });
    const users = sql`select * from users`.execute(db.longRead);
    await expect(users).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The database file is damaged. Its operator has to restore a copy.',
    });
    expect(await environments()).toEqual([{ id: 'env_1' }]);
  });
});

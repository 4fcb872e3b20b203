/** Commits to a large SQLite file: flushed before they are acknowledged, without stopping the event loop. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';

let folder: string;
let file: string;
let db: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-large-'));
  file = join(folder, 'gatehouse.db');
  db = await openDatabase({ url: `sqlite:${file}`, smallFileBytes: 0 });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await db.close();
  rmSync(folder, { recursive: true });
});

async function insert(id: string, name = id): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id, name, created_at: 1 }).execute();
  });
}

const count = async () => (await db.read.selectFrom('environments').select('id').execute()).length;

/** What the operating system is asked to write to the disk, and answers as the test says. */
async function onFlush(answer: () => Promise<void>) {
  const handle = await open(file);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  return vi.spyOn(prototype, 'datasync').mockImplementation(answer);
}

describe('commit to a large SQLite file', () => {
  it('waits for its flush, and leaves the event loop free until then', async () => {
    const flushed = Promise.withResolvers<void>();
    const flush = await onFlush(async () => flushed.promise);
    let isAcknowledged = false;
    const writing = insert('env_1').then(() => (isAcknowledged = true));
    await vi.waitFor(() => expect(flush).toHaveBeenCalledOnce());
    for (let n = 0; n < 10; n++) await turn();
    expect([isAcknowledged, await count()]).toEqual([false, 1]);
    flushed.resolve();
    await writing;
  });

  it('begins after the flush of the one before it', async () => {
    const flushed = Promise.withResolvers<void>();
    const flush = await onFlush(async () => flushed.promise);
    const writing = [insert('env_1'), insert('env_2')];
    await vi.waitFor(() => expect(flush).toHaveBeenCalledOnce());
    await turn();
    expect(await count()).toBe(1);
    flushed.resolve();
    await Promise.all(writing);
    expect([await count(), flush.mock.calls.length]).toEqual([2, 2]);
  });

  it('fails with UNAVAILABLE if the disk does not take it', async () => {
    await onFlush(async () => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    });
    await expect(insert('env_1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('goes from the log into the file in the thread, without waiting', async () => {
    const before = statSync(file).size;
    for (let n = 0; n < 30; n++) await insert(`env_${n}`, String(n).padEnd(800_000, '.'));
    await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(before + 20_000_000), 20_000);
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db.read);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
  });
});

import { sql } from 'kysely';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { startChild } from '../../support/child.ts';
import { ROUNDS } from '../../support/rounds.ts';

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

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => expect.fail('expected a failure'),
    (error: unknown) => error as ServiceError,
  );
}

describe('damaged SQLite database file', () => {
  it('stops the start when it is another kind of file, which stays unchanged', async () => {
    file = join(folder, 'notes.txt');
    const text = 'These are my notes. '.repeat(200);
    writeFileSync(file, text);
    await expect(open()).rejects.toThrow(
      `${file} is not an SQLite database, or it is damaged. Nothing was changed in it. ` +
        'Restore a copy, or name another file with GATEHOUSE_DATABASE_URL.',
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('stops the start when pages are missing', async () => {
    await (await open()).close();
    truncateSync(file, 4096 * 7);
    await expect(open()).rejects.toThrow('it is damaged');
  });

  it('stops the start when its first page is overwritten', async () => {
    await (await open()).close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 0, 4096);
    writeFileSync(file, bytes);
    await expect(open()).rejects.toThrow('it is damaged');
  });

  it('stops the start when the path is a folder', async () => {
    file = folder;
    await expect(open()).rejects.toThrow(`The database ${folder} cannot be opened: `);
  });
});

describe('SQLite database on a full disk', () => {
  it('answers UNAVAILABLE, keeps reading, and recovers by itself', async () => {
    const db = await open();
    await insert(db, 'env_1');
    const limit = async (pages: number) =>
      db.transaction(async (tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx));
    await limit(1); // SQLite takes the present size instead
    const fill = async () => {
      for (let i = 2; i < 100; i++) await insert(db, `env_${i}`, `${i}`.padEnd(4000, 'x'));
    };
    const error = await failure(fill());
    expect([error.code, error.status, error.retryAfterSeconds, error.message]).toEqual([
      'UNAVAILABLE',
      503,
      30,
      'The disk of the database is full. Nothing was stored; make room and try again.',
    ]);
    const readable = await db.read
      .selectFrom('environments')
      .select('id')
      .where('id', '=', 'env_1')
      .execute();
    expect(readable).toEqual([{ id: 'env_1' }]);
    await limit(1_000_000);
    await insert(db, 'env_recovered');
    const { rows } = await sql`pragma integrity_check`.execute(db.read);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
  });
});

describe('SQLite database locked by another process', () => {
  const HOLD_LOCK = join(import.meta.dirname, '../children/hold-lock.ts');

  it('answers UNAVAILABLE after the given time, while reads and more patient writers go on', async () => {
    const [patient, hasty] = [await open({ retryForMs: 120_000 }), await open({ retryForMs: 400 })];
    await insert(patient, 'env_1');
    const child = startChild(HOLD_LOCK, [file]);
    await child.line('locked');

    let settled = 0;
    const waiting = Array.from({ length: 20 }, async (_, i) =>
      insert(patient, `env_late_${i}`).finally(() => (settled += 1)),
    );
    for (const round of ['a', 'b']) {
      const started = performance.now();
      const refused = Array.from({ length: 20 }, async (_, i) => failure(insert(hasty, `${round}_${i}`)));
      for (let n = 0; n < 20; n++) {
        await turn();
        expect(await patient.read.selectFrom('environments').select('id').execute()).toEqual([
          { id: 'env_1' },
        ]);
      }
      const errors = await Promise.all(refused);
      expect(performance.now() - started).toBeGreaterThan(350);
      expect(
        new Set(errors.map((error) => `${error.code} ${error.status} ${error.retryAfterSeconds}`)),
      ).toEqual(new Set(['UNAVAILABLE 503 1']));
    }
    expect(settled).toBe(0);

    child.process.stdin.write('go\n');
    await Promise.all(waiting);
    await child.ended;
    await insert(hasty, 'env_after');
    const rows = await hasty.read.selectFrom('environments').select('id').execute();
    expect(rows).toHaveLength(22);
    expect(rows).toContainEqual({ id: 'env_after' });
  });

  it.runIf(ROUNDS.full)('never stops the event loop for more than 250 ms', { retry: 4 }, async () => {
    const db = await open({ retryForMs: 1_000 });
    const unlocked = watchEventLoop();
    await Promise.all(Array.from({ length: 20 }, async (_, i) => insert(db, `env_${i}`)));
    const usual = unlocked.stop();
    const child = startChild(HOLD_LOCK, [file]);
    await child.line('locked');

    const loop = watchEventLoop();
    const started = performance.now();
    await Promise.all(Array.from({ length: 20 }, async (_, i) => failure(insert(db, `env_late_${i}`))));
    const tookMs = performance.now() - started;
    const longest = loop.stop();
    child.process.stdin.write('go\n');
    await child.ended;
    expect(longest).toBeLessThan(Math.max(250, 100 + 3 * usual));
    // One after the other they would take 20 s.
    expect(tookMs).toBeLessThan(5_000);
  });
});

/** `stop()` gives the longest time, in milliseconds, that the event loop did not get to a timer. */
function watchEventLoop(): { stop: () => number } {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

/** What a process that serves does about a database file that the last one did not close. */
import { sql } from 'kysely';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startFileCheck, type RunningFileCheck } from '../../../src/app/serve/file-check.ts';
import { readinessCheck } from '../../../src/app/serve/readiness-check.ts';
import { silentLog, type LogFields } from '../../../src/core/log.ts';
import type { OpenedDatabase } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { testServices } from '../../support/services.ts';

let folder: string;
let lines: [event: string, fields: LogFields | undefined][];
let closing: (() => Promise<void>)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-file-check-'));
  lines = [];
  closing = [];
});

afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

async function open(file: string): Promise<OpenedDatabase> {
  const db = await openDatabase({ url: `sqlite:${file}` });
  closing.push(async () => db.close());
  return db;
}

/** The files of a database at the moment at which its process is killed. */
async function leftOpen(): Promise<string> {
  const [file, left] = [join(folder, 'gatehouse.db'), join(folder, 'left', 'gatehouse.db')];
  const db = await open(file);
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id: 'env_1', name: 'env_1', created_at: 1 }).execute();
  });
  mkdirSync(join(folder, 'left'));
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, left + suffix);
  return left;
}

/** Overwrites the first page of the table of users. */
async function damage(file: string): Promise<void> {
  const db = await openDatabase({ url: `sqlite:${file}` });
  const { rows } = await sql<{ page: number }>`
    select rootpage as page from sqlite_master where name = 'users'`.execute(db.read);
  await db.close();
  const bytes = readFileSync(file);
  const start = ((rows[0]?.page ?? 0) - 1) * 4096;
  bytes.fill(0x5a, start, start + 4096);
  writeFileSync(file, bytes);
}

function started(db: OpenedDatabase): RunningFileCheck {
  const tell = (event: string, fields?: LogFields): void => void lines.push([event, fields]);
  const check = startFileCheck({
    checkFile: async (signal) => db.checkFile(signal),
    log: { ...silentLog, info: tell, warn: tell, error: tell },
  });
  closing.push(async () => check.stop());
  return check;
}

/** Ends when the check of this start has said something. */
const outcome = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitUntil(() => lines.length > 0, { timeout: 60_000 });
};

describe('check of an SQLite file', () => {
  it('runs after an end without closing, a second after the start, and not again', async () => {
    const file = await leftOpen();
    const db = await open(file);
    const check = started(db);
    await vi.advanceTimersByTimeAsync(999);
    expect(lines).toEqual([]);
    await outcome();
    expect(lines).toEqual([['database_checked', { path: file, duration_ms: expect.any(Number) }]]);
    expect(check.foundDamage()).toBe(false);
    expect(await db.checkFile(new AbortController().signal)).toBeUndefined();
  });

  it('waits for a process that serves if a command opened the file first', async () => {
    const file = await leftOpen();
    await (await openDatabase({ url: `sqlite:${file}` })).close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    started(await open(file));
    await outcome();
    expect(lines.map(([event]) => event)).toEqual(['database_checked']);
  });

  it.each([
    ['a clean end', async (file: string) => (await openDatabase({ url: `sqlite:${file}` })).close()],
    ['another process that has it open', async (file: string) => void (await open(file))],
    ['a new file', async () => {}],
  ])('reads nothing after %s', async (_name, before) => {
    const file = join(folder, 'gatehouse.db');
    await before(file);
    const db = await open(file);
    expect(await db.checkFile(new AbortController().signal)).toBeUndefined();
  });

  it('makes a server with a damaged file unready while it continues serving', async () => {
    const file = await leftOpen();
    await damage(file);
    const db = await open(file);
    const check = started(db);
    const services = await testServices();
    const settings = { executions: { areRequired: false } };
    const parts = { ...services, settings, noteSchema: () => {} };
    const ready = readinessCheck(parts, check, () => false);
    await ready();
    await outcome();
    expect(lines).toEqual([
      [
        'database_damaged',
        { path: file, duration_ms: expect.any(Number), message: expect.stringMatching(/page|malformed/) },
      ],
    ]);
    await expect(ready()).rejects.toThrow('The database file is damaged.');
    const environments = await db.read.selectFrom('environments').select('id').execute();
    expect(environments).toEqual([{ id: 'env_1' }]);
  });

  it('runs at every start until it finds nothing', async () => {
    const file = await leftOpen();
    await damage(file);
    for (let start = 0; start < 2; start++) {
      const db = await openDatabase({ url: `sqlite:${file}` });
      expect(await db.checkFile(new AbortController().signal)).toMatchObject({ isSound: false });
      await db.close();
    }
  });

  it('ends at once with the process, and is due at the next start', async () => {
    const file = await leftOpen();
    const db = await open(file);
    const check = started(db);
    await vi.advanceTimersByTimeAsync(1_000);
    await check.stop();
    expect(lines).toEqual([]);
    expect(await db.checkFile(new AbortController().signal)).toMatchObject({ isSound: true });
  });

  it('logs why it could not be made, and leaves the server ready', async () => {
    const failure = new Error('no process can be started');
    const check = startFileCheck({
      checkFile: () => Promise.reject(failure),
      log: { ...silentLog, warn: (event, fields) => void lines.push([event, fields]) },
    });
    await outcome();
    expect(lines).toEqual([['database_check_failed', { err: failure }]]);
    expect(check.foundDamage()).toBe(false);
  });
});

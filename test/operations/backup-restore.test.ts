import SqliteHandle from 'better-sqlite3';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/operations/backup.ts';
import { restore, type RestoreResult } from '../../src/operations/restore.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { InstallationStore } from '../../src/store/installation/installation-store.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { KeyRing } from '../../src/vault/key-ring.ts';
import { Vault } from '../../src/vault/vault.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 1) };
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 2) };
const REPLACED = 'gatehouse.db.replaced-2026-11-20T120000.000Z';

let folder: string;
let database: string;
let file: string;
let opened: Database[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
  database = join(folder, 'data', 'gatehouse.db');
  file = join(folder, 'copy.db');
  opened = [];
});
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});

/** A process that uses the database, as a server does. */
async function open(): Promise<Database> {
  const db = await openDatabase({ url: `sqlite:${database}`, retryForMs: 1_000 });
  opened.push(db);
  return db;
}

async function closeAll(): Promise<void> {
  for (const db of opened.splice(0)) await db.close();
}

async function install(db: Database, key = k1): Promise<void> {
  const value = await new Vault([key]).seal(
    { table: 'installation', row: 'key_check', column: 'value' },
    'x',
  );
  await db.transaction(async (tx) => new InstallationStore(tx).setIfAbsent('key_check', value));
}

async function addEnvironment(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
  });
}

function environments(path: string): string[] {
  const handle = new SqliteHandle(path, { readonly: true });
  const rows = handle.prepare('select id from environments order by id').all() as { id: string }[];
  handle.close();
  return rows.map(({ id }) => id);
}

describe('backup of the database', () => {
  const back = async (force = false) =>
    backUp({ database, keyFile: join(folder, 'master.key'), file, force });

  it('writes one checked file for its owner only, while a process writes', async () => {
    const db = await open();
    await install(db);
    await addEnvironment(db, 'env_1');
    const over = new AbortController();
    const writing = (async () => {
      for (let i = 2; !over.signal.aborted; i++) {
        await addEnvironment(db, `env_${i}`);
        await nextTurn();
      }
    })();
    const result = await back();
    over.abort();
    await writing;
    expect(result).toEqual({ file, bytes: statSync(file).size, key_ids: ['k1'] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(environments(file)).toContain('env_1');
    expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'data']);
  });

  it('copies one state in several steps, however often others write meanwhile', async () => {
    const db = await open();
    await install(db);
    const large = 3_000;
    await db.transaction(async (tx) => {
      for (let n = 0; n < large; n++) {
        const row = { id: `env_large_${n}`, name: String(n).padEnd(4_000, '.'), created_at: 1 };
        await tx.insertInto('environments').values(row).execute();
      }
    });
    const copying = back();
    let written = 0;
    while ((await Promise.race([copying, nextTurn('copying')])) === 'copying')
      await addEnvironment(db, `env_${(written += 1)}`);
    const copied = environments(file).length - large;
    expect(copied).toBeGreaterThanOrEqual(0);
    expect(copied).toBeLessThan(written);
  });

  it('includes the content of the write-ahead log', async () => {
    const db = await open();
    await install(db);
    await addEnvironment(db, 'env_1');
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
    await back();
    expect(environments(file)).toEqual(['env_1']);
  });

  it('names every key id that its values are sealed with, without any key', async () => {
    const db = await open();
    await install(db, k2);
    await addEnvironment(db, 'env_1');
    const place = { table: 'signing_secrets', row: 'sec_1', column: 'secret_sealed' };
    const secret = { secret_sealed: await new Vault([k1]).seal(place, 's'), created_at: 1, expires_at: null };
    await db.transaction(async (tx) => {
      const row = { id: 'sec_1', environment_id: 'env_1', ...secret };
      await tx.insertInto('signing_secrets').values(row).execute();
    });
    expect((await back()).key_ids).toEqual(['k1', 'k2']);
  });

  it('overwrites no file, unless asked to', async () => {
    await install(await open());
    writeFileSync(file, 'precious');
    await expect(back()).rejects.toThrow(
      `There is a file ${file} already. Name another one, or give --force to replace it.`,
    );
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await back(true);
    expect(environments(file)).toEqual([]);
  });

  it.each([
    ['the database', 'data/gatehouse.db'],
    ['its write-ahead log', 'data/gatehouse.db-wal'],
    ['the database by another name', 'link.db'],
    ['the key file', 'master.key'],
    ['another database in use', 'other.db'],
  ])('never replaces %s with a backup', async (_, name) => {
    const db = await open();
    await install(db);
    await addEnvironment(db, 'env_1');
    symlinkSync(database, join(folder, 'link.db'));
    for (const other of ['master.key', 'other.db', 'other.db-wal']) writeFileSync(join(folder, other), 'x');
    file = join(folder, name);
    const before = statSync(file).ino;
    await expect(back(true)).rejects.toThrow(`${file} is the database itself, a file that belongs to it`);
    expect(statSync(file).ino).toBe(before);
    await addEnvironment(db, 'env_2');
    expect(environments(database)).toEqual(['env_1', 'env_2']);
  });

  it.each<[string, () => void | Promise<void>, string]>([
    ['there is no database', () => {}, 'There is no database at'],
    ['the database is something else', () => scribble(), 'is not an SQLite database, or it is damaged'],
    ['a page of it is overwritten', async () => damage(), 'is not an SQLite database, or it is damaged'],
    ['it is not one of Gatehouse', () => foreign(), 'is an SQLite database, but not one of Gatehouse'],
    [
      'its folder does not exist',
      async () => leaveFolder(),
      'copy.db cannot be written: there is no folder /',
    ],
  ])('fails without a file when %s', async (_what, prepare, message) => {
    await prepare();
    await expect(back()).rejects.toThrow(message);
    expect(readdirSync(folder).filter((name) => name !== 'data')).toEqual([]);
  });

  async function damage(): Promise<void> {
    await install(await open());
    await closeAll();
    overwritePage(database);
  }

  async function leaveFolder(): Promise<void> {
    await install(await open());
    file = join(folder, 'nowhere', 'copy.db');
  }
});

describe('restore of a backup', () => {
  const bring = async (keys: KeyRing = [k1], force = false): Promise<RestoreResult> =>
    restore({ file, database, keys, clock: fixedClock(), force });

  /** A backup with env_1, and a database that has gone on to env_2; nobody has it open. */
  beforeEach(async () => {
    const db = await open();
    await install(db);
    await addEnvironment(db, 'env_1');
    await backUp({ database, keyFile: join(folder, 'master.key'), file, force: false });
    await addEnvironment(db, 'env_2');
    await closeAll();
  });

  it('replaces the database with the backup and keeps the old one next to it', async () => {
    expect(await bring()).toEqual({ database, replaced: join(folder, 'data', REPLACED) });
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual(['gatehouse.db', REPLACED]);
    expect(environments(database)).toEqual(['env_1']);
    expect(environments(join(folder, 'data', REPLACED))).toEqual(['env_1', 'env_2']);
    expect(statSync(database).mode & 0o777).toBe(0o600);
    await addEnvironment(await open(), 'env_3');
  });

  it('fills an empty place, and creates the folder', async () => {
    rmSync(join(folder, 'data'), { recursive: true });
    expect(await bring()).toEqual({ database, replaced: null });
    expect(environments(database)).toEqual(['env_1']);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  });

  it('keeps what a killed process left in the write-ahead log', async () => {
    const db = await open();
    await addEnvironment(db, 'env_3');
    for (const name of ['', '-wal']) copyFileSync(database + name, join(folder, `left${name}`));
    await closeAll();
    for (const name of ['', '-wal']) copyFileSync(join(folder, `left${name}`), database + name);
    await bring();
    expect(environments(join(folder, 'data', REPLACED))).toEqual(['env_1', 'env_2', 'env_3']);
    expect(environments(database)).toEqual(['env_1']);
  });

  it('puts aside a write-ahead log without its database: it would be applied to the new one', async () => {
    const db = await open();
    await addEnvironment(db, 'env_3');
    copyFileSync(`${database}-wal`, join(folder, 'left-wal'));
    await closeAll();
    rmSync(database);
    copyFileSync(join(folder, 'left-wal'), `${database}-wal`);
    await bring();
    expect(environments(database)).toEqual(['env_1']);
    expect(existsSync(join(folder, 'data', `${REPLACED}-wal`))).toBe(true);
  });

  it('refuses while a process has the database open, however idle it is', async () => {
    const db = await open();
    await expect(bring()).rejects.toThrow(
      `A process has the database ${database} open. Stop every gatehouse process, "gatehouse mcp" of desktop clients too, then run this again. Nothing was changed.`,
    );
    await addEnvironment(db, 'env_3');
    await closeAll();
    unchanged(['env_1', 'env_2', 'env_3']);
  });

  it.each<[string, KeyRing, string]>([
    ['another key', [k2], 'its secrets are sealed with the key k1, which was not given'],
    ['other bytes under the id', [{ id: 'k1', bytes: k2.bytes }], 'does not open what is stored'],
  ])('refuses a backup with %s', async (_what, keys, message) => {
    await expect(bring(keys)).rejects.toThrow(message);
    unchanged();
  });

  it('refuses a backup from the middle of a rotation when one of its keys is missing', async () => {
    const handle = new SqliteHandle(file);
    const place = { table: 'signing_secrets', row: 'sec_1', column: 'secret_sealed' };
    handle
      .prepare("insert into signing_secrets values ('sec_1', 'env_1', ?, 1, null)")
      .run(await new Vault([k2]).seal(place, 's'));
    handle.close();
    await expect(bring()).rejects.toThrow(
      `${file} holds secrets sealed with keys that were not given: k2. Add them to the master keys. Nothing was changed.`,
    );
    unchanged();
    await bring([k1, k2]);
  });

  it.each([
    ['there is none', () => rmSync(file), 'There is no database at'],
    ['it is something else', () => writeFileSync(file, 'text '.repeat(2_000)), 'is not an SQLite database'],
    ['a page of it is overwritten', () => overwritePage(file), 'is not an SQLite database, or it is damaged'],
    ['it is not one of Gatehouse', () => foreign(file), 'but not one of Gatehouse'],
    [
      'it has no key check value',
      () => change("delete from installation where key = 'key_check'"),
      'no key check',
    ],
    [
      'only a newer program may use it',
      () => change("update installation set value = '99.0.0' where key = 'compatible_from'"),
      'The database needs Gatehouse 99.0.0 or later',
    ],
    [
      'it was copied with its log',
      () => writeFileSync(`${file}-wal`, 'x'),
      'has a write-ahead log next to it',
    ],
  ])('refuses a backup when %s', async (_what, prepare, message) => {
    prepare();
    await expect(bring()).rejects.toThrow(message);
    unchanged();
  });

  it('accepts a backup from before a table with secrets was added', async () => {
    change('drop table signing_secrets');
    await bring();
    expect(environments(database)).toEqual(['env_1']);
  });

  it('replaces a damaged database only when asked to', async () => {
    scribble();
    await expect(bring()).rejects.toThrow(
      `${database} is damaged, so it cannot be told whether a process has it open. Stop every gatehouse process, then give --force. Nothing was changed.`,
    );
    expect(readFileSync(database, 'utf8')).toContain('scribble');
    await bring([k1], true);
    expect(environments(database)).toEqual(['env_1']);
    expect(readFileSync(join(folder, 'data', REPLACED), 'utf8')).toContain('scribble');
  });

  function change(statement: string): void {
    const handle = new SqliteHandle(file);
    handle.exec(statement);
    handle.close();
  }

  function unchanged(expected = ['env_1', 'env_2']): void {
    expect(readdirSync(join(folder, 'data'))).toEqual(['gatehouse.db']);
    expect(environments(database)).toEqual(expected);
  }
});

function scribble(path = database): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'scribble '.repeat(1_000));
}

function overwritePage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 3, 4096 * 4);
  writeFileSync(path, bytes);
}

/** Another program's database. */
function foreign(path = database): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const handle = new SqliteHandle(path);
  handle.exec('create table theirs (a)');
  handle.close();
}

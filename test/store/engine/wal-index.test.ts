/** What SQLite's WAL index says of writes, compared with SQLite itself. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WalIndex } from '../../../src/store/engine/wal-index.ts';

describe('version of an SQLite database', () => {
  let folder: string;
  let path: string;
  let writer: SqliteHandle.Database;
  let index: WalIndex;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-wal-'));
    path = join(folder, 'gatehouse.db');
    writer = new SqliteHandle(path);
    writer.pragma('journal_mode = wal');
    writer.exec('create table notes (text)');
    index = new WalIndex(path);
  });
  afterEach(() => {
    writer.close();
    index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stays the same while nobody writes to the file', () => {
    const before = index.version();
    writer.prepare('select * from notes').all();
    expect(index.version()).toBe(before);
  });

  it('changes with every commit, and with none that was rolled back', () => {
    const seen = new Set([index.version()]);
    for (let note = 0; note < 3; note++) {
      writer.exec(`insert into notes values ('${note}')`);
      seen.add(index.version());
    }
    expect(seen.size).toBe(4);
    writer.exec(`begin; insert into notes values ('lost'); rollback`);
    expect(seen).toContain(index.version());
  });

  it('changes with the first commit after the log was emptied', () => {
    writer.exec(`insert into notes values ('first')`);
    const before = index.version();
    writer.pragma('wal_checkpoint(truncate)');
    writer.exec(`insert into notes values ('second')`);
    expect(index.version()).not.toBe(before);
  });

  it('counts the pages that a checkpoint would carry into the file, and none after it', () => {
    writer.exec(`insert into notes values ('${'long '.repeat(2_000)}')`);
    expect(index.pagesToCarry()).toBeGreaterThanOrEqual(4);
    writer.pragma('wal_checkpoint(passive)');
    expect(index.pagesToCarry()).toBe(0);
  });

  it('leaves the locks of the process alone when one of several users closes', () => {
    const other = new WalIndex(path);
    const reader = new SqliteHandle(path);
    reader.exec('begin');
    reader.prepare('select * from notes').all();
    writer.exec(`insert into notes values ('unseen')`);
    other.close();
    // The log cannot be emptied as long as somebody reads an older state of it.
    expect(writer.pragma('wal_checkpoint(truncate)')).toMatchObject([{ busy: 1 }]);
    reader.close();
  });

  it('follows a symbolic link to its file', () => {
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    const linked = new WalIndex(link);
    expect(linked.version()).toBe(index.version());
    linked.close();
  });
});

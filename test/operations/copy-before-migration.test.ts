import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyBeforeMigration } from '../../src/operations/copy-before-migration.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { makeOlderTables } from '../support/older-tables.ts';

let folder: string;
let database: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-copy-'));
  database = join(folder, 'gatehouse.db');
  await makeOlderTables(`sqlite:${database}`, 3);
});

afterEach(() => rmSync(folder, { recursive: true }));

const copied = async (free: number): Promise<string> =>
  copyBeforeMigration({
    database,
    keyFile: join(folder, 'master.key'),
    version: 3,
    clock: fixedClock(),
    freeBytes: () => free,
  });

describe('backup before a migration', () => {
  it('lies next to the database, and names its schema version', async () => {
    const file = `${database}.version-3-2026-11-20T120000.000Z`;
    expect(await copied(1e9)).toBe(file);
    expect(readdirSync(folder)).toContain('gatehouse.db.version-3-2026-11-20T120000.000Z');
  });

  it('needs room for a second file, and names --no-copy where there is none', async () => {
    await expect(copied(200_000)).rejects.toThrow(
      /^The database cannot be copied before the migration: there is no room: it needs 0\.\d MB, and 0\.2 MB are free\. Make room, or run "gatehouse migrate --no-copy" if you have a backup in another place\. Nothing was changed\.$/,
    );
    expect(readdirSync(folder)).toEqual(['gatehouse.db']);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App, Keys } from '../../../src/cli/terminal/app.ts';
import { emptyFolder, gatehouse } from '../cli-support.ts';

const unreadable = {
  table: 'accounts',
  id: 'ca_1',
  column: 'credentials_sealed',
  reason: 'damaged',
  key_id: 'k1',
} as const;

function keys(services: Partial<Keys>): { app: Partial<App>; closed: () => number } {
  let closed = 0;
  const openKeys = async (): Promise<Keys> =>
    ({
      keyFile: '/data/master.key',
      close: async () => {
        closed += 1;
      },
      ...services,
    }) as Keys;
  return { app: { openKeys }, closed: () => closed };
}

describe('gatehouse keys rotate', () => {
  const rotation = { made: true, first_key: 'k2', resealed: 7, unreadable: [] };

  it('prints the new key and the next step', async () => {
    const { app, closed } = keys({ rotate: async () => rotation });
    const { code, stdout, stderr } = await gatehouse(['keys', 'rotate'], { app });
    expect([code, stdout]).toEqual([0, 'The new key k2 is in use. Secrets sealed again: 7.\n']);
    expect(stderr).toContain('Back up /data/master.key now.');
    expect(closed()).toBe(1);
  });

  it('reports that it completed an interrupted rotation', async () => {
    const { app } = keys({ rotate: async () => ({ ...rotation, made: false }) });
    const { stdout } = await gatehouse(['keys', 'rotate'], { app });
    expect(stdout).toBe(
      'No new key was made: the rotation to k2 was not complete, and now is. Secrets sealed again: 7.\n',
    );
  });

  it('explains how to change keys in the environment', async () => {
    const done = { ...rotation, made: false, resealed: 0 };
    const { app } = keys({ keyFile: undefined, rotate: async () => done });
    const { code, stdout, stderr } = await gatehouse(['keys', 'rotate'], { app });
    expect([code, stdout]).toEqual([
      0,
      'No new key was made: the first key is k2, and everything is sealed with it. Secrets sealed again: 0.\n',
    ]);
    expect(stderr).toContain('put a new key first, restart every process, and run this again');
  });

  it('reports values that do not open, as exit code 1', async () => {
    const { app } = keys({ rotate: async () => ({ ...rotation, unreadable: [unreadable] }) });
    const { code, stdout } = await gatehouse(['keys', 'rotate'], { app });
    expect([code, stdout]).toEqual([
      1,
      'The new key k2 is in use. Secrets sealed again: 7.\n' +
        'Cannot be opened: table accounts, row ca_1, column credentials_sealed: it is damaged, key k1.\n',
    ]);
  });

  it('prints one line of progress for a thousand secrets', async () => {
    const { app } = keys({
      rotate: async (progress) => {
        for (const count of [100, 900, 1_000, 1_100, 2_050]) progress?.(count);
        return rotation;
      },
    });
    const { stderr } = await gatehouse(['keys', 'rotate'], { app });
    expect(stderr.match(/Sealed \d+ secrets again/g)).toEqual([
      'Sealed 1000 secrets again',
      'Sealed 2050 secrets again',
    ]);
  });
});

describe('gatehouse keys rotate --remove-old', () => {
  const removal = { first_key: 'k2', resealed: 0, removed: ['k1'], kept: [], unreadable: [] };

  it('asks before it removes a key, and removes none without an answer', async () => {
    const { app } = keys({});
    const { code, stderr } = await gatehouse(['keys', 'rotate', '--remove-old'], { app });
    expect([code, stderr]).toEqual([2, expect.stringContaining('give --yes') as string]);
  });

  it('names the keys that it removed', async () => {
    const { app } = keys({ removeOld: async () => removal });
    const { code, stdout } = await gatehouse(['keys', 'rotate', '--remove-old', '--yes'], { app });
    expect([code, stdout]).toEqual([0, 'Removed from /data/master.key: k1.\n']);
  });

  it('names the keys that are still needed, as exit code 1', async () => {
    const kept = [{ id: 'k1', values: 3 }];
    const { app } = keys({ removeOld: async () => ({ ...removal, removed: [], kept }) });
    const { code, stdout } = await gatehouse(['keys', 'rotate', '--remove-old', '--yes'], { app });
    expect([code, stdout]).toEqual([
      1,
      'No key was removed.\nk1 is still needed: secrets sealed with it: 3.\n',
    ]);
  });

  it('only names the removable keys when the environment gives them', async () => {
    const { app } = keys({ keyFile: undefined, removeOld: async () => ({ ...removal, removed: [] }) });
    const { stdout } = await gatehouse(['keys', 'rotate', '--remove-old'], { app });
    expect(stdout).toContain('Every key but k2 that is not named below can be taken out of it.');
  });
});

describe('gatehouse keys verify', () => {
  const report = {
    first_key: 'k2',
    keys: [
      { id: 'k2', values: 12 },
      { id: 'k1', values: 3 },
    ],
    unreadable: [],
  };

  it('counts sealed values by key', async () => {
    const { app } = keys({ verify: async () => report });
    const { code, stdout } = await gatehouse(['keys', 'verify'], { app });
    expect([code, stdout]).toEqual([0, 'ID  VALUES  USED\nk2  12      seals\nk1  3       opens\n']);
  });

  it('prints everything as JSON, and ends with exit code 1 when a value does not open', async () => {
    const found = { ...report, unreadable: [unreadable] };
    const { app } = keys({ verify: async () => found });
    const { code, stdout } = await gatehouse(['keys', 'verify', '--json'], { app });
    expect([code, JSON.parse(stdout)]).toEqual([1, found]);
  });
});

describe('gatehouse backup and restore', () => {
  const postgres = { terminal: { env: { GATEHOUSE_DATABASE_URL: 'postgres://db.example/gatehouse' } } };

  it.each([
    ['backup', 'Use pg_dump'],
    ['restore', 'Use pg_restore'],
  ])('refuses Postgres in favor of its own tools, as exit code 2: %s', async (command, message) => {
    const { code, stderr } = await gatehouse([command, 'copy.db'], postgres);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
  });

  it('copies to a path relative to the working folder, and prints where the keys are', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'work', 'copy.db');
    const backUp: App['backUp'] = async (options) => ({ file: options.file, bytes: 4096, key_ids: ['k1'] });
    const env = { GATEHOUSE_DATA_DIR: '/data' };
    const { code, stdout, stderr } = await gatehouse(['backup', 'copy.db'], {
      app: { backUp },
      folder,
      terminal: { env },
    });
    expect([code, stdout]).toEqual([0, `${file}: 4096 bytes, checked. Sealed with: k1.\n`]);
    expect(stderr).toContain('They are in /data/master.key: keep a copy of them in another place.');
  });

  it('asks nothing about a backup that does not exist', async () => {
    const folder = emptyFolder();
    const { code, stderr } = await gatehouse(['restore', 'copy.db'], { folder });
    const file = join(folder, 'work', 'copy.db');
    expect([code, stderr]).toEqual([1, `gatehouse: There is no database at ${file}.\n`]);
  });

  it.each([
    ['/data/gatehouse.db.replaced-1', '/data/gatehouse.db is the backup'],
    [null, '/data/gatehouse.db is the backup'],
  ])('names the database that was replaced: %s', async (replaced, message) => {
    const restore: App['restore'] = async () => ({ database: '/data/gatehouse.db', replaced });
    const folder = emptyFolder();
    writeFileSync(join(folder, 'work', 'copy.db'), '');
    const { code, stdout } = await gatehouse(['restore', 'copy.db', '--yes'], { app: { restore }, folder });
    expect(code).toBe(0);
    expect(stdout).toContain(message);
    expect(stdout.includes('The previous database is now')).toBe(replaced !== null);
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { app } from '../../../src/cli/terminal/app.ts';
import { makeOlderTables } from '../../support/older-tables.ts';
import { emptyFolder, gatehouse, type CommandResult } from '../cli-support.ts';

let folder: string;
let data: string;
let file: string;

beforeEach(() => {
  folder = emptyFolder();
  data = join(folder, 'data');
  mkdirSync(data);
  file = join(data, 'gatehouse.db');
});

afterEach(() => vi.unstubAllEnvs());

async function migrate(...argv: string[]): Promise<CommandResult> {
  const terminal = { env: { GATEHOUSE_DATA_DIR: data } };
  return gatehouse(['migrate', ...argv], { app: { migrate: app.migrate }, folder, terminal });
}

async function answer(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await migrate(...argv, '--json');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^[\w ]+ …\n$/)]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const older = async (): Promise<void> => makeOlderTables(`sqlite:${file}`, 12);

describe('gatehouse migrate', () => {
  it('brings the tables up to date, after a copy for their owner only', async () => {
    await older();
    const done = await answer();
    expect(done).toMatchObject({
      from: 12,
      dry_run: false,
      duration_ms: expect.any(Number),
      statements: expect.arrayContaining([
        {
          version: 13,
          statement: 'alter table webhook_deliveries add column account_id text',
          table: 'webhook_deliveries',
          rows: 0,
        },
      ]),
    });
    const [copy = ''] = readdirSync(data).filter((name) => name.includes('.version-'));
    expect(copy).toMatch(/^gatehouse\.db\.version-12-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/);
    expect([done['copy'], statSync(join(data, copy)).mode & 0o777]).toEqual([join(data, copy), 0o600]);
    expect(await answer()).toMatchObject({ from: done['to'], copy: null, duration_ms: null, statements: [] });
  });

  it('makes no copy with --no-copy', async () => {
    await older();
    expect(await answer('--no-copy')).toMatchObject({ copy: null, duration_ms: expect.any(Number) });
    expect(readdirSync(data)).toEqual(['gatehouse.db']);
  });

  it('changes nothing with --dry-run, and lists the statements with the rows of their tables', async () => {
    await older();
    const before = readFileSync(file);
    const { code, stdout, stderr } = await migrate('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^VERSION {2}ROWS {2}STATEMENT\n13 {7}0 {5}alter table webhook_deliveries add column/,
    );
    expect(stderr).toMatch(/from schema version 12 to \d+, in about 1 s at most\. Nothing was changed\.\n$/);
    expect([readFileSync(file).equals(before), readdirSync(data)]).toEqual([true, ['gatehouse.db']]);
  });

  it('makes the tables of a new database, and without --dry-run only', async () => {
    vi.stubEnv('GATEHOUSE_TEST_EMPTY_DATABASES', 'true');
    expect(await answer('--dry-run')).toMatchObject({ from: 0, dry_run: true });
    expect(existsSync(file)).toBe(false);
    expect(await answer()).toMatchObject({ from: 0, copy: null });
    const { stdout } = await migrate();
    expect(stdout).toMatch(/^The tables are up to date: schema version \d+\.\n$/);
  });

  it('prints where the copy is and how long the rest took', async () => {
    await older();
    const { code, stdout } = await migrate();
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The database before is .*gatehouse\.db\.version-12-.*Z\.\nThe tables went from schema version 12 to \d+ in \d+ ms\.\n$/,
    );
  });

  it('ends with exit code 2 for an option that it does not have', async () => {
    expect(await migrate('--copy')).toMatchObject({ code: 2 });
  });
});

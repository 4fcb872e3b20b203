/** Programs of several versions on one database: what the database says about itself is changed as a newer one would. */
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deployment } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';

let deployment: Deployment;
let server: ServerProcess;
let version: string;

beforeAll(async () => {
  deployment = await Deployment.open();
  server = await deployment.serve();
  await deployment.connect(server, 'ada');
  version = fact('schema_version');
});

afterAll(() => deployment?.close());

/** @returns the value before */
function fact(key: string, value?: string): string {
  const handle = new SqliteHandle(join(deployment.dir, 'data/gatehouse.db'));
  const before = handle.prepare('select value from installation where key = ?').pluck().get(key) as string;
  if (value !== undefined) handle.prepare('update installation set value = ? where key = ?').run(value, key);
  handle.close();
  return before;
}

async function ready(of = server): Promise<[number, unknown]> {
  const response = await fetch(`${of.url}/readyz`);
  const body = (await response.json()) as { status?: string; message?: string };
  return [response.status, body.status ?? body.message];
}

/** What a process has logged about the version of the database. */
function said({ output }: ServerProcess): string[] {
  return output
    .split('\n')
    .filter((line) => line.includes('"database_version"'))
    .map((line) => (JSON.parse(line) as { message: string }).message);
}

const NOT_FIT = 'The version of the database does not fit this program. The log of the server says more.';

describe('older program on a database of a newer one', () => {
  it('runs on from compatible_from, and says so once', async () => {
    fact('schema_version', '99');
    expect([await ready(), await ready(), await ready()]).toEqual(
      Array.from({ length: 3 }, () => [200, 'ok']),
    );
    expect((await server.call('ada')).status).toBe(200);
    expect(said(server)).toEqual([expect.stringContaining('It has schema version 99')]);
  });

  it('starts from compatible_from, and says so once', async () => {
    const second = await deployment.serve();
    await ready(second);
    expect((await second.call('ada')).status).toBe(200);
    expect(said(second)).toEqual([expect.stringContaining('This program may use them')]);
    expect(fact('schema_version')).toBe('99');
  });

  it('turns unready below compatible_from, says so once, and does not start', async () => {
    const before = said(server).length;
    const from = fact('compatible_from', '99.0.0');
    expect([await ready(), await ready()]).toEqual([
      [503, NOT_FIT],
      [503, NOT_FIT],
    ]);
    expect(said(server).slice(before)).toEqual([
      expect.stringContaining('The database needs Gatehouse 99.0.0 or later.'),
    ]);
    await expect(deployment.serve()).rejects.toThrow(
      /The database needs Gatehouse 99\.0\.0 or later\..*Nothing was changed\./,
    );
    fact('compatible_from', from);
    expect(await ready()).toEqual([200, 'ok']);
  });

  it('turns unready when an older copy replaces the database', async () => {
    fact('schema_version', '3');
    expect(await ready()).toEqual([503, NOT_FIT]);
    expect(said(server).at(-1)).toContain('an older copy took its place. Start this process again.');
    fact('schema_version', version);
    expect(await ready()).toEqual([200, 'ok']);
  });

  it('turns unready when nobody can tell the version', async () => {
    fact('schema_version', 'seven');
    expect(await ready()).toEqual([503, NOT_FIT]);
    expect(said(server).at(-1)).toContain('the schema version "seven"');
    fact('schema_version', version);
  });
});

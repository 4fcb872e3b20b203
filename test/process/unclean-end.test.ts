/** What a server does after one that was killed, and what it reads of the file after one that was stopped. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Deployment } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';

let deployment: Deployment;

beforeEach(async () => {
  deployment = await Deployment.open();
});

afterEach(async () => deployment.close());

/** Overwrites the first page of a table that neither a start nor a call reads. */
function damage(): void {
  const file = join(deployment.dir, 'data/gatehouse.db');
  const handle = new SqliteHandle(file);
  const page = handle.prepare("select rootpage from sqlite_master where name = 'invitations'").pluck().get();
  handle.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (Number(page) - 1) * 4096, Number(page) * 4096);
  writeFileSync(file, bytes);
}

const readiness = async (server: ServerProcess): Promise<number> =>
  (await fetch(`${server.url}/readyz`)).status;

/** Makes the file so large that lists are read in a thread. */
function enlarge(): void {
  const handle = new SqliteHandle(join(deployment.dir, 'data/gatehouse.db'));
  handle.exec(`insert into executions
      (id, environment_id, tool_name, connected_account_id, source, status, error_code, duration_ms, at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
    select 'exe_' || printf('%026d', i), (select id from environments where name = 'development'), 'ledger_list',
      null, 'api', 'error', hex(zeroblob(2000)), 1, i from n`);
  handle.close();
}

describe('server on an SQLite file', () => {
  it('checks the file after a kill and answers meanwhile, turns unready and says why when it finds damage, but continues with everything else', async () => {
    const first = await deployment.serve();
    await deployment.connect(first, 'anna');
    await first.kill();
    const second = await deployment.serve();
    expect(await readiness(second)).toBe(200);
    const { body } = await second.api('GET', '/connected_accounts');
    expect(body.connected_accounts).toHaveLength(1);
    await expect.poll(() => second.output).toContain('"event":"database_checked"');
    expect(await readiness(second)).toBe(200);
    await second.kill();

    // The damage comes after the log of the killed process was merged, and before the check.
    const third = await deployment.serve();
    await third.kill();
    damage();
    const fourth = await deployment.serve();
    await expect.poll(() => fourth.output).toContain('"event":"database_damaged"');
    expect(await readiness(fourth)).toBe(503);
    expect((await fourth.call('anna')).status).toBe(200);
    expect(await fourth.stop()).toBe(0);
  });

  it('lists rows of a large file, and stops as soon as the list was answered', async () => {
    const first = await deployment.serve();
    await deployment.connect(first, 'anna');
    expect(await first.stop()).toBe(0);
    enlarge();
    const server = await deployment.serve();
    const accounts = await server.api('GET', '/connected_accounts');
    expect(accounts.body.connected_accounts).toHaveLength(1);
    expect(JSON.parse((await server.api('GET', '/executions?status=error')).text)).toMatchObject({
      total_size: 3000,
    });
    expect(await server.stop()).toBe(0);
    expect(server.output).not.toContain('database_checked');
  });
});

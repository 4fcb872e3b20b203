/**
 * From version 0.1.0 to the program of today (docs/upgrade.md): both serve one Postgres database, an SQLite
 * file goes from one to the other and back, and a migration may be interrupted.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/store/migrations/migrator.ts';
import { onDatabase } from '../support/databases.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { runCommand, startCommand } from '../support/deployment/command.ts';
import { Deployment } from '../support/deployment/deployment.ts';
import { freePort, PROGRAM, type ServerProcess } from '../support/deployment/server-process.ts';
import { ReleasedProgram } from '../support/released-program.ts';
import { ROUNDS } from '../support/rounds.ts';

const PRLIMIT = '/usr/bin/prlimit';

/** So many that an index takes its time. */
const EXECUTIONS = ROUNDS.full ? 400_000 : 2_000;

let old: ReleasedProgram;
let deployment: Deployment;

beforeAll(() => {
  old = new ReleasedProgram();
});

afterAll(() => old.remove());

afterEach(async () => deployment.close());

const NEWER = /schema version \d+; this program knows versions up to 3\. It was made by a newer Gatehouse/;

async function link(at: ServerProcess, user: string): Promise<number[]> {
  const authRequest = authRequestIn(await deployment.browser(at).connect(await at.magicLink(user)));
  return [(await at.verify(authRequest, user)).status, (await at.call(user)).status];
}

/** Calls, links and refreshes until `end`. @returns every status */
async function use(server: ServerProcess, end: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = end.finally(() => over.abort()).catch(() => {});
  const statuses: number[] = [];
  const repeat = async (work: (round: number) => Promise<number[]>): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round++) statuses.push(...(await work(round)));
  };
  await Promise.all([
    repeat(async () => [(await server.call('ada')).status]),
    repeat(async (round) => link(server, `linked-${round}`)),
    repeat(async (round) => {
      await deployment.connect(server, `expired-${round}`, -1_000);
      return [(await server.call(`expired-${round}`)).status];
    }),
    ended,
  ]);
  return statuses;
}

onDatabase('postgres', (_name, _open, newUrl) => {
  let url: string;
  let before: ServerProcess;

  beforeEach(async () => {
    url = await newUrl('empty');
    deployment = await Deployment.open({ databaseUrl: url });
    before = await deployment.serve({}, old.path);
    await deployment.connect(before, 'ada');
    await query(`insert into executions (id, environment_id, tool_name, source, status, duration_ms, at)
      select 'exe_' || n, (select id from environments limit 1), 'ledger_list', 'api', 'ok', 1, n
      from generate_series(1, ${EXECUTIONS}) n`);
  });

  async function query(text: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  const version = async (): Promise<unknown> =>
    (await query("select value from installation where key = 'schema_version'"))[0]?.['value'];

  it('continues serving from version 0.1.0 while it is migrated and afterwards, until that is stopped', async () => {
    const starting = deployment.serve();
    const statuses = await use(before, starting);
    const after = await starting;
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(after.output).toMatch(/while other processes use them\..*"event":"database_migrating"/);
    expect(after.output).toContain('"event":"database_migrated"');

    // Rows of one are read, renewed and continued by the other.
    await deployment.connect(before, 'ben', -1_000);
    await deployment.connect(after, 'cleo', -1_000);
    expect((await after.call('ada')).status).toBe(200);
    expect((await after.call('ben')).status).toBe(200);
    expect((await before.call('cleo')).status).toBe(200);
    for (const [maker, other] of [
      [before, after],
      [after, before],
    ] as const) {
      const user = maker === before ? 'dora' : 'emil';
      const page = await deployment.browser(other).connect(await maker.magicLink(user));
      expect((await maker.verify(authRequestIn(page), user)).status).toBe(200);
      expect((await other.call(user)).status).toBe(200);
    }

    expect(await before.stop()).toBe(0);
    await expect(deployment.serve({}, old.path)).rejects.toThrow(NEWER);
    expect((await after.call('ada')).status).toBe(200);
  });

  describe.runIf(ROUNDS.full)('with many rows', () => {
    it('lets one of two processes migrate that start at the same time', async () => {
      const both = await Promise.all([deployment.serve(), deployment.serve()]);
      expect(await version()).toBe(String(SCHEMA_VERSION));
      for (const server of both) expect((await server.call('ada')).status).toBe(200);
      expect((await before.call('ada')).status).toBe(200);
    });

    it('continues with its migration after a process that was killed', async () => {
      for (const at of ['9', '11', '12']) {
        const { child, ended } = startCommand(deployment, ['migrate']);
        await expect
          .poll(async () => Number(await version()), { timeout: 60_000, interval: 5 })
          .toBeGreaterThanOrEqual(Number(at));
        child.kill('SIGKILL');
        await ended;
      }
      const after = await deployment.serve();
      expect(await version()).toBe(String(SCHEMA_VERSION));
      expect(await query('select 1 from pg_index where not indisvalid')).toEqual([]);
      expect((await after.call('ada')).status).toBe(200);
      expect((await before.call('ada')).status).toBe(200);
    });

    it('stays as it is with migrate --dry-run, which estimates the rows', async () => {
      await query('analyze executions');
      const { code, stdout } = await runCommand(deployment, ['migrate', '--dry-run', '--json']);
      expect([code, await version()]).toEqual([0, '3']);
      const { statements } = JSON.parse(stdout) as { statements: { table: string; rows: number }[] };
      const { rows = 0 } = statements.find(({ table }) => table === 'executions') ?? {};
      expect(rows).toBeGreaterThan(EXECUTIONS * 0.9);
    });
  });
});

describe.runIf(ROUNDS.full)('database of version 0.1.0 on SQLite', () => {
  let file: string;

  beforeEach(async () => {
    deployment = await Deployment.open();
    file = join(deployment.dir, 'data/gatehouse.db');
    const server = await deployment.serve({}, old.path);
    await deployment.connect(server, 'ada');
    await server.stop();
    const handle = new SqliteHandle(file);
    handle.exec(`insert into executions (id, environment_id, tool_name, source, status, duration_ms, at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EXECUTIONS})
      select 'exe_' || i, (select id from environments limit 1), 'ledger_list', 'api', 'ok', 1, i from n`);
    handle.close();
  });

  const version = (): unknown => {
    const handle = new SqliteHandle(file, { readonly: true });
    const value: unknown = handle
      .prepare("select value from installation where key = 'schema_version'")
      .pluck()
      .get();
    handle.close();
    return value;
  };

  const digest = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');

  const copies = (): string[] =>
    readdirSync(join(deployment.dir, 'data')).filter((name) => name.startsWith('gatehouse.db.'));

  it('goes from version 0.1.0 to this one, and back with the copy', async () => {
    const before = digest();
    const dry = await runCommand(deployment, ['migrate', '--dry-run', '--json']);
    expect([dry.code, digest(), copies()]).toEqual([0, before, []]);
    expect(JSON.parse(dry.stdout)).toMatchObject({ from: 3, to: SCHEMA_VERSION, dry_run: true, copy: null });
    const done = await runCommand(deployment, ['migrate', '--json']);
    const { copy } = JSON.parse(done.stdout) as { copy: string };
    expect([done.code, copies()]).toEqual([0, [copy.split('/').at(-1)]]);
    const again = await runCommand(deployment, ['migrate']);
    expect([again.code, again.stdout]).toEqual([
      0,
      `The tables are up to date: schema version ${SCHEMA_VERSION}.\n`,
    ]);

    const after = await deployment.serve();
    expect((await after.call('ada')).status).toBe(200);
    await after.stop();
    await expect(deployment.serve({}, old.path)).rejects.toThrow(NEWER);

    const back = await runCommand({ dir: deployment.dir, env: deployment.env, program: old.path }, [
      'restore',
      copy,
    ]);
    expect(back).toMatchObject({ code: 0 });
    const previous = await deployment.serve({}, old.path);
    expect((await previous.call('ada')).status).toBe(200);
  });

  it('answers health, and says for how long, while a start migrates it', async () => {
    const port = await freePort();
    const { child, ended } = startCommand(deployment, ['serve'], { GATEHOUSE_PORT: String(port) });
    const status = async (path: string): Promise<number> =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.status,
        () => 0,
      );
    await expect.poll(() => status('/healthz'), { timeout: 30_000, interval: 5 }).toBe(200);
    const seen = [
      await status('/readyz'),
      await status('/api/v1/connected_accounts'),
      await status('/healthz'),
    ];
    expect([version(), seen]).toEqual(['3', [503, 503, 200]]);
    await expect.poll(() => status('/readyz'), { timeout: 60_000 }).toBe(200);
    child.kill();
    const { stderr } = await ended;
    expect(stderr).toMatch(
      /"count":400000,"message":"The tables are brought from schema version 3 to \d+, and indexes are built: about \d+ s at most\.","event":"database_migrating"/,
    );
    expect(stderr).toMatch(/"duration_ms":\d+,.*"event":"database_migrated"/);
  });

  it('stays as it was after a kill in the middle, and the next start migrates it', async () => {
    const { child, ended } = startCommand(deployment, ['migrate', '--no-copy']);
    await expect
      .poll(() => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0, {
        timeout: 60_000,
        interval: 5,
      })
      .toBeGreaterThan(10_000_000);
    child.kill('SIGKILL');
    await ended;
    expect(version()).toBe('3');
    const after = await deployment.serve();
    expect([version(), deployment.integrity(), (await after.call('ada')).status]).toEqual([
      String(SCHEMA_VERSION),
      'ok',
      200,
    ]);
  });

  it('lets one of two processes migrate that start at the same time', async () => {
    const both = await Promise.all([deployment.serve(), deployment.serve()]);
    expect(version()).toBe(String(SCHEMA_VERSION));
    for (const server of both) expect((await server.call('ada')).status).toBe(200);
  });

  it.runIf(existsSync(PRLIMIT))('stays as it was without room for a copy, or for the indexes', async () => {
    const before = digest();
    const { size } = statSync(file);
    /** As on a disk with room for files of this size only. */
    const migrateWithin = (bytes: number): [number | null, string] => {
      const argv = [`--fsize=${bytes}`, process.execPath, PROGRAM, 'migrate'];
      const { status, stderr } = spawnSync(PRLIMIT, argv, { cwd: deployment.dir, env: deployment.env });
      return [status, stderr.toString()];
    };
    expect(migrateWithin(size / 2)).toEqual([
      1,
      expect.stringMatching(/cannot be copied before the migration: .* "gatehouse migrate --no-copy"/),
    ]);
    expect(migrateWithin(size + 1_000_000)).toEqual([
      1,
      expect.stringContaining('cannot be brought up to date'),
    ]);
    expect([version(), deployment.integrity(), digest()]).toEqual(['3', 'ok', before]);
  });
});

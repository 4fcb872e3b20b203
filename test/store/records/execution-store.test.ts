import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { ExecutionStore } from '../../../src/store/records/execution-store.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import type { Execution } from '../../../src/store/tables/tables.ts';
import { forEachDatabase } from '../../support/databases.ts';
import type { ExecutionFilter } from '../../../src/store/records/execution-store.ts';
import { executionRow } from '../../support/stored-rows.ts';

const execution = executionRow({ environment_id: 'env_1' });

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await open();
    await db.transaction(async (tx) => {
      for (const id of ['env_1', 'env_2']) {
        await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
      }
    });
  });

  const store = async (executions: Execution[]): Promise<void> =>
    db.transaction(async (tx) => new ExecutionStore(tx).insertMany(executions));
  const read = () => new ExecutionStore(db.read);

  it('stores many executions at once', async () => {
    await store(Array.from({ length: 123 }, (_, n) => ({ ...execution, id: `exe_${n}` })));
    expect(await read().count('env_1', {}, 999)).toBe(123);
    expect(await rows(db.read, 'executions').find('env_1', 'exe_122')).toEqual({
      ...execution,
      id: 'exe_122',
    });
  });

  it('stores no execution when one is refused', async () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ ...execution, id: `exe_${n}` }));
    await expect(store([...many, { ...execution, id: 'exe_0' }])).rejects.toThrow(/unique/i);
    expect(await read().count('env_1', {}, 999)).toBe(0);
  });

  it('accepts an empty list of executions', async () => {
    await store([]);
    expect(await read().count('env_1', {}, 999)).toBe(0);
  });

  it('does not show executions in another environment', async () => {
    await store([execution]);
    expect(await rows(db.read, 'executions').find('env_2', 'exe_1')).toBeUndefined();
    expect(await read().page('env_2', {}, undefined, 10)).toEqual([]);
    expect(await read().count('env_2', {}, 9)).toBe(0);
  });

  it('pages executions newest first, and back', async () => {
    await store(
      Array.from({ length: 7 }, (_, n) => ({ ...execution, id: `exe_${n}`, at: 1_000 + Math.floor(n / 2) })),
    );
    const ids = (page: Execution[]) => page.map((row) => row.id);
    const first = await read().page('env_1', {}, undefined, 3);
    expect(ids(first)).toEqual(['exe_6', 'exe_5', 'exe_4']);
    const next = await read().page('env_1', {}, { direction: 'next', createdAt: 1_002, id: 'exe_4' }, 3);
    expect(ids(next)).toEqual(['exe_3', 'exe_2', 'exe_1']);
    const back = await read().page('env_1', {}, { direction: 'prev', createdAt: 1_001, id: 'exe_3' }, 3);
    expect(ids(back)).toEqual(['exe_4', 'exe_5', 'exe_6']);
  });

  it.each([
    ['next', 1_005, ['exe_4', 'exe_3']],
    ['next', 1_009, ['exe_5', 'exe_4', 'exe_3']],
    ['prev', 1_003, ['exe_4', 'exe_5']],
    ['prev', 1_001, ['exe_3', 'exe_4', 'exe_5']],
  ] as const)(
    'ends pages of a time range at its ends: %s page from %i',
    async (direction, createdAt, expected) => {
      await store(Array.from({ length: 9 }, (_, n) => ({ ...execution, id: `exe_${n}`, at: 1_000 + n })));
      const position = { direction, createdAt, id: `exe_${createdAt - 1_000}` };
      const page = await read().page('env_1', { from: 1_003, to: 1_006 }, position, 9);
      expect(page.map((row) => row.id)).toEqual(expected);
    },
  );

  it.each<[ExecutionFilter, string[]]>([
    [{ toolName: 'websearch_answer' }, ['exe_tool']],
    [{ connectedAccountId: 'ca_2' }, ['exe_account']],
    [{ source: 'mcp' }, ['exe_source']],
    [{ status: 'error' }, ['exe_status']],
    [{ userId: 'ben' }, ['exe_user']],
    [{ organizationId: 'acme' }, ['exe_organization']],
    [{ connection: 'mail' }, ['exe_connection']],
    [{ virtualServerId: 'mcp_1' }, ['exe_server']],
    [{ virtualServerId: 'mcp_1', source: 'cli', status: 'ok' }, ['exe_server']],
    [{ from: 2_000, to: 2_001 }, ['exe_late']],
    [{ to: 1_000 }, ['exe_early']],
    [
      {
        userId: 'ada',
        from: 1_000,
        to: 1_001,
        connection: 'notes',
        status: 'ok',
        source: 'api',
        toolName: 'notes_search',
        connectedAccountId: 'ca_1',
      },
      ['exe_1'],
    ],
  ])('filters executions by %j', async (filter, expected) => {
    await store([
      execution,
      { ...execution, id: 'exe_tool', tool_name: 'websearch_answer' },
      { ...execution, id: 'exe_account', connected_account_id: 'ca_2' },
      { ...execution, id: 'exe_source', source: 'mcp' },
      { ...execution, id: 'exe_user', user_id: 'ben' },
      { ...execution, id: 'exe_organization', user_id: '', organization_id: 'acme' },
      { ...execution, id: 'exe_connection', connector: 'mail' },
      { ...execution, id: 'exe_server', source: 'cli', virtual_server_id: 'mcp_1' },
      { ...execution, id: 'exe_early', at: 999 },
      { ...execution, id: 'exe_late', at: 2_000 },
      { ...execution, id: 'exe_status', status: 'error', error_code: 'TOOL_ERROR' },
    ]);
    const page = await read().page('env_1', filter, undefined, 10);
    expect(page.map((row) => row.id)).toEqual(expected);
    expect(await read().count('env_1', filter, 9)).toBe(1);
  });
});

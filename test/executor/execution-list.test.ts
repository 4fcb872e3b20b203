import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { ExecutionList } from '../../src/executor/execution-list.ts';
import { ExecutionStore } from '../../src/store/records/execution-store.ts';
import type { Execution } from '../../src/store/tables/tables.ts';
import {
  answer,
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../support/services.ts';
import { executionRow } from '../support/stored-rows.ts';

const caller: Caller = {
  kind: 'machine',
  environmentId: ENVIRONMENT_ID,
  actor: 'cred_1',
  scopes: new Set(),
  source: 'api',
  ip: '',
};

/** Executions 1 to `count`, one a second from 2026-11-20T12:00:00Z, newest last. */
function executions(count: number): Execution[] {
  return Array.from({ length: count }, (_, index) =>
    executionRow({ id: `exe_${index + 1}`, at: Date.UTC(2026, 10, 20, 12) + index * 1_000 }),
  );
}

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

const store = async (rows: Execution[]) =>
  services.db.transaction(async (tx) => new ExecutionStore(tx).insertMany(rows));

/** The list, with these rows in the database. @param recorded what is waited for before it is read */
async function listOver(rows: Execution[], recorded = () => Promise.resolve()): Promise<ExecutionList> {
  await store(rows);
  const { db, accounts, pageTokens, clock } = services;
  return new ExecutionList({
    executions: new ExecutionStore(db.read),
    recorded,
    accounts,
    pageTokens,
    clock,
  });
}

const ids = (page: { executions: { execution_id: string }[] }): string[] =>
  page.executions.map(({ execution_id }) => execution_id);

describe('list of executions', () => {
  it('shows each execution with its duration and without input and output', async () => {
    const page = await (await listOver(executions(1))).list(caller, {});
    expect(page).toEqual({
      executions: [
        {
          execution_id: 'exe_1',
          tool_name: 'notes_search',
          connected_account_id: 'ca_1',
          source: 'api',
          status: 'ok',
          error_code: null,
          duration_ms: 12,
          at: '2026-11-20T12:00:00.000Z',
          user_id: 'ada',
          organization_id: '',
          connector: 'notes',
          virtual_server_id: null,
          error_message: null,
          provider_status: null,
        },
      ],
      next_page_token: '',
      prev_page_token: '',
      total_size: 1,
    });
  });

  it('includes calls whose records wait for their commit', async () => {
    const list = await listOver([], async () => store(executions(1)));
    expect(ids(await list.list(caller, {}))).toEqual(['exe_1']);
  });

  it('follows page tokens forwards and backwards, newest first', async () => {
    const list = await listOver(executions(5));
    const first = await list.list(caller, { pageSize: 2 });
    expect([ids(first), first.prev_page_token]).toEqual([['exe_5', 'exe_4'], '']);
    const second = await list.list(caller, { pageSize: 2, pageToken: first.next_page_token });
    expect(ids(second)).toEqual(['exe_3', 'exe_2']);
    const third = await list.list(caller, { pageSize: 2, pageToken: second.next_page_token });
    expect([ids(third), third.next_page_token]).toEqual([['exe_1'], '']);
    const back = await list.list(caller, { pageSize: 2, pageToken: third.prev_page_token });
    expect(ids(back)).toEqual(['exe_3', 'exe_2']);
    const start = await list.list(caller, { pageSize: 2, pageToken: back.prev_page_token });
    expect([ids(start), start.prev_page_token]).toEqual([['exe_5', 'exe_4'], '']);
    expect(start.next_page_token).not.toBe('');
  });

  it('has 30 executions per page by default', async () => {
    expect(ids(await (await listOver(executions(40))).list(caller, {}))).toHaveLength(30);
  });

  it.each([
    ['other filters', { status: 'ok' as const }, caller],
    ['another environment', {}, { ...caller, environmentId: OTHER_ENVIRONMENT_ID }],
  ])('refuses a page token of %s', async (_name, filter, other) => {
    const list = await listOver(executions(5));
    const { next_page_token } = await list.list(caller, { pageSize: 2 });
    await expect(list.list(other, { ...filter, pageToken: next_page_token })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('filters by account for a caller bound to an organization', async () => {
    const bound = { ...caller, boundOrganizationId: 'acme' };
    const list = await listOver([]);
    await expect(list.list(bound, {})).rejects.toThrow('name one of its accounts');
  });

  it('shows a caller bound to an organization what its own accounts did, and no others', async () => {
    const bound = { ...machine, boundOrganizationId: 'acme' };
    const list = await listOver([], async () => services.executor.recorded());
    const own = await connectedAccount(services, { organization_id: 'acme' });
    const other = await connectedAccount(services, { organization_id: 'other' });
    for (const { id } of [own, other]) {
      services.answers.push(answer(200, {}));
      const call = { toolName: 'notes_search', input: { query: 'x' }, account: { id } };
      await services.executor.execute({ ...call, caller: machine });
    }
    const page = await list.list(bound, { connectedAccountId: own.id });
    expect(page.executions).toMatchObject([{ connected_account_id: own.id }]);
    await expect(list.list(bound, { connectedAccountId: other.id })).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });
});

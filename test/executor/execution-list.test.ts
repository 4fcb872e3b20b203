import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import { ExecutionList, type StoredExecution } from '../../src/executor/execution-list.ts';
import { account, fakeApi } from '../http/fake-services.ts';

const caller: Caller = {
  kind: 'machine',
  environmentId: 'env_dev',
  actor: 'cred_1',
  scopes: new Set(),
  source: 'api',
  ip: '',
};

/** Executions 1 to `count`, one a second from 2026-11-20T12:00:00Z, newest last. */
function executions(count: number): StoredExecution[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `exe_${index + 1}`,
    tool_name: 'websearch_search',
    connected_account_id: 'ca_1',
    source: 'api',
    status: 'ok',
    error_code: null,
    duration_ms: 5,
    at: Date.UTC(2026, 10, 20, 12) + index * 1_000,
  }));
}

function listOver(rows: StoredExecution[], recorded = () => Promise.resolve()): ExecutionList {
  return new ExecutionList({
    recorded,
    executions: {
      page: (_environmentId, filter, position, limit) => {
        const matching = rows.filter((row) => filter.status === undefined || row.status === filter.status);
        const found =
          position?.direction === 'prev'
            ? matching.filter((row) => row.at > position.createdAt)
            : matching.filter((row) => position === undefined || row.at < position.createdAt).toReversed();
        return Promise.resolve(found.slice(0, limit));
      },
      count: () => Promise.resolve(rows.length),
    },
    accounts: { describe: () => Promise.resolve(account) },
    pageTokens: new PageTokens(Buffer.alloc(32, 7)),
  });
}

const ids = (page: { executions: { execution_id: string }[] }): string[] =>
  page.executions.map(({ execution_id }) => execution_id);

describe('list of executions', () => {
  it('shows each execution with its duration and without input and output', async () => {
    const page = await listOver(executions(1)).list(caller, {});
    expect(page).toEqual({
      executions: [
        {
          execution_id: 'exe_1',
          tool_name: 'websearch_search',
          connected_account_id: 'ca_1',
          source: 'api',
          status: 'ok',
          error_code: null,
          duration_ms: 5,
          at: '2026-11-20T12:00:00.000Z',
        },
      ],
      next_page_token: '',
      prev_page_token: '',
      total_size: 1,
    });
  });

  it('includes calls whose records wait for their commit', async () => {
    const rows: StoredExecution[] = [];
    const list = listOver(rows, async () => {
      await Promise.resolve();
      rows.push(...executions(1));
    });
    expect(ids(await list.list(caller, {}))).toEqual(['exe_1']);
  });

  it('follows page tokens forwards and backwards, newest first', async () => {
    const list = listOver(executions(5));
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
    expect(ids(await listOver(executions(40)).list(caller, {}))).toHaveLength(30);
  });

  it.each([
    ['other filters', { status: 'ok' as const }, caller],
    ['another environment', {}, { ...caller, environmentId: 'env_prod' }],
  ])('refuses a page token of %s', async (_name, filter, other) => {
    const list = listOver(executions(5));
    const { next_page_token } = await list.list(caller, { pageSize: 2 });
    await expect(list.list(other, { ...filter, pageToken: next_page_token })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('filters by account for a caller bound to an organization', async () => {
    const bound = { ...caller, boundOrganizationId: 'acme' };
    await expect(listOver([]).list(bound, {})).rejects.toThrow('name one of its accounts');
  });

  it('requires an account from a caller bound to an organization, within its reach', async () => {
    const api = fakeApi();
    await api.request('/api/v1/executions?connected_account_id=ca_1&page_size=2', {
      headers: { authorization: 'Bearer bound' },
    });
    expect(api.reached.map(({ what }) => what)).toEqual(['accounts.describe', 'executions.page']);
  });
});

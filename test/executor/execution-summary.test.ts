/** Sums of executions by hour and day, and the details of one execution, within the reach of a caller. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { ExecutionList } from '../../src/executor/execution-list.ts';
import { summaryBuckets, sumQuery } from '../../src/executor/execution-summary.ts';
import { ExecutionStore } from '../../src/store/records/execution-store.ts';
import { addToSums } from '../../src/store/records/execution-sum-store.ts';
import type { Execution } from '../../src/store/tables/tables.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { connectedAccount, machine, testServices, type Services } from '../support/services.ts';
import { executionRow } from '../support/stored-rows.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 20, 12);

const person: Caller = {
  ...machine,
  kind: 'person',
  onlyOwner: { userId: 'u1', organizationId: '' },
  person: { userId: 'u1', sessionId: 'ses_1', organizationId: '' },
  isApp: false,
};
const bound: Caller = { ...machine, boundOrganizationId: 'acme' };

let services: Services;
let list: ExecutionList;
let clock: FixedClock;
beforeEach(async () => {
  services = await testServices();
  const { db, accounts, pageTokens } = services;
  clock = fixedClock(NOON);
  const recorded = () => Promise.resolve();
  list = new ExecutionList({
    executions: new ExecutionStore(db.read),
    recorded,
    accounts,
    pageTokens,
    clock,
  });
});

async function stored(...executions: Partial<Execution>[]): Promise<void> {
  const { db } = services;
  await db.transaction(async (tx) => {
    const ended = executions.map((change, n) => executionRow({ id: `exe_${n + 1}`, at: NOON, ...change }));
    await new ExecutionStore(tx).insertMany(ended);
    await addToSums(tx, ended, { dialect: db.dialect, part: 0 });
  });
}

/** Counts of 20 classes of durations, of which only these are not 0. */
const counts = (counted: Record<number, number>): number[] =>
  Array.from({ length: 20 }, (_, place) => counted[place] ?? 0);

const estimates = (counted: Record<number, number>): number[] =>
  summaryBuckets([{ at: 0, group: '', status: 'ok', counts: counts(counted) }]).flatMap(
    ({ p50_ms, p95_ms }) => [p50_ms, p95_ms],
  );

describe('summary of executions', () => {
  it('counts both outcomes of each hour, and leaves out hours without a call', async () => {
    await stored(
      { duration_ms: 3 },
      { duration_ms: 3 },
      { status: 'error', error_code: 'TOOL_ERROR', duration_ms: 900 },
      { at: NOON + 5 * HOUR_MS, duration_ms: 70_000 },
    );
    expect(await list.summary(machine, { from: NOON, to: NOON + 6 * HOUR_MS })).toEqual({
      buckets: [
        { at: '2026-11-20T12:00:00.000Z', group: null, ok: 2, error: 1, p50_ms: 4, p95_ms: 940 },
        { at: '2026-11-20T17:00:00.000Z', group: null, ok: 1, error: 0, p50_ms: 60_000, p95_ms: 60_000 },
      ],
    });
  });

  it('completes the first and the last day, in UTC', async () => {
    await stored({ at: NOON - 12 * HOUR_MS }, { at: NOON + 12 * HOUR_MS - 1 }, { at: NOON + 12 * HOUR_MS });
    const query = { from: NOON, to: NOON + 1, bucket: 'day' } as const;
    expect(await list.summary(machine, query)).toMatchObject({
      buckets: [{ at: '2026-11-20T00:00:00.000Z', ok: 2 }],
    });
  });

  it('says by time, error code and connection at once what an overview shows', async () => {
    await stored(
      { connector: 'notes', at: NOON - 2 * HOUR_MS, duration_ms: 3 },
      { connector: 'notes', duration_ms: 3, status: 'error', error_code: 'TOOL_ERROR' },
      { connector: 'crm', duration_ms: 900 },
      { connector: 'crm', at: NOON - 3 * HOUR_MS },
    );
    const range = { from: NOON - 2 * HOUR_MS, to: NOON + 1 };
    const { byTime, byErrorCode, byConnection, whole } = await list.overview(machine, range);
    expect(byTime).toMatchObject([
      { at: '2026-11-20T10:00:00.000Z', group: null, ok: 1, error: 0 },
      { at: '2026-11-20T12:00:00.000Z', group: null, ok: 1, error: 1 },
    ]);
    expect(byErrorCode).toMatchObject([
      { at: '2026-11-20T10:00:00.000Z', group: null, ok: 1 },
      { at: '2026-11-20T12:00:00.000Z', group: null, ok: 1 },
      { at: '2026-11-20T12:00:00.000Z', group: 'TOOL_ERROR', error: 1 },
    ]);
    expect(byConnection).toMatchObject([
      { group: 'notes', ok: 1, error: 1, p95_ms: 5 },
      { group: 'crm', ok: 1, error: 0, p95_ms: 980 },
    ]);
    expect(whole).toMatchObject({ ok: 2, error: 1, p95_ms: 940 });
    await expect(list.overview(person, range)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('reads days that are over once an hour for an overview, and the present day each time', async () => {
    const days = async () =>
      (await list.overview(machine, { from: NOON - 48 * HOUR_MS, to: NOON + 1, bucket: 'day' })).byTime.map(
        ({ at, ok }) => `${at.slice(0, 10)} ${ok}`,
      );
    await stored({ at: NOON - 48 * HOUR_MS });
    expect(await days()).toEqual(['2026-11-18 1']);
    await stored({ id: 'exe_late', at: NOON - 24 * HOUR_MS }, { id: 'exe_now' });
    expect(await days()).toEqual(['2026-11-18 1', '2026-11-20 1']);
    clock.advance(HOUR_MS);
    expect(await days()).toEqual(['2026-11-18 1', '2026-11-19 1', '2026-11-20 1']);
  });

  it.each([
    { groupBy: 'connector', groups: ['crm', 'notes'] },
    { groupBy: 'source', groups: ['api', 'mcp'] },
    { groupBy: 'error_code', groups: [null, 'TOOL_ERROR'] },
  ] as const)('tells groups apart by $groupBy', async ({ groupBy, groups }) => {
    await stored(
      { connector: 'notes', source: 'api' },
      { connector: 'crm', source: 'mcp', status: 'error', error_code: 'TOOL_ERROR' },
    );
    const { buckets } = await list.summary(machine, { from: NOON, to: NOON + 1, groupBy });
    expect(buckets.map(({ group }) => group)).toEqual(groups);
  });

  it('estimates durations within their class, and knows only the begin of the last one', () => {
    expect(estimates({ 0: 1 })).toEqual([3, 5]);
    expect(estimates({ 5: 100 })).toEqual([80, 98]);
    expect(estimates({ 0: 90, 10: 10 })).toEqual([3, 800]);
    expect(estimates({ 1: 50, 2: 50 })).toEqual([10, 19]);
    expect(estimates({ 19: 3 })).toEqual([60_000, 60_000]);
  });

  it.each([
    { from: NOON, to: NOON, bucket: 'hour' },
    { from: NOON, to: NOON - 1, bucket: 'day' },
    { from: NOON - 800 * HOUR_MS - 1, to: NOON, bucket: 'hour' },
    { from: NOON - 800 * 24 * HOUR_MS, to: NOON, bucket: 'day' },
  ] as const)('refuses a range that ends before it begins or has too many buckets: %j', (query) => {
    expect(() => sumQuery(query)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('covers 800 whole buckets', () => {
    const query = { from: NOON - 800 * HOUR_MS, to: NOON };
    expect(sumQuery(query)).toEqual({ ...query, spanMs: HOUR_MS, groupBy: undefined });
  });

  it.each([
    ['a person', person],
    ['a credential of an organization', bound],
  ])('refuses %s, who reaches a part of the environment only', async (_who, caller) => {
    await expect(list.summary(caller, { from: NOON, to: NOON + 1 })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('details of an execution', () => {
  it('show where the time of the call went', async () => {
    await stored({ duration_ms: 40, queue_ms: 10, provider_ms: 25, attempts: 2, renewals: 1 });
    expect(await list.describe(machine, 'exe_1')).toMatchObject({
      execution_id: 'exe_1',
      duration_ms: 40,
      own_ms: 5,
      queue_ms: 10,
      provider_ms: 25,
      attempts: 2,
      refreshed: true,
    });
  });

  it('show null where the record does not say it', async () => {
    await stored({ queue_ms: null, provider_ms: null, attempts: null, renewals: null });
    expect(await list.describe(machine, 'exe_1')).toMatchObject({
      own_ms: null,
      queue_ms: null,
      provider_ms: null,
      attempts: null,
      refreshed: null,
    });
  });

  it('show own time as 0 where a wait and a request overlap', async () => {
    await stored({ duration_ms: 40, queue_ms: 30, provider_ms: 30 });
    expect(await list.describe(machine, 'exe_1')).toMatchObject({ own_ms: 0 });
  });

  it('reach a person whose account it ran on, and nobody else', async () => {
    const { id } = await connectedAccount(services);
    await stored(
      { connected_account_id: id },
      { connected_account_id: null },
      { connected_account_id: 'ca_x' },
    );
    expect(await list.describe(person, 'exe_1')).toMatchObject({ connected_account_id: id });
    const refused = [
      list.describe(person, 'exe_2'),
      list.describe(person, 'exe_3'),
      list.describe({ ...person, onlyOwner: { userId: 'u2', organizationId: '' } }, 'exe_1'),
      list.describe(bound, 'exe_1'),
      list.describe(machine, 'exe_9'),
      list.describe({ ...machine, environmentId: 'env_other' }, 'exe_1'),
    ];
    const codes = (await Promise.allSettled(refused)).map((one) =>
      one.status === 'rejected' ? [one.reason.code, one.reason.message] : one,
    );
    expect(codes).toEqual(refused.map(() => ['RESOURCE_NOT_FOUND', 'There is no such execution.']));
  });
});

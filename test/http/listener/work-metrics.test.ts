import { describe, expect, it } from 'vitest';
import {
  interceptorCalls,
  providerRequests,
  queueWaits,
  rateRefusals,
  refreshes,
  retentionRuns,
  statements,
} from '../../../src/core/telemetry/measured.ts';
import { Metrics } from '../../../src/http/listener/metrics.ts';
import { measuring } from '../../support/measured.ts';

const timed = { startedAt: 1_000, endedAt: 1_250 };

describe('metrics of work', () => {
  it('label statements by a closed set of operations, whatever their text', async () => {
    const series = measuring();
    for (const sql of [
      'select 1',
      ' insert into t',
      'with a as (select 1) insert into t select 1 from a',
      'commit',
      'vacuum',
      '',
      '\0',
      'selected',
    ])
      statements.tell({ sql, ...timed });
    expect(await series('gatehouse_database_statement_duration_seconds_sum')).toEqual([
      'gatehouse_database_statement_duration_seconds_sum{operation="select"} 0.25',
      'gatehouse_database_statement_duration_seconds_sum{operation="insert"} 0.5',
      'gatehouse_database_statement_duration_seconds_sum{operation="commit"} 0.25',
      'gatehouse_database_statement_duration_seconds_sum{operation="other"} 1',
    ]);
  });

  it('put the statuses that no standard knows under one label', async () => {
    const series = measuring();
    const request = { connector: 'crm', method: 'GET', host: 'crm.example', isRepeat: false, ...timed };
    for (const status of ['200', '429', '999', '000', 'timeout'])
      providerRequests.tell({ ...request, status });
    expect(await series('gatehouse_provider_requests_total')).toEqual([
      'gatehouse_provider_requests_total{connector="crm",status="200"} 1',
      'gatehouse_provider_requests_total{connector="crm",status="429"} 1',
      'gatehouse_provider_requests_total{connector="crm",status="other"} 2',
      'gatehouse_provider_requests_total{connector="crm",status="timeout"} 1',
    ]);
  });

  it('sum up the waits of each queue, and show queues without one', async () => {
    const series = measuring();
    for (const durationMs of [100, 400]) queueWaits.tell({ queue: 'database', durationMs });
    expect(await series('gatehouse_queue_wait_duration_seconds_sum')).toEqual([
      'gatehouse_queue_wait_duration_seconds_sum{queue="provider"} 0',
      'gatehouse_queue_wait_duration_seconds_sum{queue="refresh"} 0',
      'gatehouse_queue_wait_duration_seconds_sum{queue="database"} 0.5',
    ]);
  });

  it('tell accounts, connections and callers apart where a rate limit refuses', async () => {
    const series = measuring();
    for (const key of ['env_1:ca_1:search', 'env_1:conn_1::all', 'env_1:check:usr_1', '', ':'])
      rateRefusals.tell({ key });
    expect(await series('gatehouse_rate_limit_refusals_total')).toEqual([
      'gatehouse_rate_limit_refusals_total{of="account"} 1',
      'gatehouse_rate_limit_refusals_total{of="connection"} 1',
      'gatehouse_rate_limit_refusals_total{of="caller"} 3',
    ]);
  });

  it('show state as it was last read, and leave out what was not', async () => {
    const series = measuring({
      version: '1.2.3',
      schemaVersion: '8',
      pool: { inUse: 3, idle: 2, waiting: 7, max: 10 },
      usage: {
        at: 1_700_000_000_500,
        accounts: [{ environment: 'production', status: 'ACTIVE', count: 12 }],
        deliveries: [{ environment: 'production', count: 0 }],
        heldTools: [
          { environment: 'production', connector: 'notion', state: 'new', count: 0 },
          { environment: 'production', connector: 'notion', state: 'held', count: 2 },
        ],
      },
      upstreamUse: { sessions: 40, sparedServers: 1 },
    });
    expect(await series('gatehouse_database_connection')).toEqual([
      'gatehouse_database_connections{state="in_use"} 3',
      'gatehouse_database_connections{state="idle"} 2',
      'gatehouse_database_connections_max 10',
      'gatehouse_database_connection_waiters 7',
    ]);
    expect(await series('gatehouse_accounts')).toEqual([
      'gatehouse_accounts{environment="production",status="ACTIVE"} 12',
    ]);
    expect(await series('gatehouse_webhook_backlog')).toEqual([
      'gatehouse_webhook_backlog{environment="production"} 0',
    ]);
    expect(await series('gatehouse_upstream_held_tools')).toEqual([
      'gatehouse_upstream_held_tools{environment="production",connector="notion",state="new"} 0',
      'gatehouse_upstream_held_tools{environment="production",connector="notion",state="held"} 2',
    ]);
    expect(await series('gatehouse_upstream_s')).toEqual([
      'gatehouse_upstream_sessions 40',
      'gatehouse_upstream_spared_servers 1',
    ]);
    expect(await series('gatehouse_sample_timestamp')).toEqual([
      'gatehouse_sample_timestamp_seconds 1700000000.5',
    ]);
    expect(await series('gatehouse_info')).toEqual(['gatehouse_info{version="1.2.3",schema_version="8"} 1']);
    const unread = measuring();
    expect(await unread('gatehouse_accounts')).toEqual([]);
    expect(await unread('gatehouse_database_connections{')).toEqual([]);
  });

  it('count nothing after they stopped listening', async () => {
    const metrics = new Metrics();
    metrics.listen(async () => ({
      version: '1',
      schemaVersion: undefined,
      pool: undefined,
      usage: undefined,
      upstreamUse: { sessions: 0, sparedServers: 0 },
    }))();
    refreshes.tell({ outcome: 'renewed' });
    expect(await metrics.render()).toContain('outcome="renewed"} 0\n');
  });

  it('count the fallbacks of interceptors in addition to their time', async () => {
    const series = measuring();
    const call = { triggerPoint: 'PRE_SIGNUP', decision: 'DENY', durationMs: 300 } as const;
    interceptorCalls.tell({ ...call, isFallback: false });
    interceptorCalls.tell({ ...call, isFallback: true });
    expect(await series('gatehouse_interceptor_duration_seconds_count')).toEqual([
      'gatehouse_interceptor_duration_seconds_count{trigger_point="PRE_SIGNUP"} 2',
    ]);
    expect(await series('gatehouse_interceptor_fallbacks_total')).toEqual([
      'gatehouse_interceptor_fallbacks_total{trigger_point="PRE_SIGNUP",decision="DENY"} 1',
    ]);
  });

  it('keep the time of the last good run of retention when a later one fails', async () => {
    const series = measuring();
    const success = async () => series('gatehouse_retention_last_success_timestamp_seconds');
    expect(await success()).toEqual(['gatehouse_retention_last_success_timestamp_seconds 0']);
    retentionRuns.tell({ outcome: 'ok', durationMs: 500, removed: { webhookDeliveries: 3, links: 0 } });
    const good = await success();
    expect(good).not.toEqual(['gatehouse_retention_last_success_timestamp_seconds 0']);
    retentionRuns.tell({ outcome: 'error', durationMs: 20, removed: {} });
    expect(await success()).toEqual(good);
    expect(await series('gatehouse_retention_removed_rows_total')).toEqual([
      'gatehouse_retention_removed_rows_total{kind="webhook_deliveries"} 3',
    ]);
    expect(await series('gatehouse_retention_runs_total')).toEqual([
      'gatehouse_retention_runs_total{outcome="ok"} 1',
      'gatehouse_retention_runs_total{outcome="error"} 1',
    ]);
  });
});

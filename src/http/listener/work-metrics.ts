/**
 * Metrics of the work behind the requests: statements, requests to providers, refreshes, interceptors, rate limits,
 * retention, and what is read when somebody looks. core/telemetry/measured.ts tells about the work.
 */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import {
  interceptorCalls,
  leaseTakeOvers,
  providerRequests,
  queueWaits,
  rateRefusals,
  refreshes,
  retentionRuns,
  statements,
} from '../../core/telemetry/measured.ts';
import { TRIGGER_POINTS } from '../../core/stored-words.ts';
import { UpstreamMetrics, type UpstreamReadings } from './upstream-metrics.ts';

const STATEMENT_SECONDS = [0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5];
const WAIT_SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10, 30];
const ANSWER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Outcomes of a refresh. Those after the second are reasons of a token endpoint's failure. */
const REFRESH_OUTCOMES = [
  'renewed',
  'discarded',
  'invalid_grant',
  'client_refused',
  'refused',
  'not_sent',
  'temporary',
  'unknown',
];

/** First words of statements that have a label of their own. */
const OPERATIONS = new Set(['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback']);

/** State that is read when somebody asks for the metrics. */
export interface Readings {
  /** Of this program. */
  version: string;
  /** Of the tables; `undefined` until the database has answered. */
  schemaVersion: string | undefined;
  /** Connections of this process to Postgres; `undefined` on SQLite. */
  pool: { inUse: number; idle: number; waiting: number; max: number } | undefined;
  /** The last count of one of the processes; `undefined` until there is one. */
  usage:
    | {
        /** Unix milliseconds. */
        at: number;
        accounts: readonly { environment: string; status: string; count: number }[];
        deliveries: readonly { environment: string; count: number }[];
        heldTools: UpstreamReadings['held'];
      }
    | undefined;
  /** Of remote MCP servers, in this process. */
  upstreamUse: UpstreamReadings['use'];
}

/** Metrics of work and state, in a registry of the caller. */
export class WorkMetrics {
  readonly #statements: Histogram<'operation'>;
  readonly #connections: Gauge<'state'>;
  readonly #maxConnections: Gauge;
  readonly #connectionWaiters: Gauge;
  readonly #providerRequests: Counter<'connector' | 'status'>;
  readonly #providerSeconds: Histogram<'connector'>;
  readonly #retries: Counter<'connector'>;
  readonly #queueSeconds: Histogram<'queue'>;
  readonly #refreshes: Counter<'outcome'>;
  readonly #takeOvers: Counter;
  readonly #interceptorSeconds: Histogram<'trigger_point'>;
  readonly #fallbacks: Counter<'trigger_point' | 'decision'>;
  readonly #rateRefusals: Counter<'of'>;
  readonly #retentionRuns: Counter<'outcome'>;
  readonly #retentionSeconds: Gauge;
  readonly #retentionSuccess: Gauge;
  readonly #removedRows: Counter<'kind'>;
  readonly #accounts: Gauge<'environment' | 'status'>;
  readonly #backlog: Gauge<'environment'>;
  readonly #sampledAt: Gauge;
  readonly #info: Gauge<'version' | 'schema_version'>;
  readonly #upstreams: UpstreamMetrics;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#statements = new Histogram({
      name: 'gatehouse_database_statement_duration_seconds',
      help: 'Time of database statements; on SQLite the process does nothing else meanwhile.',
      labelNames: ['operation'],
      buckets: STATEMENT_SECONDS,
      registers,
    });
    this.#connections = new Gauge({
      name: 'gatehouse_database_connections',
      help: 'Open connections to Postgres.',
      labelNames: ['state'],
      registers,
    });
    this.#maxConnections = new Gauge({
      name: 'gatehouse_database_connections_max',
      help: 'Most connections to Postgres that this process opens.',
      registers,
    });
    this.#connectionWaiters = new Gauge({
      name: 'gatehouse_database_connection_waiters',
      help: 'Work that waits for a connection to Postgres.',
      registers,
    });
    this.#providerRequests = new Counter({
      name: 'gatehouse_provider_requests_total',
      help: 'Requests to providers for calls, each attempt.',
      labelNames: ['connector', 'status'],
      registers,
    });
    this.#providerSeconds = new Histogram({
      name: 'gatehouse_provider_request_duration_seconds',
      help: 'Time of these requests.',
      labelNames: ['connector'],
      buckets: ANSWER_SECONDS,
      registers,
    });
    this.#retries = new Counter({
      name: 'gatehouse_provider_retries_total',
      help: 'Requests to providers that repeat a failed one.',
      labelNames: ['connector'],
      registers,
    });
    this.#queueSeconds = new Histogram({
      name: 'gatehouse_queue_wait_duration_seconds',
      help: 'Waits of a millisecond or more in queues of this process.',
      labelNames: ['queue'],
      buckets: WAIT_SECONDS,
      registers,
    });
    this.#refreshes = new Counter({
      name: 'gatehouse_refreshes_total',
      help: 'Ended renewals of access credentials.',
      labelNames: ['outcome'],
      registers,
    });
    this.#takeOvers = new Counter({
      name: 'gatehouse_refresh_lease_takeovers_total',
      help: 'Renewals begun by another process that did not end them.',
      registers,
    });
    this.#interceptorSeconds = new Histogram({
      name: 'gatehouse_interceptor_duration_seconds',
      help: 'Time of asking an interceptor.',
      labelNames: ['trigger_point'],
      buckets: ANSWER_SECONDS,
      registers,
    });
    this.#fallbacks = new Counter({
      name: 'gatehouse_interceptor_fallbacks_total',
      help: 'Decisions by fallback, because an interceptor gave no usable answer.',
      labelNames: ['trigger_point', 'decision'],
      registers,
    });
    this.#rateRefusals = new Counter({
      name: 'gatehouse_rate_limit_refusals_total',
      help: 'Refusals by a rate limit.',
      labelNames: ['of'],
      registers,
    });
    this.#retentionRuns = new Counter({
      name: 'gatehouse_retention_runs_total',
      help: 'Ended runs of retention.',
      labelNames: ['outcome'],
      registers,
    });
    this.#retentionSeconds = new Gauge({
      name: 'gatehouse_retention_last_duration_seconds',
      help: 'Time of the last run of retention.',
      registers,
    });
    this.#retentionSuccess = new Gauge({
      name: 'gatehouse_retention_last_success_timestamp_seconds',
      help: 'End of the last run of retention without an error; 0 before it.',
      registers,
    });
    this.#removedRows = new Counter({
      name: 'gatehouse_retention_removed_rows_total',
      help: 'Rows that retention has removed.',
      labelNames: ['kind'],
      registers,
    });
    this.#accounts = new Gauge({
      name: 'gatehouse_accounts',
      help: 'Connected accounts at the time of the last sample, for all processes.',
      labelNames: ['environment', 'status'],
      registers,
    });
    this.#backlog = new Gauge({
      name: 'gatehouse_webhook_backlog',
      help: 'Deliveries to webhooks that have not ended at the time of the last sample, for all processes.',
      labelNames: ['environment'],
      registers,
    });
    this.#sampledAt = new Gauge({
      name: 'gatehouse_sample_timestamp_seconds',
      help: 'Time of the last sample.',
      registers,
    });
    this.#info = new Gauge({
      name: 'gatehouse_info',
      help: 'Versions of the program and of the database schema; always 1.',
      labelNames: ['version', 'schema_version'],
      registers,
    });
    this.#upstreams = new UpstreamMetrics(registry);
    this.#beginAtZero();
  }

  /** A series that appears with its first event hides that event from Prometheus, which only sees growth. */
  #beginAtZero(): void {
    for (const outcome of REFRESH_OUTCOMES) this.#refreshes.inc({ outcome }, 0);
    for (const limited of ['account', 'connection', 'caller']) this.#rateRefusals.inc({ of: limited }, 0);
    for (const queue of ['provider', 'refresh', 'database']) this.#queueSeconds.zero({ queue });
    for (const outcome of ['ok', 'error']) this.#retentionRuns.inc({ outcome }, 0);
    for (const trigger of TRIGGER_POINTS)
      for (const decision of ['ALLOW', 'DENY']) this.#fallbacks.inc({ trigger_point: trigger, decision }, 0);
  }

  /** Starts to count. @returns a function that stops it */
  listen(): () => void {
    const stops = [
      ...this.#upstreams.listen(),
      statements.listen(({ sql, startedAt, endedAt }) =>
        this.#statements.observe({ operation: operationOf(sql) }, (endedAt - startedAt) / 1_000),
      ),
      providerRequests.listen(({ connector, status, isRepeat, startedAt, endedAt }) => {
        this.#providerRequests.inc({ connector, status: statusLabel(status) });
        this.#providerSeconds.observe({ connector }, (endedAt - startedAt) / 1_000);
        if (isRepeat) this.#retries.inc({ connector });
      }),
      queueWaits.listen(({ queue, durationMs }) => this.#queueSeconds.observe({ queue }, durationMs / 1_000)),
      refreshes.listen(({ outcome }) => this.#refreshes.inc({ outcome })),
      leaseTakeOvers.listen(() => this.#takeOvers.inc()),
      interceptorCalls.listen(({ triggerPoint, decision, isFallback, durationMs }) => {
        this.#interceptorSeconds.observe({ trigger_point: triggerPoint }, durationMs / 1_000);
        if (isFallback) this.#fallbacks.inc({ trigger_point: triggerPoint, decision });
      }),
      rateRefusals.listen(({ key }) => this.#rateRefusals.inc({ of: limitedBy(key) })),
      retentionRuns.listen(({ outcome, durationMs, removed }) => {
        this.#retentionRuns.inc({ outcome });
        this.#retentionSeconds.set(durationMs / 1_000);
        if (outcome === 'ok') this.#retentionSuccess.setToCurrentTime();
        for (const [kind, count] of Object.entries(removed))
          if (count > 0) this.#removedRows.inc({ kind: snakeCase(kind) }, count);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Sets the gauges. A reading that is absent has no series. */
  show({ version, schemaVersion, pool, usage, upstreamUse }: Readings): void {
    this.#upstreams.show({ use: upstreamUse, held: usage?.heldTools });
    this.#info.reset();
    this.#info.set({ version, schema_version: schemaVersion ?? '' }, 1);
    if (pool !== undefined) {
      this.#connections.set({ state: 'in_use' }, pool.inUse);
      this.#connections.set({ state: 'idle' }, pool.idle);
      this.#connectionWaiters.set(pool.waiting);
      this.#maxConnections.set(pool.max);
    }
    if (usage === undefined) return;
    this.#accounts.reset();
    for (const { environment, status, count } of usage.accounts)
      this.#accounts.set({ environment, status }, count);
    this.#backlog.reset();
    for (const { environment, count } of usage.deliveries) this.#backlog.set({ environment }, count);
    this.#sampledAt.set(usage.at / 1_000);
  }
}

function operationOf(sql: string): string {
  const word = /^\s*(\w+)/.exec(sql)?.[1] ?? '';
  // The records of calls on Postgres, with the uses of their accounts (store/records/ended-calls.ts).
  if (word === 'with') return 'insert';
  return OPERATIONS.has(word) ? word : 'other';
}

/** Providers may send any three digits as status. */
function statusLabel(status: string): string {
  return /^[016-9]/.test(status) ? 'other' : status;
}

/** Keys of limits begin with the environment's id and what is limited. */
function limitedBy(key: string): 'account' | 'connection' | 'caller' {
  const [, limited = ''] = key.split(':', 2);
  if (limited.startsWith('ca_')) return 'account';
  return limited.startsWith('conn_') ? 'connection' : 'caller';
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

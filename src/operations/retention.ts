/** Removes rows after their retention time. Works in bounded batches, so that writers never wait long. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/engine/database.ts';
import { EnvironmentStore } from '../store/installation/environment-store.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';
import { RetentionStore, type OverKey, type Temporary } from '../store/installation/retention-store.ts';

/** Rows of one transaction: about a millisecond. Each row changes a page of every index. */
const BATCH_ROWS = 25;

/** Rows found by one read. */
const FOUND_ROWS = 2_000;

/** Rest after a transaction, in times of its duration: retention takes about a tenth of the time. */
const REST_RATIO = 9;
const MAX_REST_MS = 200;

/** Retention of ended links, auth requests and secrets, so that a person can find out what happened. */
const AFTERMATH_MS = 7 * 24 * 3_600_000;

/**
 * Retention of expired codes and flows, during which they can be distinguished from unknown ones. Short,
 * because each attempt makes a row.
 */
const FLOW_AFTERMATH_MS = 24 * 3_600_000;

/** A code or refresh token presented again within this time ends the session; afterwards it is unknown. */
const CONSUMED_MS = 7 * 24 * 3_600_000;

/** Retention of the outcome of a call under an idempotency key (docs/contract.md#idempotency-keys). */
const IDEMPOTENCY_MS = 24 * 3_600_000;

/** Retention times of rows, in milliseconds (settings `retention.…`). */
export interface RetentionTimes {
  executionsMs: number;
  /** Sums of executions. */
  summariesMs: number;
  interceptorLogsMs: number;
  webhookDeliveriesMs: number;
}

/** Rows removed by one run. */
export interface RetentionResult {
  executions: number;
  executionSums: number;
  links: number;
  oauthFlows: number;
  authRequests: number;
  revokedTokens: number;
  credentialSecrets: number;
  interceptorLogs: number;
  webhookDeliveries: number;
  signingSecrets: number;
  idempotencyKeys: number;
  emailCodes: number;
  signInFlows: number;
  sessions: number;
  authorizationArtifacts: number;
}

export class Retention {
  readonly #db: Database;
  readonly #rateLimiter: RateLimiter;
  readonly #clock: Clock;
  readonly #times: RetentionTimes;

  constructor(db: Database, rateLimiter: RateLimiter, clock: Clock, times: RetentionTimes) {
    this.#db = db;
    this.#rateLimiter = rateLimiter;
    this.#clock = clock;
    this.#times = times;
  }

  /**
   * Removes all expired rows, in all environments. Safe to run in several processes at once.
   *
   * @param signal ends the run after the current batch
   * @throws ServiceError UNAVAILABLE; rows already removed stay removed
   */
  async run(signal?: AbortSignal): Promise<RetentionResult> {
    const now = this.#clock.now();
    const { executionsMs, summariesMs, interceptorLogsMs, webhookDeliveriesMs } = this.#times;
    const result = {
      executions: 0,
      executionSums: 0,
      links: 0,
      oauthFlows: 0,
      authRequests: 0,
      revokedTokens: 0,
      credentialSecrets: 0,
      interceptorLogs: 0,
      webhookDeliveries: 0,
      signingSecrets: 0,
      idempotencyKeys: 0,
      emailCodes: 0,
      signInFlows: 0,
      sessions: 0,
      authorizationArtifacts: 0,
    };
    await this.#removeRateWindows(signal);
    for (const { id } of await new EnvironmentStore(this.#db.read).list()) {
      const upTo = (name: Temporary, keptMs: number) => this.#remove(name, id, now - keptMs, signal);
      result.executions += await upTo('executions', executionsMs);
      result.executionSums += await upTo('executionSums', summariesMs);
      result.oauthFlows += await upTo('oauthFlows', FLOW_AFTERMATH_MS);
      result.links += await upTo('links', AFTERMATH_MS);
      result.authRequests += await upTo('authRequests', AFTERMATH_MS);
      result.revokedTokens += await upTo('revokedTokens', 0);
      result.credentialSecrets += await upTo('credentialSecrets', AFTERMATH_MS);
      result.interceptorLogs += await upTo('interceptorLogs', interceptorLogsMs);
      result.webhookDeliveries += await upTo('webhookDeliveries', webhookDeliveriesMs);
      result.webhookDeliveries += await upTo('heldDeliveries', webhookDeliveriesMs);
      result.idempotencyKeys += await upTo('idempotencyKeys', IDEMPOTENCY_MS);
      result.emailCodes += await upTo('emailCodes', FLOW_AFTERMATH_MS);
      result.signInFlows += await upTo('signInFlows', FLOW_AFTERMATH_MS);
      result.authorizationArtifacts += await upTo('artifacts', FLOW_AFTERMATH_MS);
      // One that expires now is over.
      result.authorizationArtifacts += await upTo('unusedArtifacts', -1);
      result.authorizationArtifacts += await upTo('consumedArtifacts', CONSUMED_MS);
      result.sessions += await upTo('expiredSessions', AFTERMATH_MS);
      result.sessions += await upTo('endedSessions', AFTERMATH_MS);
      result.signingSecrets += await upTo('signingSecrets', AFTERMATH_MS);
    }
    return result;
  }

  /** Removes rows whose time is before the given one, oldest first. Finding them may take long, removing them not. */
  async #remove(
    name: Temporary,
    environmentId: string,
    before: number,
    signal?: AbortSignal,
  ): Promise<number> {
    const isStopped = () => signal?.aborted === true;
    const found = new RetentionStore(this.#db.longRead);
    let total = 0;
    let last: OverKey | undefined;
    while (!isStopped()) {
      const rows = await found.find(name, environmentId, { before, last, limit: FOUND_ROWS });
      for (let start = 0; start < rows.length && !isStopped(); start += BATCH_ROWS) {
        const keys = rows.slice(start, start + BATCH_ROWS).map(({ key }) => key);
        total += await this.#givingWay(async () =>
          this.#db.transaction((tx) => new RetentionStore(tx).remove(name, environmentId, { before, keys })),
        );
      }
      last = rows.at(-1);
      if (rows.length < FOUND_ROWS) break;
    }
    return total;
  }

  async #removeRateWindows(signal?: AbortSignal): Promise<void> {
    const isStopped = () => signal?.aborted === true;
    let after: string | undefined = '';
    while (after !== undefined && !isStopped()) {
      const from: string = after;
      after = await this.#givingWay(async () => this.#rateLimiter.removeExpired(from));
    }
  }

  /** Leaves the database and the event loop to others for longer than the work took. */
  async #givingWay<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    await sleep(Math.min((performance.now() - startedAt) * REST_RATIO, MAX_REST_MS));
    return result;
  }
}

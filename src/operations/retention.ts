/** Removes rows after their retention time. Works in bounded batches, so that writers never wait long. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/engine/database.ts';
import { EnvironmentStore } from '../store/installation/environment-store.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';
import { RetentionStore, type TemporaryTable } from '../store/installation/retention-store.ts';

const BATCH_ROWS = 200;

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
  interceptorLogsMs: number;
  webhookDeliveriesMs: number;
}

/** Rows removed by one run. */
export interface RetentionResult {
  executions: number;
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
    const { executionsMs, interceptorLogsMs, webhookDeliveriesMs } = this.#times;
    const result = {
      executions: 0,
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
    await this.#rateLimiter.removeExpired();
    for (const { id } of await new EnvironmentStore(this.#db.read).list()) {
      const remove = (work: (store: RetentionStore) => Promise<number>) => this.#inBatches(work, signal);
      const upTo = (table: TemporaryTable, keptMs: number) =>
        remove((store) => store.deleteBefore(table, id, now - keptMs, BATCH_ROWS));
      result.executions += await upTo('executions', executionsMs);
      result.oauthFlows += await upTo('oauth_flows', FLOW_AFTERMATH_MS);
      result.links += await upTo('links', AFTERMATH_MS);
      result.authRequests += await upTo('auth_requests', AFTERMATH_MS);
      result.revokedTokens += await upTo('revoked_tokens', 0);
      result.credentialSecrets += await upTo('credential_secrets', AFTERMATH_MS);
      result.interceptorLogs += await upTo('interceptor_logs', interceptorLogsMs);
      result.webhookDeliveries += await upTo('webhook_deliveries', webhookDeliveriesMs);
      result.webhookDeliveries += await remove((store) =>
        store.deleteHeldDeliveries(id, now - webhookDeliveriesMs, BATCH_ROWS),
      );
      result.idempotencyKeys += await upTo('idempotency_keys', IDEMPOTENCY_MS);
      result.emailCodes += await upTo('email_codes', FLOW_AFTERMATH_MS);
      result.signInFlows += await upTo('sign_in_flows', FLOW_AFTERMATH_MS);
      result.authorizationArtifacts += await upTo('authorization_artifacts', FLOW_AFTERMATH_MS);
      result.authorizationArtifacts += await remove((store) =>
        store.deleteConsumedArtifacts(id, now - CONSUMED_MS, BATCH_ROWS),
      );
      result.sessions += await remove((store) => store.deleteSessions(id, now - AFTERMATH_MS, BATCH_ROWS));
      result.signingSecrets += await upTo('signing_secrets', AFTERMATH_MS);
    }
    return result;
  }

  async #inBatches(work: (store: RetentionStore) => Promise<number>, signal?: AbortSignal): Promise<number> {
    const isStopped = () => signal?.aborted === true;
    let total = 0;
    for (let removed = BATCH_ROWS; removed === BATCH_ROWS && !isStopped(); total += removed) {
      removed = await this.#db.transaction((tx) => work(new RetentionStore(tx)));
      await nextTurn();
    }
    return total;
  }
}

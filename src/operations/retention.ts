/** Removes rows that have served their time. Bounded batches, so that it never keeps writers waiting for long. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import { EnvironmentStore } from '../store/environment-store.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import { RetentionStore } from '../store/retention-store.ts';

const BATCH_ROWS = 200;

/** Ended links, auth requests and secrets stay this long, so that a person can find out what happened. */
const AFTERMATH_MS = 7 * 24 * 3_600_000;

/** An expired way to a provider and back is told from an unknown one for this long; each try makes a row. */
const FLOW_AFTERMATH_MS = 24 * 3_600_000;

/** How long the outcome of a call under an idempotency key is kept (contract section 7). */
const IDEMPOTENCY_MS = 24 * 3_600_000;

/** How long rows are kept, in milliseconds (settings `retention.…`). */
export interface RetentionTimes {
  executionsMs: number;
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
  webhookDeliveries: number;
  signingSecrets: number;
  idempotencyKeys: number;
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
   * Removes everything whose time is over, in all environments. Safe to run in several processes at once.
   *
   * @param signal ends the run after the current batch
   * @throws ServiceError UNAVAILABLE; what was removed before stays removed
   */
  async run(signal?: AbortSignal): Promise<RetentionResult> {
    const now = this.#clock.now();
    const { executionsMs, webhookDeliveriesMs } = this.#times;
    const result = {
      executions: 0,
      links: 0,
      oauthFlows: 0,
      authRequests: 0,
      revokedTokens: 0,
      credentialSecrets: 0,
      webhookDeliveries: 0,
      signingSecrets: 0,
      idempotencyKeys: 0,
    };
    await this.#rateLimiter.removeExpired();
    for (const { id } of await new EnvironmentStore(this.#db.read).list()) {
      const remove = (work: (store: RetentionStore) => Promise<number>) => this.#inBatches(work, signal);
      result.executions += await remove((s) => s.deleteExecutions(id, now - executionsMs, BATCH_ROWS));
      result.oauthFlows += await remove((s) => s.deleteOAuthFlows(id, now - FLOW_AFTERMATH_MS, BATCH_ROWS));
      result.links += await remove((s) => s.deleteLinks(id, now - AFTERMATH_MS, BATCH_ROWS));
      result.authRequests += await remove((s) => s.deleteAuthRequests(id, now - AFTERMATH_MS, BATCH_ROWS));
      result.revokedTokens += await remove((s) => s.deleteRevokedTokens(id, now, BATCH_ROWS));
      result.credentialSecrets += await remove((s) =>
        s.deleteCredentialSecrets(id, now - AFTERMATH_MS, BATCH_ROWS),
      );
      for (const work of ['deleteFinishedDeliveries', 'deleteHeldDeliveries'] as const) {
        result.webhookDeliveries += await remove((s) => s[work](id, now - webhookDeliveriesMs, BATCH_ROWS));
      }
      result.idempotencyKeys += await remove((s) =>
        s.deleteIdempotencyKeys(id, now - IDEMPOTENCY_MS, BATCH_ROWS),
      );
      result.signingSecrets += await remove((s) =>
        s.deleteSigningSecrets(id, now - AFTERMATH_MS, BATCH_ROWS),
      );
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

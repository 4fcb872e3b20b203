/**
 * Pauses that providers ask for: after a 429 with `Retry-After` no call of that account is sent until the time is over.
 *
 * This process knows of a pause at once, also while the database cannot be written. The others learn of it from the
 * account that their next call reads.
 */
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { MAX_RETRY_AFTER_MS } from '../../outbound/retry.ts';
import type { Account } from '../../store/accounts/account.ts';
import { PauseStore, type PauseScope } from '../../store/accounts/pause-store.ts';
import type { Database } from '../../store/engine/database.ts';

/** A pause that ends this much later than the known one is not stored: calls in flight are refused all at once. */
const SAME_PAUSE_MS = 1_000;

/** Maximum pauses remembered in this process; beyond it the oldest is known only from the database. */
const MAX_REMEMBERED = 10_000;

export class ProviderPauses {
  readonly #deps: { db: Database; clock: Clock; log: Log };
  /** Ends of pauses in Unix milliseconds, by connection, or by account and its credentials. */
  readonly #ends = new Map<string, number>();

  constructor(deps: { db: Database; clock: Clock; log: Log }) {
    this.#deps = deps;
  }

  /** @param title the provider's name for people @throws ServiceError RATE_LIMITED with the time to wait */
  requireNone(account: Account, title: string): void {
    const ofAccount = this.#leftMs(keyOf(account, 'account'), account.pausedUntil);
    const ofConnection = this.#leftMs(keyOf(account, 'connection'), account.connection.pausedUntil);
    const leftMs = Math.max(ofAccount, ofConnection);
    if (leftMs === 0) return;
    const retryAfterSeconds = Math.ceil(leftMs / 1_000);
    const whose = leftMs === ofAccount ? 'this account' : 'the accounts of this connection';
    throw new ServiceError(
      'RATE_LIMITED',
      `${title} wants no calls from ${whose} for now, so nothing was sent. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, details: { retry_after: retryAfterSeconds } },
    );
  }

  /** Begins a pause. Never fails: a pause that cannot be stored is logged, and holds in this process. */
  async begin(account: Account, scope: PauseScope, lengthMs: number): Promise<void> {
    const { db, clock, log } = this.#deps;
    const key = keyOf(account, scope);
    const until = clock.now() + lengthMs;
    const known = this.#ends.get(key);
    if (known !== undefined && this.#isRunning(known) && until - known < SAME_PAUSE_MS) return;
    this.#remember(key, until);
    try {
      await db.transaction(async (tx) => new PauseStore(tx).begin(account, scope, until));
    } catch (err) {
      log.warn('provider_pause_not_stored', { connected_account_id: account.id, err });
    }
  }

  #remember(key: string, until: number): void {
    this.#ends.delete(key);
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size >= MAX_REMEMBERED) this.#ends.delete(oldest);
    this.#ends.set(key, until);
  }

  /** Milliseconds until both the remembered and the stored pause are over; 0 without one. */
  #leftMs(key: string, stored: number | null): number {
    const remembered = this.#ends.get(key);
    if (remembered !== undefined && !this.#isRunning(remembered)) this.#ends.delete(key);
    const ends = [remembered ?? 0, stored ?? 0].filter((end) => this.#isRunning(end));
    return Math.max(0, ...ends.map((end) => end - this.#deps.clock.now()));
  }

  /** An end beyond the longest pause means that the clock was set back; it counts as over, or it would last as long. */
  #isRunning(end: number): boolean {
    const leftMs = end - this.#deps.clock.now();
    return leftMs > 0 && leftMs <= MAX_RETRY_AFTER_MS;
  }
}

/** New credentials of an account begin without a pause. */
function keyOf({ id, generation, connection }: Account, scope: PauseScope): string {
  return scope === 'account' ? `${id} ${generation}` : connection.id;
}

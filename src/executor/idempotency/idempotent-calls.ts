/**
 * Makes a call under an idempotency key happen once (docs/contract.md#idempotency-keys).
 *
 * Outcomes of calls that reached the provider are stored sealed and replayed for 24 hours; earlier refusals are not
 * stored. A second call waits for the first, in any process. A write is recorded before it is sent: if its process dies
 * afterwards, it is never sent again, because nobody knows whether it was made.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { AccountNotActive } from '../../accounts/not-active.ts';
import { systemTimers, type Timers } from '../../core/timers.ts';
import type { Effect } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { HeldKey, IdempotencyStore } from '../../store/records/idempotency-store.ts';
import { OutcomePoller } from './outcome-poller.ts';
import { IdempotencyQuota } from './idempotency-quota.ts';
import type { SendObserver } from '../call/perform-call.ts';
import { readOutcome, unknownOutcome, writeOutcome, type Outcome } from './stored-outcome.ts';

/** Lifetime of an outcome. */
const KEPT_MS = 24 * 3_600_000;

/** Limit of stored keys per credential. */
const MAX_KEYS = 10_000;

/** A call under a key. */
export interface IdempotentCall {
  caller: Caller;
  account: Account;
  key: string;
  /** The part that must be the same in every call under the key; JSON. */
  input: unknown;
  effect: Effect;
  /** Whether the tool makes several requests: then a refused one does not mean that nothing was done. */
  hasSeveralRequests: boolean;
  /** Ends the wait for another call. */
  signal: AbortSignal | undefined;
}

/** Seals and opens outcomes for their row. */
export interface OutcomeSeal {
  seal(place: OutcomePlace, text: string): Promise<string>;
  open(place: OutcomePlace, sealed: string): Promise<string>;
}

interface OutcomePlace {
  table: string;
  row: string;
  column: string;
}

/** Events of the call while it runs. */
interface Progress {
  hasReached: boolean;
}

interface IdempotentCallsDeps {
  store: IdempotencyStore;
  seal: OutcomeSeal;
  hashKey: Buffer;
  clock: Clock;
  log: Log;
  leaseMs: number;
  timers?: Timers;
  /** Default: 10,000. */
  maxKeys?: number;
}

export class IdempotentCalls {
  readonly #deps: IdempotentCallsDeps;
  readonly #quota: IdempotencyQuota;
  readonly #looks: OutcomePoller;
  readonly #timers: Timers;

  /**
   * @param deps.hashKey the same in every process. It is secret because an attacker could guess the hashed input.
   * @param deps.leaseMs lease of the store
   */
  constructor(deps: IdempotentCallsDeps) {
    this.#deps = deps;
    this.#quota = new IdempotencyQuota(deps.store, deps.clock, {
      maxKeys: deps.maxKeys ?? MAX_KEYS,
      keptMs: KEPT_MS,
    });
    this.#timers = deps.timers ?? systemTimers;
    this.#looks = new OutcomePoller(deps.store, deps.clock, this.#timers);
  }

  /**
   * Makes the call, or replays its stored outcome.
   *
   * @param run notifies the observer about its requests
   * @throws ServiceError IDEMPOTENCY_CONFLICT for another input or an outcome that was too large to store, RATE_LIMITED
   *   if the limit of keys is reached, UNAVAILABLE; the error of `run`, new or replayed
   */
  async run(
    call: IdempotentCall,
    run: (observer: SendObserver) => Promise<Outcome>,
  ): Promise<{ outcome: Outcome; isReplay: boolean }> {
    const { caller, account, key: text } = call;
    const keyHash = this.#hash(text);
    const key = { environmentId: account.environmentId, actor: caller.actor, accountId: account.id, keyHash };
    const owner = randomUUID();
    const since = this.#deps.clock.now();
    const waitSeconds = await this.#quota.wait(key);
    for (;;) {
      const claim = await this.#deps.store.claim(key, {
        inputHash: this.#hash(JSON.stringify(call.input, sortMembers)),
        owner,
        repeatable: call.effect === 'read',
        forgottenBefore: this.#deps.clock.now() - KEPT_MS,
        mayBegin: waitSeconds === undefined,
      });
      switch (claim.kind) {
        case 'other_input':
          throw otherInput();
        case 'full':
          throw tooManyKeys(this.#quota.maxKeys, waitSeconds ?? 1);
        case 'done':
          return { outcome: readOutcome(await this.#open(claim)), isReplay: true };
        case 'unknown':
          await this.#finish(claim.held, unknownOutcome());
          throw unknownOutcome();
        case 'running':
          await this.#looks.wait(key, since, call.signal);
          break;
        case 'held': {
          try {
            const outcome = await this.#make(claim.held, call, run);
            if (outcome !== undefined) return { outcome, isReplay: false };
          } finally {
            this.#looks.end(key);
          }
        }
      }
    }
  }

  /** Returns `undefined` if the key was lost before anything was sent. */
  async #make(
    held: HeldKey,
    call: IdempotentCall,
    run: (observer: SendObserver) => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    const progress: Progress = { hasReached: false };
    const stop = this.#timers.every(Math.max(10, Math.round(this.#deps.leaseMs / 3)), () => {
      this.#deps.store.extend(held).catch((err: unknown) => this.#deps.log.warn('lease_not_kept', { err }));
    });
    try {
      const outcome = await run(this.#observer(held, call.effect, progress));
      await this.#end(held, progress.hasReached ? outcome : undefined);
      return outcome;
    } catch (error) {
      if (error instanceof LeaseLost) return undefined;
      await this.#end(held, progress.hasReached ? keptFailure(error, call) : undefined);
      throw error;
    } finally {
      stop();
    }
  }

  #observer(held: HeldKey, effect: Effect, progress: Progress): SendObserver {
    let isMarked = effect === 'read';
    return {
      sending: async () => {
        if (isMarked) return;
        if (!(await this.#deps.store.markSent(held))) throw new LeaseLost();
        isMarked = true;
      },
      reached: () => {
        progress.hasReached = true;
      },
      refused: () => {
        progress.hasReached = false;
      },
    };
  }

  /** A database that cannot be written does not fail a call that the provider has answered. */
  async #end(held: HeldKey, end: Outcome | ServiceError | undefined): Promise<void> {
    try {
      if (end === undefined) await this.#deps.store.release(held);
      else await this.#finish(held, end);
    } catch (err) {
      this.#deps.log.error('outcome_not_kept', { err });
    }
  }

  async #finish(held: HeldKey, end: Outcome | ServiceError): Promise<void> {
    await this.#deps.store.finish(held, await this.#deps.seal.seal(placeOf(held.id), writeOutcome(end)));
  }

  #hash(text: string): string {
    return createHmac('sha256', this.#deps.hashKey).update(text).digest('base64url');
  }

  async #open({ id, sealed }: { id: string; sealed: string }): Promise<string> {
    return this.#deps.seal.open(placeOf(id), sealed);
  }
}

const placeOf = (row: string): OutcomePlace => ({ table: 'idempotency_keys', row, column: 'outcome_sealed' });

/** An immediately refused credential has done nothing: with a new one the same call must be made. */
function keptFailure(error: unknown, call: IdempotentCall): ServiceError | undefined {
  if (error instanceof AccountNotActive && !call.hasSeveralRequests) return undefined;
  if (error instanceof ServiceError) return error;
  return call.effect === 'read' ? undefined : unknownOutcome();
}

/** Gives equal JSON the same text, independent of the order of its members. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Another call holds the key now. Only the execution log sees this error: the call waits for the other one instead. */
class LeaseLost extends ServiceError {
  constructor() {
    super(
      'UNAVAILABLE',
      'Another process has taken over the call with this idempotency_key. This one sent nothing.',
    );
  }
}

/** The key belongs to another call. */
function otherInput(): ServiceError {
  return new ServiceError(
    'IDEMPOTENCY_CONFLICT',
    'This idempotency_key was used for another call. Use a new key for a new call; repeat a call with the same input.',
  );
}

/** The credential has reached its limit of stored keys. */
function tooManyKeys(limit: number, retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `This credential has used ${limit} idempotency keys in 24 hours, and no more are kept at a time. Repetitions of calls made before are still answered. The next key is free in ${retryAfterSeconds} s; until then make calls without one, or with another credential.`,
    { retryAfterSeconds, details: { limit, retry_after: retryAfterSeconds } },
  );
}

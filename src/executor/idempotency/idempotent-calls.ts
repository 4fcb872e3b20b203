/**
 * Makes a call under an idempotency key happen once (docs/contract.md#idempotency-keys).
 *
 * The outcome of a call that reached the provider is kept, sealed, and given again for a day; what was refused before
 * anything was sent is not. A second call waits for the first, in whatever process that is. Before a write is sent that
 * is noted, so that one whose process died afterwards is never sent again: nobody knows whether it was made.
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

/** How long an outcome is kept. */
const KEPT_MS = 24 * 3_600_000;

/** Keys of one credential that are kept at a time. */
const MAX_KEYS = 10_000;

/** A call under a key. */
export interface IdempotentCall {
  caller: Caller;
  account: Account;
  key: string;
  /** What has to be the same in every call under the key; JSON. */
  input: unknown;
  effect: Effect;
  /** The tool makes several requests, so that a refused one does not mean that nothing was done. */
  hasSeveralRequests: boolean;
  /** Ends the waiting for another call. */
  signal: AbortSignal | undefined;
}

/** Seals and opens outcomes for the place where they are stored. */
export interface OutcomeSeal {
  seal(place: OutcomePlace, text: string): Promise<string>;
  open(place: OutcomePlace, sealed: string): Promise<string>;
}

interface OutcomePlace {
  table: string;
  row: string;
  column: string;
}

/** What happened to the call while it ran. */
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
   * @param deps.hashKey the same in every process: what is hashed may be guessed by whoever can try
   * @param deps.leaseMs the one of the store
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
   * Makes the call, or gives again what it was answered.
   *
   * @param run tells the watch about its requests
   * @throws ServiceError IDEMPOTENCY_CONFLICT for another input or an outcome that was too large to be kept, RATE_LIMITED
   *   where no more keys are kept, UNAVAILABLE; what `run` throws, now or then
   */
  async run(
    call: IdempotentCall,
    run: (watch: SendObserver) => Promise<Outcome>,
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

  /** undefined: the key was lost before anything was sent. */
  async #make(
    held: HeldKey,
    call: IdempotentCall,
    run: (watch: SendObserver) => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    const progress: Progress = { hasReached: false };
    const stop = this.#timers.every(Math.max(10, Math.round(this.#deps.leaseMs / 3)), () => {
      this.#deps.store.extend(held).catch((err: unknown) => this.#deps.log.warn('lease_not_kept', { err }));
    });
    try {
      const outcome = await run(this.#watch(held, call.effect, progress));
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

  #watch(held: HeldKey, effect: Effect, progress: Progress): SendObserver {
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

/** A credential that was refused at once has done nothing: with a new one the same call is to be made. */
function keptFailure(error: unknown, call: IdempotentCall): ServiceError | undefined {
  if (error instanceof AccountNotActive && !call.hasSeveralRequests) return undefined;
  if (error instanceof ServiceError) return error;
  return call.effect === 'read' ? undefined : unknownOutcome();
}

/** The same text for the same JSON, in whatever order its members came. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Somebody else has the key by now. Seen by the log of executions alone: the call waits for the other one instead. */
class LeaseLost extends ServiceError {
  constructor() {
    super(
      'UNAVAILABLE',
      'Another process makes the call under this idempotency_key by now. This one sent nothing.',
    );
  }
}

/** The key means another call. */
function otherInput(): ServiceError {
  return new ServiceError(
    'IDEMPOTENCY_CONFLICT',
    'This idempotency_key was used for another call. Use a new key for a new call; repeat a call with the same input.',
  );
}

/** The credential has used as many keys as are kept for it. */
function tooManyKeys(limit: number, retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `This credential has used ${limit} idempotency keys in 24 hours, and no more are kept at a time. Repetitions of calls made before are still answered. The next key is free in ${retryAfterSeconds} s; until then make calls without one, or with another credential.`,
    { retryAfterSeconds, details: { limit, retry_after: retryAfterSeconds } },
  );
}

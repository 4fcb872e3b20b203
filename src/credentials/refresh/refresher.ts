/**
 * Renews access credentials, one renewal per account at a time, for any number of callers and processes
 * (docs/security.md#one-refresh-per-expiry).
 *
 * Within a process, callers share one promise per account and version of its credentials. Across processes, the holder
 * of the lease in the account's row asks the provider, and the others wait for the outcome.
 */
import { accountNotFound } from '../../accounts/account-finder.ts';
import type { SealedDetails } from '../../accounts/sealed-details.ts';
import type { Connector, ConnectorAuth } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { newSecret } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { leaseTakeOvers } from '../../core/telemetry/measured.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { RefreshStore, type RefreshState, type RefreshTarget } from '../../store/accounts/refresh-store.ts';
import { renewalOf } from '../schemes/index.ts';
import type { Obtain, Renewal, SchemeServices } from '../schemes/renewal.ts';
import { RefreshAttempt, type AttemptServices } from './attempt.ts';
import { MAX_COOL_DOWN_MS } from './cool-down.ts';
import { reasonFrom, type RefreshProblem } from './refresh-failure.ts';
import { systemTimers, type Timers } from '../../core/timers.ts';
import { tokenAge } from './token-age.ts';

/** Interval at which a waiting process checks whether another one is done. */
const POLL_MS = 20;

/** Forced renewals per minute and account. If a provider refuses each new token too, more renewals do not help. */
const FORCED_PER_MINUTE = 10;

/** The outcome of a refresh. */
export type RefreshOutcome =
  /** The account with newer credentials than the given ones, whichever process renewed them. */
  | { kind: 'renewed'; account: Account }
  /** The account is no longer ACTIVE. */
  | { kind: 'ended'; account: Account }
  /** Not possible for now; the account stays as it is. */
  | { kind: 'failed'; problem: RefreshProblem };

/** A refresh that runs in this process. */
export interface RefreshFlight {
  outcome: Promise<RefreshOutcome>;
  /** Unix milliseconds. */
  startedAt: number;
}

/** The rules of an account's connection. */
export interface RefreshRules {
  connector: Connector;
  auth: ConnectorAuth;
}

/** Settings `refresh`. */
export interface RefreshSettings {
  marginMs: number;
  leaseMs: number;
  deadlineMs: number;
}

/** Counts forced renewals; shared by all processes. */
export interface RefreshRates {
  peek(key: string, perMinute: number): Promise<{ retryAfterMs: number } | undefined>;
  take(key: string, perMinute: number): Promise<{ retryAfterMs: number } | undefined>;
}

export interface RefresherDeps {
  db: Database;
  sealed: SealedDetails;
  /** The services through which schemes reach a provider. */
  services: SchemeServices;
  rates: RefreshRates;
  clock: Clock;
  log: Log;
  settings: RefreshSettings;
  discarded: AttemptServices['discarded'];
  timers?: Timers;
  /** From 0 to below 1. */
  random?: () => number;
}

export class Refresher {
  readonly #deps: RefresherDeps;
  readonly #timers: Timers;
  readonly #store: RefreshStore;
  readonly #attempts: AttemptServices;
  readonly #flights = new Map<string, RefreshFlight>();
  /** Attempts that may outlast the callers they were begun for. */
  readonly #attemptsUnderWay = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
    this.#timers = deps.timers ?? systemTimers;
    const { db, clock, settings } = deps;
    this.#store = new RefreshStore(db, clock, {
      leaseMs: settings.leaseMs,
      maxCoolDownMs: MAX_COOL_DOWN_MS,
    });
    this.#attempts = {
      ...deps,
      ...settings,
      store: this.#store,
      timers: this.#timers,
      random: deps.random ?? Math.random,
      isClosing: () => this.#isClosing,
      underWay: (work) => {
        this.#attemptsUnderWay.add(work);
        const end = (): boolean => this.#attemptsUnderWay.delete(work);
        void work.then(end, end);
      },
    };
  }

  /**
   * Renews the credentials of `account`, an ACTIVE account of a renewable type, unless they have been renewed already.
   *
   * Continues even if no caller waits for the outcome, which rejects with a ServiceError: RESOURCE_NOT_FOUND,
   * UNAVAILABLE (database, or this process stops), RATE_LIMITED (forced too often).
   */
  renew(account: Account, rules: RefreshRules): RefreshFlight {
    const key = `${account.id} ${account.generation}`;
    const known = this.#flights.get(key);
    if (known !== undefined) return known;
    const outcome = this.#run(account, rules).finally(() => this.#flights.delete(key));
    outcome.catch(() => {});
    const flight = { outcome, startedAt: this.#deps.clock.now() };
    this.#flights.set(key, flight);
    return flight;
  }

  /** Starts no more refreshes. Resolves when the running ones are stored or `graceMs` have passed. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const waiting = new AbortController();
    const grace = this.#timers.sleep(graceMs, waiting.signal).catch(() => {});
    await Promise.race([this.settled(), grace]);
    waiting.abort();
  }

  /** Resolves when no refresh is running. */
  async settled(): Promise<void> {
    while (this.#flights.size + this.#attemptsUnderWay.size > 0) {
      const outcomes = [...this.#flights.values()].map(({ outcome }) => outcome);
      await Promise.allSettled([...outcomes, ...this.#attemptsUnderWay]);
    }
  }

  /**
   * An abandoned lease is watched for two thirds of its length before it is taken over. A living holder extends it in
   * each third. So a clock that jumped, or a database that was away, does not have a token presented twice.
   */
  async #run(account: Account, rules: RefreshRules): Promise<RefreshOutcome> {
    const target = { environmentId: account.environmentId, id: account.id, generation: account.generation };
    let leaseUntil: number | null = null;
    let watchedMs = 0;
    for (;;) {
      const state = await this.#store.look(target);
      if (state === undefined) throw accountNotFound();
      if (state.leaseUntil !== leaseUntil) {
        leaseUntil = state.leaseUntil;
        watchedMs = 0;
      }
      if (hasMovedOn(state, target)) {
        const outcome = await this.#outcomeOf(target);
        if (outcome !== undefined) return outcome;
      } else if (
        !state.isLeased &&
        (!state.isAbandoned || watchedMs >= (this.#deps.settings.leaseMs * 2) / 3)
      ) {
        const problem = await this.#tryNow(account, rules, state);
        if (problem !== undefined) return { kind: 'failed', problem };
        continue;
      }
      if (this.#isClosing) throw stopping();
      await this.#timers.sleep(POLL_MS);
      watchedMs += POLL_MS;
    }
  }

  async #outcomeOf({ environmentId, id, generation }: RefreshTarget): Promise<RefreshOutcome | undefined> {
    const account = await new AccountStore(this.#deps.db.read).find({ environmentId }, id);
    if (account === undefined) throw accountNotFound();
    if (account.status !== 'ACTIVE') return { kind: 'ended', account };
    return account.generation === generation ? undefined : { kind: 'renewed', account };
  }

  /** No refresh is running: returns the cool-down or calls the provider. `undefined` means: read the row again. */
  async #tryNow(
    account: Account,
    rules: RefreshRules,
    state: RefreshState,
  ): Promise<RefreshProblem | undefined> {
    if (state.coolDownMs > 0) {
      const reason = reasonFrom(state.failedReason);
      return { reason, retryAfterMs: state.coolDownMs, failure: undefined };
    }
    if (this.#isClosing) throw stopping();
    const { sealed, clock, settings } = this.#deps;
    const details = await sealed.open(account);
    const renewal = renewalOf(rules.auth);
    if (renewal?.isPossible(details) !== true) throw new Error('this account cannot be renewed');
    const obtain = await this.#prepared(renewal, account, rules);
    if (typeof obtain !== 'function') return obtain;
    const credential = renewal.credentialOf(details);
    const isForced = tokenAge(account, credential, clock.now(), settings.marginMs) === 'good';
    if (isForced) await this.#refuseTooMany(account);
    const owner = newSecret();
    const target = { environmentId: account.environmentId, id: account.id, generation: account.generation };
    const lease = await this.#store.take(target, owner);
    if (lease === undefined) return undefined;
    if (state.isAbandoned) leaseTakeOvers.tell();
    if (isForced) await this.#deps.rates.take(rateKey(account), FORCED_PER_MINUTE);
    return new RefreshAttempt(this.#attempts, { account, owner, lease, obtain, by: renewal.by }).run();
  }

  /** If the connection lacks something, the operator has to fix it, and no provider is asked. */
  async #prepared(renewal: Renewal, account: Account, rules: RefreshRules): Promise<Obtain | RefreshProblem> {
    const { db, sealed, services } = this.#deps;
    const connection = await new ConnectionStore(db.read).findById(
      account.environmentId,
      account.connection.id,
    );
    if (connection === undefined) throw accountNotFound();
    try {
      const details = await sealed.open(account);
      return await renewal.prepare({ account, details, connection, ...rules }, services);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'INVALID_ARGUMENT') throw error;
      const explanation = error.violations.map(({ description }) => description).join(' ');
      return { reason: 'client_refused', retryAfterMs: 0, failure: undefined, explanation };
    }
  }

  async #refuseTooMany(account: Account): Promise<void> {
    const refused = await this.#deps.rates.peek(rateKey(account), FORCED_PER_MINUTE);
    if (refused === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(refused.retryAfterMs / 1_000));
    throw new ServiceError(
      'RATE_LIMITED',
      `The access token of this account has been renewed ${FORCED_PER_MINUTE} times within a minute. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, details: { limit: FORCED_PER_MINUTE, retry_after: retryAfterSeconds } },
    );
  }
}

function hasMovedOn(state: RefreshState, target: RefreshTarget): boolean {
  return state.status !== 'ACTIVE' || state.generation !== target.generation;
}

function rateKey(account: Account): string {
  return `${account.environmentId}:${account.id}:refresh`;
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'This process is stopping. Try again in a moment.', {
    retryAfterSeconds: 1,
  });
}

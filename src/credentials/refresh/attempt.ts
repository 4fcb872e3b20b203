/**
 * One renewal by the holder of the lease: requests an access credential, keeps the lease alive meanwhile, and stores
 * the outcome (docs/security.md#dead-refresher).
 *
 * Does not depend on waiting callers: one that leaves changes nothing here.
 */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import { announce } from '../../accounts/announce.ts';
import type { SealedDetails } from '../../accounts/sealed-details.ts';
import { leftOf, type Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log, LogFields } from '../../core/log.ts';
import { refreshes } from '../../core/telemetry/measured.ts';
import { asSpan } from '../../core/telemetry/spans.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Database } from '../../store/engine/database.ts';
import type {
  RefreshStore,
  RefreshTarget,
  RenewedColumns,
  TakenLease,
} from '../../store/accounts/refresh-store.ts';
import { TokenFailure } from '../oauth/token-endpoint.ts';
import { expireCredential } from './refused-credential.ts';
import type { Obtain, ObtainedCredential, Renewal } from '../schemes/renewal.ts';
import { coolDownMs } from './cool-down.ts';
import type { RefreshProblem } from './refresh-failure.ts';
import { renewedExpiry } from '../schemes/renewed-credentials.ts';
import type { Timers } from '../../core/timers.ts';

/** Least time before the deadline that a retry needs. */
const SHORTEST_REPEAT_MS = 1_000;

/** Pause between attempts to store new tokens in a database that cannot be written. */
const STORE_AGAIN_MS = 1_000;

/**
 * Most attempts to store a new token, for an hour at least, because it replaced another one and exists in this
 * process alone.
 */
const MAX_STORE_ATTEMPTS = 3_600;

/** Dependencies of an attempt. */
export interface AttemptServices {
  db: Database;
  store: RefreshStore;
  sealed: SealedDetails;
  clock: Clock;
  timers: Timers;
  /** From 0 to below 1. */
  random: () => number;
  log: Log;
  leaseMs: number;
  /** Limit for all requests of one attempt together. */
  deadlineMs: number;
  /** Whether the process is stopping; then a broken request says nothing about the provider. */
  isClosing: () => boolean;
  /** Called with the work of an attempt, which may outlast its callers. */
  underWay: (work: Promise<unknown>) => void;
  /** Called with tokens that came for an account that no longer has credentials. */
  discarded: (account: Account, details: AuthorizationDetails) => void;
}

/** The renewal that a lease was taken for. */
export interface RefreshJob {
  /** As it was when the lease was taken. */
  account: Account;
  owner: string;
  lease: TakenLease;
  /** Asks the provider once. */
  obtain: Obtain;
  /** Whether the request presents a token that it may spend. */
  by: Renewal['by'];
}

export class RefreshAttempt {
  readonly #services: AttemptServices;
  readonly #job: RefreshJob;
  readonly #target: RefreshTarget;
  /** Whether the token has been presented with an unknown outcome. */
  #isUnknown: boolean;
  #isExtending = false;
  /** Rejects when callers have waited long enough for tokens that cannot be stored. */
  readonly #givenUp = Promise.withResolvers<never>();

  constructor(services: AttemptServices, job: RefreshJob) {
    this.#services = services;
    this.#job = job;
    const { account, lease, by } = job;
    this.#target = { environmentId: account.environmentId, id: account.id, generation: account.generation };
    this.#isUnknown = by === 'token' && lease.isRepeat;
  }

  /**
   * Returns why there is no new token for now. `undefined` means that the row says the rest: new credentials, the
   * end of the account, or another owner's lease.
   *
   * @throws ServiceError UNAVAILABLE if the outcome cannot be stored in time; new tokens are stored as soon as they can be
   */
  async run(): Promise<RefreshProblem | undefined> {
    const outcome = this.#outcome();
    this.#services.underWay(outcome);
    return Promise.race([outcome, this.#givenUp.promise]);
  }

  async #outcome(): Promise<RefreshProblem | undefined> {
    const { timers, leaseMs } = this.#services;
    const { connector } = this.#job.account.connection;
    const attributes = { 'gatehouse.connector': connector };
    const stopHeartbeat = timers.every(leaseMs / 3, () => void this.#heartbeat());
    try {
      return await asSpan(
        'refresh',
        async () => {
          const answer = await this.#ask();
          return answer instanceof TokenFailure ? this.#fail(answer) : this.#store(answer);
        },
        (outcome) => {
          if ('error' in outcome) return { attributes, error: 'not_stored' };
          return { attributes, ...(outcome.value && { error: outcome.value.reason }) };
        },
      );
    } finally {
      stopHeartbeat();
    }
  }

  /**
   * Retries a first request without a known outcome once: the same token spends nothing new, and minting spends nothing
   * at all.
   */
  async #ask(): Promise<ObtainedCredential | TokenFailure> {
    const { clock, deadlineMs, isClosing } = this.#services;
    const startedAt = clock.now();
    const first = await this.#askOnce(deadlineMs);
    if (!(first instanceof TokenFailure) || first.kind !== 'unknown') return first;
    const isFirst = !this.#isUnknown;
    this.#isUnknown = this.#job.by === 'token';
    const leftMs = leftOf(clock, startedAt, deadlineMs);
    if (!isFirst || isClosing() || leftMs < SHORTEST_REPEAT_MS) return first;
    return this.#askOnce(leftMs);
  }

  async #askOnce(timeoutMs: number): Promise<ObtainedCredential | TokenFailure> {
    try {
      return await this.#job.obtain({ timeoutMs, failedAttempts: this.#job.lease.failedAttempts });
    } catch (error) {
      if (error instanceof TokenFailure) return error;
      this.#services.log.error('token_refresh_broke', { err: error, ...this.#place() });
      return new TokenFailure('unknown', 'The token request failed because of a bug.', { cause: error });
    }
  }

  async #store(obtained: ObtainedCredential): Promise<undefined> {
    const { db, clock, sealed, log, discarded } = this.#services;
    const receivedAt = clock.now();
    let { account } = this.#job;
    for (;;) {
      const details = obtained.applyTo(await sealed.open(account));
      const columns = {
        credentials_sealed: await sealed.seal(account.id, details),
        token_expires_at: renewedExpiry(obtained.expiresInSeconds, receivedAt),
        token_received_at: receivedAt,
        updated_at: receivedAt,
      };
      if (await this.#saved(account.generation, columns)) {
        refreshes.tell({ outcome: 'renewed' });
        log.info('token_refreshed', this.#place());
        return undefined;
      }
      const reach = { environmentId: account.environmentId };
      const grant = await new AccountStore(db.read).findGrant(reach, account.id);
      if (grant?.leaseOwner !== this.#job.owner) {
        refreshes.tell({ outcome: 'discarded' });
        log.warn('token_refresh_discarded', this.#place());
        if (grant === undefined || grant.account.credentialsSealed === null) {
          sealed.forget(account.id);
          if (details.oauth_token !== undefined) discarded(account, details);
        }
        return undefined;
      }
      // Scopes or a domain were stored with the tokens meanwhile: the lease is still ours.
      account = grant.account;
    }
  }

  /**
   * Stores the renewed tokens. Only this process has them, so it tries for a long time if the database cannot be
   * written.
   */
  async #saved(generation: number, columns: RenewedColumns): Promise<boolean> {
    const { store, clock, timers, log, deadlineMs } = this.#services;
    const startedAt = clock.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await store.save({ ...this.#target, generation }, this.#job.owner, columns);
      } catch (error) {
        if (!isUnavailable(error) || attempt === MAX_STORE_ATTEMPTS) throw error;
        if (attempt === 1) log.error('token_refresh_not_stored', { err: error, ...this.#place() });
        if (leftOf(clock, startedAt, deadlineMs) === 0) this.#givenUp.reject(error);
      }
      await timers.sleep(STORE_AGAIN_MS);
    }
  }

  async #fail(failure: TokenFailure): Promise<RefreshProblem | undefined> {
    const { db, store, random, log, isClosing } = this.#services;
    const reason = failure.kind;
    const status = failure.status === undefined ? {} : { status: failure.status };
    refreshes.tell({ outcome: reason });
    log.warn('token_refresh_failed', { error_code: reason, ...status, ...this.#place() });
    if (reason === 'invalid_grant') return this.#expire();
    if (reason === 'unknown') this.#isUnknown = this.#job.by === 'token';
    const attempts = this.#job.lease.failedAttempts + 1;
    const coolDown = coolDownMs(attempts, failure.retryAfterMs, random());
    const isCutShort = isClosing() && (reason === 'unknown' || reason === 'not_sent');
    const outcome = {
      isUnknown: this.#isUnknown,
      ...(!isCutShort && { failure: { attempts, reason, coolDownMs: coolDown } }),
    };
    try {
      const isOurs = await db.transaction(async (tx) => {
        const isReleased = await store.release(tx, this.#target, this.#job.owner, outcome);
        if (isReleased && attempts === 1 && !isCutShort) await this.#announce(tx);
        return isReleased;
      });
      if (!isOurs) return undefined;
    } catch (error) {
      // The lease ends by itself, and the next attempt counts as a retry.
      if (!isUnavailable(error)) throw error;
    }
    return { reason, retryAfterMs: coolDown, failure };
  }

  /** Ends the credential only while the lease is ours: a rotation or replacement of the token ends the lease. */
  async #expire(): Promise<undefined> {
    const { db, clock } = this.#services;
    await db.transaction(async (tx) => {
      const { environmentId, id } = this.#target;
      const grant = await new AccountStore(tx).findGrant({ environmentId }, id);
      if (grant?.leaseOwner !== this.#job.owner) return;
      const change = { trigger: 'credential_refused', actor: 'provider', now: clock.now() } as const;
      await expireCredential(tx, grant.account, change);
      await this.#announce(tx);
    });
    return undefined;
  }

  async #announce(tx: Parameters<typeof announce>[0]): Promise<void> {
    const { environmentId, id: accountId } = this.#target;
    const now = this.#services.clock.now();
    await announce(tx, { environmentId, accountId, type: 'connected_account.token_refresh_failed', now });
  }

  /** Extends the lease. If that fails, the next heartbeat makes up for it. */
  async #heartbeat(): Promise<void> {
    if (this.#isExtending) return;
    this.#isExtending = true;
    try {
      await this.#services.store.extend(this.#target, this.#job.owner);
    } catch (error) {
      this.#services.log.warn('refresh_lease_not_extended', { err: error, ...this.#place() });
    } finally {
      this.#isExtending = false;
    }
  }

  #place(): LogFields {
    const { account } = this.#job;
    return {
      environment_id: account.environmentId,
      connected_account_id: account.id,
      connection_id: account.connection.id,
      connector: account.connection.connector,
    };
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UNAVAILABLE';
}

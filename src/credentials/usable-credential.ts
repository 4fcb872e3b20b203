/**
 * Provides the credential of a call: opens it, renews it if its type allows and it is due, and attaches it with its
 * scheme.
 *
 * Reads live credentials only: waiting ones are in another table.
 */
import { accountNotFound } from '../accounts/account-finder.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { leftOf, type Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { CallTimes } from '../core/telemetry/call-times.ts';
import { openClientSecret } from '../connections/connection-columns.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { refreshFailure, waitCancelled, type RefreshSubject } from './refresh/refresh-failure.ts';
import type { Refresher, RefreshFlight, RefreshRules } from './refresh/refresher.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import { tokenAge, type TokenAge } from './refresh/token-age.ts';
import { unlessAborted } from './refresh/unless-aborted.ts';
import { endOverdue } from './refresh/refused-credential.ts';
import { renewalOf, schemeOf } from './schemes/index.ts';
import type { Renewal } from './schemes/renewal.ts';
import type { Attachment, OpenedConnection } from './schemes/scheme.ts';

/** Longest wait of a call for the renewal of a token that is still valid, counted from the renewal's start. */
const PATIENCE_MS = 2_000;

/** Limit of renewals in one call if its credentials change again and again. */
const MAX_ROUNDS = 3;

/** Failures of a renewal that do not affect a token that is still good. */
const PASSING: ReadonlySet<string> = new Set(['TOOL_ERROR', 'UNAVAILABLE', 'RATE_LIMITED']);

/** An account's part of a provider call. */
export interface UsableCredential extends Attachment {
  /** Fills `{domain}` placeholders of the host after api_config. */
  details: AuthorizationDetails;
  /** The account from which the credential was read. */
  account: Account;
  /** Whether a refused credential can be renewed. */
  isRenewable: boolean;
}

/** The caller that waits for a credential. */
export interface CredentialUse extends RefreshRules {
  /** `exe_…`, for errors; null outside a tool call. */
  executionId: string | null;
  /** Ends this caller's wait, never a renewal. */
  signal?: AbortSignal | undefined;
  /** Notes the time that the caller waits for a renewal. */
  times?: CallTimes;
}

/** An account whose credentials can be read. */
interface Opened {
  account: Account;
  details: AuthorizationDetails;
}

/** The account is no longer ACTIVE: its credential has ended, or it was disconnected. */
export class CredentialEndedFailure extends Error {
  override readonly name = 'CredentialEndedFailure';
  readonly account: Account;

  constructor(account: Account) {
    super(`account ${account.id} is ${account.status}`);
    this.account = account;
  }
}

interface CredentialSourceDeps {
  db: Database;
  vault: Vault;
  sealed: SealedDetails;
  clock: Clock;
  refresher: Refresher;
  marginMs: number;
  timers?: Timers;
}

export class CredentialSource {
  readonly #deps: CredentialSourceDeps;
  readonly #timers: Timers;

  /** @param deps.marginMs how long before its expiry a token is renewed */
  constructor(deps: CredentialSourceDeps) {
    this.#deps = deps;
    this.#timers = deps.timers ?? systemTimers;
  }

  /**
   * Returns the credential of an ACTIVE account, renewed if it is due.
   *
   * @throws ServiceError TOOL_ERROR if there is no good token for now; INVALID_ARGUMENT if the connection lacks
   *   something for attaching it; RESOURCE_NOT_FOUND, UNAVAILABLE; CredentialEndedFailure; UnreadableSecret
   */
  async fresh(account: Account, use: CredentialUse): Promise<UsableCredential> {
    return this.#attached(await this.renewedIfDue(account, use), use);
  }

  /** The credential as stored, of any age, to show a request. Sends nothing. */
  async asStored(account: Account, use: CredentialUse): Promise<UsableCredential> {
    return this.#attached(await this.#open(account), use);
  }

  /** Like `fresh`, without attaching the credential: the account after a renewal, if one was due. */
  async renewedIfDue(account: Account, use: CredentialUse): Promise<Opened> {
    let opened = await this.#open(account);
    const renewal = renewalOf(use.auth);
    if (renewal === undefined) return opened;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const age = this.#age(opened, renewal);
      const isRenewable = renewal.isPossible(opened.details);
      if (age === 'good' || (age === 'due' && !isRenewable)) break;
      const newer = isRenewable
        ? await this.#renewed(opened.account, age, use)
        : await this.#end(opened.account);
      if (newer === undefined) break;
      opened = await this.#open(newer);
      // Used even if its life is short: it cannot get any newer.
      if (this.#age(opened, renewal) === 'due') break;
    }
    return opened;
  }

  /** Renews at once, even a good token. @throws as `fresh`, and RATE_LIMITED */
  async renewedNow(account: Account, use: CredentialUse): Promise<Opened> {
    return this.#open(await this.#arrived(this.#deps.refresher.renew(account, use), account, use));
  }

  /**
   * Returns the credential for a retry after the provider has refused one (401): renewed, or replaced meanwhile.
   * `undefined` if no newer one is possible.
   *
   * @throws as `fresh`, and RATE_LIMITED if the provider has refused many renewed ones
   */
  async afterRefusal(refused: UsableCredential, use: CredentialUse): Promise<UsableCredential | undefined> {
    let { account } = refused;
    for (let round = 1; ; round++) {
      const opened = await this.#newer(account, use);
      if (opened === undefined) return undefined;
      const renewal = renewalOf(use.auth);
      const credential = renewal?.credentialOf(opened.details);
      // Scopes or a domain were stored with it meanwhile: the credentials are newer, the token is not.
      const isSame =
        credential !== undefined &&
        credential === renewal?.credentialOf(refused.details) &&
        opened.account.tokenReceivedAt === refused.account.tokenReceivedAt;
      if (!isSame || round === MAX_ROUNDS) return this.#attached(opened, use);
      account = opened.account;
    }
  }

  async #newer(account: Account, use: CredentialUse): Promise<Opened | undefined> {
    const { details } = await this.#open(account);
    if (renewalOf(use.auth)?.isPossible(details) === true) return this.renewedNow(account, use);
    const reach = { environmentId: account.environmentId };
    const current = await new AccountStore(this.#deps.db.read).find(reach, account.id);
    const isNewer = current?.status === 'ACTIVE' && current.generation !== account.generation;
    return isNewer ? this.#open(current) : undefined;
  }

  /** Renews a token, with a short wait if it is still good. `undefined` means that the old one stays in use. */
  async #renewed(
    account: Account,
    age: Exclude<TokenAge, 'good'>,
    use: CredentialUse,
  ): Promise<Account | undefined> {
    const flight = this.#deps.refresher.renew(account, use);
    const isGood = (): boolean =>
      age === 'due' && account.tokenExpiresAt !== null && this.#deps.clock.now() < account.tokenExpiresAt;
    if (isGood()) {
      const isLate = await this.#isLate(flight, account, use);
      if (isLate && isGood()) return undefined;
    }
    try {
      return await this.#arrived(flight, account, use);
    } catch (error) {
      const isPassing = error instanceof ServiceError && PASSING.has(error.code);
      if (isPassing && isGood() && use.signal?.aborted !== true) return undefined;
      throw error;
    }
  }

  /** True if the renewal takes longer than a call waits. Its outcome is not checked here. */
  async #isLate(
    { outcome, startedAt }: RefreshFlight,
    account: Account,
    use: CredentialUse,
  ): Promise<boolean> {
    const leftMs = leftOf(this.#deps.clock, startedAt, PATIENCE_MS);
    const waiting = new AbortController();
    const late = this.#timers.sleep(leftMs, waiting.signal).then(
      () => true,
      () => true,
    );
    const settled = outcome.then(
      () => false,
      () => false,
    );
    try {
      return await this.#unlessAborted(Promise.race([settled, late]), account, use);
    } finally {
      waiting.abort();
    }
  }

  /** @throws CredentialEndedFailure; TOOL_ERROR for a failure */
  async #arrived({ outcome }: RefreshFlight, account: Account, use: CredentialUse): Promise<Account> {
    const came = await this.#unlessAborted(outcome, account, use);
    if (came.kind === 'ended') throw new CredentialEndedFailure(came.account);
    if (came.kind === 'renewed') return came.account;
    throw refreshFailure(came.problem, subjectOf(account, use));
  }

  async #unlessAborted<T>(work: Promise<T>, account: Account, use: CredentialUse): Promise<T> {
    const wait = async (): Promise<T> =>
      unlessAborted(work, use.signal, () => waitCancelled(subjectOf(account, use)));
    return use.times === undefined ? wait() : use.times.waiting(wait);
  }

  async #end(account: Account): Promise<Account> {
    const current = await endOverdue(this.#deps.db, this.#deps.clock, account);
    if (current === undefined) throw accountNotFound();
    if (current.status !== 'ACTIVE') throw new CredentialEndedFailure(current);
    return current;
  }

  async #open(account: Account): Promise<Opened> {
    return { account, details: await this.#deps.sealed.open(account) };
  }

  #age({ account, details }: Opened, renewal: Renewal): TokenAge {
    const age = tokenAge(account, renewal.credentialOf(details), this.#deps.clock.now(), this.#deps.marginMs);
    return age === 'good' && renewal.by === 'mint' && isOutdated(account) ? 'due' : age;
  }

  async #attached(
    { account, details }: Opened,
    { auth, connector }: CredentialUse,
  ): Promise<UsableCredential> {
    const openConnection = async () => this.#openConnection(account);
    const context = { details, connector, auth, account, clock: this.#deps.clock, openConnection };
    const attachment = await schemeOf(auth.type).attach(context);
    return { ...attachment, details, account, isRenewable: renewalOf(auth)?.isPossible(details) === true };
  }

  async #openConnection({ environmentId, connection: { id } }: Account): Promise<OpenedConnection> {
    const connection = await new ConnectionStore(this.#deps.db.read).findById(environmentId, id);
    if (connection === undefined) throw accountNotFound();
    return { connection, secret: await openClientSecret(this.#deps.vault, connection) };
  }
}

/** A minted token has the scopes and the client of the old connection: after a change it is minted again. */
function isOutdated({ tokenReceivedAt: receivedAt, connection }: Account): boolean {
  return receivedAt !== null && receivedAt < connection.updatedAt;
}

function subjectOf({ connection }: Account, use: CredentialUse): RefreshSubject {
  const { title } = use.connector;
  return {
    title,
    connection: connection.name,
    explain: renewalOf(use.auth)?.explain,
    executionId: use.executionId,
  };
}

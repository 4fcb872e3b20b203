/**
 * Connected accounts: create, update, describe, list (docs/contract.md#create-update-read-and-list). Disconnecting and
 * deleting: credentials/disconnection.ts.
 *
 * Never returns a credential: credentials/credential-access.ts does that.
 */
import type { Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { invalidArgument, ServiceError } from '../core/errors.ts';
import type { PageTokens } from '../core/page-token.ts';
import { MAX_TOTAL } from '../core/newest-first.ts';
import type { AccountGroup } from '../store/accounts/account-list-query.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import {
  checkedDetails,
  inputExpiry,
  isUsableAt,
  mergedConfig,
  selectorOf,
  type AccountInput,
} from './account-input.ts';
import { requireOwnActingName } from './acting-name.ts';
import { requireAccepted, type CredentialTrial } from './credential-trials.ts';
import { accountReach, requestedOwner, type AccountFinder, type AccountSelector } from './account-finder.ts';
import type { DisplayNames } from './display-names.ts';
import { updateAccount, type OnConnected } from './account-update.ts';
import { listAccounts, type AccountPage, type AccountQuery } from './account-list.ts';
import { apiConfigWarnings } from '../connections/api-config.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { newAccountRow, requireConnection } from './new-account.ts';
import type { SealedDetails } from './sealed-details.ts';
import { appendEvent } from './status-change.ts';
import { normalizeText, ownerViolations, textViolations } from '../core/text-rules.ts';
import { toView, type AccountView } from './account-views.ts';
import type { WaitingCredentials } from './waiting-credentials.ts';

/** One line of an account's history. */
export interface AccountEvent {
  id: string;
  at: string;
  from: string | null;
  to: string;
  cause: string;
  actor: string;
}

/** A number of accounts, up to which they are counted. */
export interface AccountCount {
  count: number;
  /** There are more. */
  isAtLeast: boolean;
}

/** Expired accounts whose history is looked at to say since when. */
const EXPIRED_LOOKED_AT = 100;

interface AccountsDeps {
  db: Database;
  finder: AccountFinder;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  waiting: WaitingCredentials;
  displayNames: Pick<DisplayNames, 'learn'>;
  pageTokens: PageTokens;
  clock: Clock;
  onConnected?: OnConnected;
}

/** Most events shown of one account. */
const MAX_EVENTS = 200;

export class Accounts {
  readonly #deps: AccountsDeps;

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /** One page of accounts, newest first. */
  async list(caller: Caller, query: AccountQuery): Promise<AccountPage> {
    await this.#deps.waiting.endExpired();
    return listAccounts(this.#deps, caller, query);
  }

  /** Number of accounts within the caller's reach in each group, in the order of the groups. */
  async counts(caller: Caller, groups: readonly AccountGroup[]): Promise<AccountCount[]> {
    await this.#deps.waiting.endExpired();
    const store = new AccountStore(this.#deps.db.longRead);
    const counted = await store.counts(accountReach(caller), groups, MAX_TOTAL + 1);
    return counted.map((count) => ({ count: Math.min(count, MAX_TOTAL), isAtLeast: count > MAX_TOTAL }));
  }

  /**
   * When the first of the expired accounts within the caller's reach lost its access.
   *
   * @param expired.count how many there are
   * @param expired.connectionId of one connection; default: of all
   * @returns `isOrEarlier` if there are more than were looked at; `undefined` if nothing is known
   */
  async expiredSince(
    caller: Caller,
    { count, connectionId }: { count: number; connectionId?: string },
  ): Promise<{ at: string; isOrEarlier: boolean } | undefined> {
    const store = new AccountStore(this.#deps.db.longRead);
    const at = await store.expiredSince(accountReach(caller), connectionId, EXPIRED_LOOKED_AT);
    return at === undefined ? undefined : { at: toTimestamp(at), isOrEarlier: count > EXPIRED_LOOKED_AT };
  }

  /**
   * Creates an account.
   *
   * @param trial tries the credential first; then the provider is asked what it calls the account
   * @throws ServiceError INVALID_ARGUMENT, ALREADY_EXISTS
   */
  async create(caller: Caller, input: AccountInput, trial?: CredentialTrial): Promise<AccountView> {
    const { connector, identifier, organization_id, user_id } = input;
    const violations = [
      ...textViolations({ connector, identifier, organization_id, user_id }),
      ...ownerViolations({ organization_id, user_id }),
    ];
    for (const [field, value] of Object.entries({ connector, identifier })) {
      if (value === undefined)
        violations.push({ field, description: `${field} is required.`, constraint: 'required' });
    }
    if (violations.length > 0) throw invalidArgument(violations);
    requireOwnActingName(caller, input);

    const owner = requestedOwner(caller, input);
    const connection = await this.#deps.connections.byName(caller.environmentId, connector ?? '');
    const { connector: catalogConnector, auth } = this.#deps.connections.connectorOf(connection);
    const details = checkedDetails(auth, input, {});
    const isUsable = isUsableAt(auth, details, connection);
    const apiConfig = mergedConfig({ connector: catalogConnector, auth }, {}, input);
    if (trial !== undefined) {
      const candidate = { connector: catalogConnector, auth, connection, details, apiConfig };
      await requireAccepted(trial, isUsable ? candidate : undefined);
    }
    const now = this.#deps.clock.now();
    const row = newAccountRow(
      { connection, owner, identifier: normalizeText(identifier ?? ''), now },
      {
        status: isUsable ? 'ACTIVE' : 'PENDING_AUTH',
        api_config: JSON.stringify(apiConfig),
        token_expires_at: inputExpiry(input) ?? null,
        token_received_at: now,
      },
    );
    row.credentials_sealed = await this.#deps.sealed.seal(row.id, details);
    await this.#deps.db.transaction(async (tx) => {
      await requireConnection(tx, connection);
      if (!(await new AccountStore(tx).insert(row))) throw alreadyExists();
      const created = { id: row.id, environmentId: caller.environmentId };
      await appendEvent(tx, created, {
        from: null,
        to: row.status,
        cause: 'created',
        actor: caller.actor,
        now,
      });
    });
    if (isUsable) this.#deps.onConnected?.({ id: row.id, environmentId: caller.environmentId, connection });
    if (isUsable && (await trial?.mayAskWho()) === true) {
      const account = await this.#deps.finder.findById(caller, row.id);
      await this.#deps.displayNames.learn(account, { details, apiConfig: {} }, account);
    }
    return this.#view(caller, row.id);
  }

  /**
   * Changes the given credentials and settings (docs/contract.md#create-update-read-and-list).
   *
   * @param trial as in `create`, for new credentials
   * @throws ServiceError INVALID_ARGUMENT, RESOURCE_NOT_FOUND
   */
  async update(caller: Caller, input: AccountInput, trial?: CredentialTrial): Promise<AccountView> {
    requireOwnActingName(caller, input);
    for (;;) {
      const account = await this.#deps.finder.find(caller, selectorOf(input));
      if (await updateAccount(this.#deps, caller, { input, account, trial }))
        return this.#view(caller, account.id);
    }
  }

  /** Warnings about parts of a request's `api_config` that Gatehouse does not use, or not as given. */
  configWarnings(
    environmentId: string,
    { provider: connector, authorization_type: type }: AccountView,
    input: AccountInput,
  ): string[] {
    const rules = this.#deps.connections.connectorOf({ connector, type, environmentId });
    return apiConfigWarnings(rules.connector, rules.auth, input.connected_account?.api_config ?? {});
  }

  /** Status, connection and configuration, no credential. @throws ServiceError INVALID_ARGUMENT, RESOURCE_NOT_FOUND */
  async describe(caller: Caller, selector: AccountSelector): Promise<AccountView> {
    await this.#deps.waiting.endExpired();
    const account = await this.#deps.finder.find(caller, selector);
    const { sealed } = this.#deps;
    const view = toView(account, await sealed.openIfReadable(account));
    return { ...view, display_name: await sealed.openName(account) };
  }

  /** The account's changes of status, oldest first, the latest `MAX_EVENTS`. @throws ServiceError RESOURCE_NOT_FOUND */
  async events(caller: Caller, id: string): Promise<AccountEvent[]> {
    await this.#deps.waiting.endExpired();
    const account = await this.#deps.finder.findById(caller, id);
    const events = await rows(this.#deps.db.longRead, 'account_events').list(account.environmentId, {
      where: { account_id: account.id },
      orderBy: ['at', 'id'],
      direction: 'desc',
      limit: MAX_EVENTS,
    });
    return events.toReversed().map((event) => ({
      id: event.id,
      at: toTimestamp(event.at),
      from: event.from_status,
      to: event.to_status,
      cause: event.cause,
      actor: event.actor,
    }));
  }

  /**
   * Catalog connectors with an account or a connection made by the operator: MCP's default surface
   * (docs/contract.md#published-tools).
   */
  async connectorsInUse(environmentId: string): Promise<Set<string>> {
    return new Set(await new AccountStore(this.#deps.db.read).connectorsInUse(environmentId));
  }

  async #view(caller: Caller, id: string): Promise<AccountView> {
    const account = await this.#deps.finder.findById(caller, id);
    return toView(account, await this.#deps.sealed.openIfReadable(account));
  }
}

function alreadyExists(): ServiceError {
  return new ServiceError(
    'ALREADY_EXISTS',
    'An account with this connector, owner and identifier exists already. Update it with PUT instead.',
  );
}

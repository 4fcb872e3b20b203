/**
 * GET /auth: the one answer of the API with live provider credentials (docs/security.md#credentials-in-two-places).
 *
 * Each read is audited before it is answered. Never reachable from MCP.
 */
import type { AccountFinder, AccountSelector } from '../accounts/account-finder.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toViewWithCredentials, type AccountView } from '../accounts/account-views.ts';
import { requireScope, type Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Account } from '../store/accounts/account.ts';
import type { Database } from '../store/engine/database.ts';
import { CredentialEndedFailure, type CredentialSource } from './usable-credential.ts';

interface CredentialAccessDeps {
  db: Database;
  finder: AccountFinder;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  credentials: CredentialSource;
  clock: Clock;
}

export class CredentialAccess {
  readonly #deps: CredentialAccessDeps;

  constructor(deps: CredentialAccessDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the account with its live credentials, renewed first if they are due. Waiting ones are not included.
   *
   * @throws ServiceError PERMISSION_DENIED without the scope accounts:credentials; INVALID_ARGUMENT, RESOURCE_NOT_FOUND;
   *   TOOL_ERROR when there is no good token for now
   */
  async describe(caller: Caller, selector: AccountSelector): Promise<AccountView> {
    requireScope(caller, 'accounts:credentials');
    const { account, details } = await this.#current(await this.#deps.finder.find(caller, selector));
    const view = toViewWithCredentials(account, details);
    const line = {
      action: 'connected_account.credentials_read',
      target: account.id,
      now: this.#deps.clock.now(),
    };
    await this.#deps.db.transaction(async (tx) => writeAuditLine(tx, caller, line));
    return view;
  }

  async #current(account: Account): Promise<{ account: Account; details: AuthorizationDetails }> {
    if (account.status !== 'ACTIVE') return { account, details: await this.#deps.sealed.open(account) };
    try {
      const rules = this.#deps.connections.connectorOf(account.connection);
      return await this.#deps.credentials.renewedIfDue(account, { ...rules, executionId: null });
    } catch (error) {
      const shown = shownDespite(error, account);
      if (shown === undefined) throw error;
      return { account: shown, details: await this.#deps.sealed.open(shown) };
    }
  }
}

/** The account to show without a renewal: it has ended meanwhile, or the catalog has lost its connector. */
function shownDespite(error: unknown, account: Account): Account | undefined {
  if (error instanceof CredentialEndedFailure) return error.account;
  return error instanceof ServiceError && error.code === 'CONNECTION_MISSING' ? account : undefined;
}

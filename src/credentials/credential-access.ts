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
import type { AccountRow } from '../store/accounts/account-store.ts';
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
   * The account with its live credentials, renewed first when they are due; waiting ones are not among them.
   *
   * @throws ServiceError PERMISSION_DENIED without the scope accounts:credentials; INVALID_ARGUMENT, RESOURCE_NOT_FOUND;
   *   TOOL_ERROR when there is no good token for now
   */
  async describe(caller: Caller, selector: AccountSelector): Promise<AccountView> {
    requireScope(caller, 'accounts:credentials');
    const { row, details } = await this.#current(await this.#deps.finder.find(caller, selector));
    const view = toViewWithCredentials(row, details);
    const line = {
      action: 'connected_account.credentials_read',
      target: row.id,
      now: this.#deps.clock.now(),
    };
    await this.#deps.db.transaction(async (tx) => writeAuditLine(tx, caller, line));
    return view;
  }

  async #current(row: AccountRow): Promise<{ row: AccountRow; details: AuthorizationDetails }> {
    if (row.status !== 'ACTIVE') return { row, details: await this.#deps.sealed.open(row) };
    try {
      const rules = this.#deps.connections.connectorOf(row);
      return await this.#deps.credentials.renewedIfDue(row, { ...rules, executionId: null });
    } catch (error) {
      const shown = shownDespite(error, row);
      if (shown === undefined) throw error;
      return { row: shown, details: await this.#deps.sealed.open(shown) };
    }
  }
}

/** The account to show all the same: it has ended meanwhile, or the catalog has lost its connector and nothing can be renewed. */
function shownDespite(error: unknown, row: AccountRow): AccountRow | undefined {
  if (error instanceof CredentialEndedFailure) return error.row;
  return error instanceof ServiceError && error.code === 'CONNECTION_MISSING' ? row : undefined;
}

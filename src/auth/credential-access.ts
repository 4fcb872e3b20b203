/**
 * GET /auth: the one answer of the API with live provider credentials (promise P10).
 *
 * Each read is audited before it is answered. Never reachable from MCP.
 */
import type { AccountFinder, AccountSelector } from '../accounts/account-finder.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toViewWithCredentials, type AccountView } from '../accounts/views.ts';
import { requireScope, type Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { AuditStore } from '../store/audit-store.ts';
import type { Database } from '../store/database.ts';

export class CredentialAccess {
  readonly #db: Database;
  readonly #finder: AccountFinder;
  readonly #sealed: SealedDetails;
  readonly #clock: Clock;

  constructor(deps: { db: Database; finder: AccountFinder; sealed: SealedDetails; clock: Clock }) {
    this.#db = deps.db;
    this.#finder = deps.finder;
    this.#sealed = deps.sealed;
    this.#clock = deps.clock;
  }

  /**
   * The account with its live credentials; waiting ones are not among them.
   *
   * @throws ServiceError PERMISSION_DENIED without the scope accounts:credentials; INVALID_ARGUMENT, RESOURCE_NOT_FOUND
   */
  async describe(caller: Caller, selector: AccountSelector): Promise<AccountView> {
    requireScope(caller, 'accounts:credentials');
    const row = await this.#finder.find(caller, selector);
    const view = toViewWithCredentials(row, await this.#sealed.open(row));
    const at = this.#clock.now();
    await this.#db.transaction(async (tx) =>
      new AuditStore(tx).append({
        id: newId('aud', at),
        environment_id: caller.environmentId,
        at,
        actor: caller.actor,
        action: 'connected_account.credentials_read',
        target: row.id,
        ip: caller.ip,
      }),
    );
    return view;
  }
}

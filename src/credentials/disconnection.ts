/**
 * Ends accounts: disconnects them (the credentials are erased, the account stays) or deletes them. The end is stored
 * here first, in one transaction; then revocation.ts tells the provider as far as the connector allows.
 */
import { accountNotFound, type AccountFinder, type AccountSelector } from '../accounts/account-finder.ts';
import { deleteAccount, disconnectAccount, type ErasedAccount } from '../accounts/erasure.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toView, type AccountView } from '../accounts/account-views.ts';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import type { Revocation } from './revocation.ts';

interface DisconnectionDeps {
  db: Database;
  clock: Clock;
  finder: AccountFinder;
  sealed: SealedDetails;
  revocation: Revocation;
}

export class Disconnection {
  readonly #deps: DisconnectionDeps;

  constructor(deps: DisconnectionDeps) {
    this.#deps = deps;
  }

  /**
   * Erases the credentials and keeps the account. The event says `disconnected_grant_kept` if the provider can only
   * revoke a grant that another account may share.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async disconnect(caller: Caller, id: string): Promise<AccountView> {
    await this.#end(await this.#deps.finder.findById(caller, id), caller, 'disconnect', (tx, account) =>
      disconnectAccount(tx, account, {
        actor: caller.actor,
        now: this.#deps.clock.now(),
        mode: this.#deps.revocation.modeOf(account),
      }),
    );
    return toView(await this.#deps.finder.findById(caller, id), {});
  }

  /** Deletes the account and everything that belongs to it. @throws ServiceError INVALID_ARGUMENT, RESOURCE_NOT_FOUND */
  async remove(caller: Caller, selector: AccountSelector): Promise<void> {
    await this.#end(await this.#deps.finder.find(caller, selector), caller, 'delete', (tx, account) =>
      deleteAccount(tx, account, {
        now: this.#deps.clock.now(),
        mode: this.#deps.revocation.modeOf(account),
      }),
    );
  }

  async #end(
    { environmentId, id }: Account,
    caller: Caller,
    verb: 'disconnect' | 'delete',
    erase: (tx: WriteTransaction, account: Account) => Promise<ErasedAccount>,
  ): Promise<void> {
    const erased = await this.#deps.db.transaction(async (tx) => {
      const account = await new AccountStore(tx).find({ environmentId }, id);
      if (account === undefined) throw accountNotFound();
      const line = { action: `connected_account.${verb}`, target: id, now: this.#deps.clock.now() };
      await writeAuditLine(tx, caller, line);
      return erase(tx, account);
    });
    this.#deps.sealed.forget(id);
    await this.#deps.revocation.accountErased(erased);
  }
}

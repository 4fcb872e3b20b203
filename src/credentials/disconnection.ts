/**
 * How an account ends: disconnected (its credentials are erased, the account stays) or deleted. First here, in
 * one transaction, then at the provider as far as its connector allows (revocation.ts).
 */
import { accountNotFound, type AccountFinder, type AccountSelector } from '../accounts/account-finder.ts';
import { deleteAccount, disconnectAccount, type ErasedAccount } from '../accounts/erasure.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toView, type AccountView } from '../accounts/account-views.ts';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { AccountStore, type AccountRow } from '../store/accounts/account-store.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import type { Revocation } from './revocation.ts';

export class Disconnection {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #finder: AccountFinder;
  readonly #sealed: SealedDetails;
  readonly #revocation: Revocation;

  constructor(deps: {
    db: Database;
    clock: Clock;
    finder: AccountFinder;
    sealed: SealedDetails;
    revocation: Revocation;
  }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#finder = deps.finder;
    this.#sealed = deps.sealed;
    this.#revocation = deps.revocation;
  }

  /**
   * Erases the credentials and keeps the account. Its event says `disconnected_grant_kept` where the provider
   * can only revoke a grant that another account may use too.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async disconnect(caller: Caller, id: string): Promise<AccountView> {
    await this.#end(await this.#finder.findById(caller, id), caller, 'disconnect', (tx, row) =>
      disconnectAccount(tx, row, {
        actor: caller.actor,
        now: this.#clock.now(),
        mode: this.#revocation.modeOf(row),
      }),
    );
    return toView(await this.#finder.findById(caller, id), {});
  }

  /** Deletes the account and everything that belongs to it. @throws ServiceError INVALID_ARGUMENT, RESOURCE_NOT_FOUND */
  async remove(caller: Caller, selector: AccountSelector): Promise<void> {
    await this.#end(await this.#finder.find(caller, selector), caller, 'delete', (tx, row) =>
      deleteAccount(tx, row, { now: this.#clock.now(), mode: this.#revocation.modeOf(row) }),
    );
  }

  async #end(
    { environment_id, id }: AccountRow,
    caller: Caller,
    verb: 'disconnect' | 'delete',
    erase: (tx: WriteTransaction, row: AccountRow) => Promise<ErasedAccount>,
  ): Promise<void> {
    const erased = await this.#db.transaction(async (tx) => {
      const row = await new AccountStore(tx).find({ environmentId: environment_id }, id);
      if (row === undefined) throw accountNotFound();
      const line = { action: `connected_account.${verb}`, target: id, now: this.#clock.now() };
      await writeAuditLine(tx, caller, line);
      return erase(tx, row);
    });
    this.#sealed.forget(id);
    await this.#revocation.accountErased(erased);
  }
}

/**
 * Pauses that a provider has asked for, stored at the account or at its connection. Every call reads both rows anyway,
 * so that to know of a pause takes no statement.
 */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { Tables } from '../tables/tables.ts';
import type { Account } from './account.ts';

/** The accounts that a provider's limit applies to: one account, or all accounts of a connection together. */
export type PauseScope = 'account' | 'connection';

export class PauseStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** @param until Unix milliseconds */
  async begin(account: Account, scope: PauseScope, until: number): Promise<void> {
    await this.#db
      .updateTable(scope === 'account' ? 'accounts' : 'connections')
      .set({ paused_until: until })
      .where('environment_id', '=', account.environmentId)
      .where('id', '=', scope === 'account' ? account.id : account.connection.id)
      .execute();
  }

  /** Removes the pauses of an account as it was read; later ones stay. */
  async end({ environmentId, id, pausedUntil, connection }: Account): Promise<void> {
    await this.#remove('accounts', environmentId, { id, pausedUntil });
    await this.#remove('connections', environmentId, connection);
  }

  async #remove(
    table: 'accounts' | 'connections',
    environmentId: string,
    { id, pausedUntil }: { id: string; pausedUntil: number | null },
  ): Promise<void> {
    if (pausedUntil === null) return;
    await rows(this.#db, table).update(
      environmentId,
      id,
      { paused_until: null },
      { paused_until: pausedUntil },
    );
  }
}

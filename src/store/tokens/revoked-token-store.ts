/** Rows of access tokens that were revoked before their expiry. */
import type { Kysely, Selectable } from 'kysely';
import type { RevokedTokenTable, Tables } from '../tables/tables.ts';

export type RevokedTokenRow = Selectable<RevokedTokenTable>;

export class RevokedTokenStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Revoking a second time changes nothing. */
  async add(row: RevokedTokenRow): Promise<void> {
    await this.#db
      .insertInto('revoked_tokens')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

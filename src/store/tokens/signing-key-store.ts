/** Rows of the keys that sign access tokens. Private halves are sealed by the caller. */
import type { Kysely, Selectable } from 'kysely';
import type { SigningKeyTable, Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';

export type SigningKeyRow = Selectable<SigningKeyTable>;

export class SigningKeyStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Newest first; all are published. */
  async list(environmentId: string): Promise<SigningKeyRow[]> {
    return this.#db
      .selectFrom('signing_keys')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
  }

  async insert(row: StoredForm<SigningKeyTable>): Promise<void> {
    await this.#db.insertInto('signing_keys').values(row).execute();
  }

  async delete(environmentId: string, id: string): Promise<void> {
    await this.#db
      .deleteFrom('signing_keys')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }
}

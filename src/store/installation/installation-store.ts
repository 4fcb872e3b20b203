/** Facts about the installation as a whole, one value per key. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/**
 * `key_check` and `derivation_secret` are sealed; see sealed-value-store.ts. Only migrations write `schema_version`.
 * `usage_sample` is JSON of usage-sample.ts.
 */
export type InstallationKey =
  'installation_id' | 'key_check' | 'derivation_secret' | 'schema_version' | 'usage_sample';

export class InstallationStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async get(key: InstallationKey): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('installation')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst();
    return row?.value;
  }

  /** Stores the value unless there is one; returns the stored value. */
  async setIfAbsent(key: InstallationKey, value: string): Promise<string> {
    await this.#db
      .insertInto('installation')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    const row = await this.#db
      .selectFrom('installation')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return row.value;
  }

  /** Replaces `old`. Returns false if another value is stored by now. */
  async replace(key: InstallationKey, old: string, value: string): Promise<boolean> {
    const result = await this.#db
      .updateTable('installation')
      .set({ value })
      .where('key', '=', key)
      .where('value', '=', old)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Reads the value and locks it for other transactions until this one ends. */
  async lock(key: InstallationKey): Promise<string | undefined> {
    const row = await this.#db
      .updateTable('installation')
      .set((e) => ({ value: e.ref('value') }))
      .where('key', '=', key)
      .returning('value')
      .executeTakeFirst();
    return row?.value;
  }
}

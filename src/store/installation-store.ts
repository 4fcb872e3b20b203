/** Facts about the installation as a whole, one value per key: `installation_id`, `key_check`. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type InstallationKey = 'installation_id' | 'key_check';

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

  /** Stores the value unless there is one; returns the one that is stored then. */
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
}

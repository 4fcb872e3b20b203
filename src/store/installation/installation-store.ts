/** Facts about the installation as a whole, one value per key. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/**
 * `key_check` and `derivation_secret` are sealed; see sealed-value-store.ts. Only migrations write `schema_version`.
 * `usage_sample` is JSON of usage-sample.ts, `operator_link` of StoredOperatorLink.
 */
export type InstallationKey =
  'installation_id' | 'key_check' | 'derivation_secret' | 'schema_version' | 'usage_sample' | 'operator_link';

/** The link that signs an operator in; see people/sign-in/operator-links.ts. */
export interface StoredOperatorLink {
  environmentId: string;
  /** `usr_…` of the operator; '' for the link that makes the first one. */
  userId: string;
  tokenHash: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Stored where there is no link. */
const NO_LINK = '';

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

  /** The link that is stored, expired or not. */
  async operatorLink(): Promise<StoredOperatorLink | undefined> {
    const value = (await this.get('operator_link')) ?? NO_LINK;
    return value === NO_LINK ? undefined : (JSON.parse(value) as StoredOperatorLink);
  }

  /** Replaces the link. @param link `undefined` for none */
  async putOperatorLink(link: StoredOperatorLink | undefined): Promise<void> {
    const value = link === undefined ? NO_LINK : JSON.stringify(link);
    await this.#db
      .insertInto('installation')
      .values({ key: 'operator_link', value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }

  /** Removes a link. Returns false if it was removed or replaced meanwhile. */
  async spendOperatorLink(link: StoredOperatorLink): Promise<boolean> {
    return this.replace('operator_link', JSON.stringify(link), NO_LINK);
  }
}

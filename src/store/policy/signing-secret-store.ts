/** Rows of the secrets that sign what is sent to webhooks and interceptors. Sealed by the caller. */
import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { SigningSecretTable } from '../tables/webhook-tables.ts';

export type SigningSecretRow = Selectable<SigningSecretTable>;

export class SigningSecretStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Secrets that sign at `now`, newest first. */
  async listLive(environmentId: string, now: number): Promise<SigningSecretRow[]> {
    return this.#db
      .selectFrom('signing_secrets')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
  }

  async insert(row: SigningSecretRow): Promise<void> {
    await this.#db.insertInto('signing_secrets').values(row).execute();
  }

  /** Lets every secret of the environment end at `at`, unless it ends sooner. */
  async expireAll(environmentId: string, at: number): Promise<void> {
    await this.#db
      .updateTable('signing_secrets')
      .set({ expires_at: at })
      .where('environment_id', '=', environmentId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', at)]))
      .execute();
  }
}

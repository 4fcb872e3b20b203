/** Rows of API credentials and their secrets. Secrets are stored as hashes only (`hashSecret`). */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { CredentialSecretTable, CredentialTable, Tables } from '../tables/tables.ts';

export type CredentialRow = Selectable<CredentialTable>;
export type CredentialSecretRow = Selectable<CredentialSecretTable>;

/** A credential with the hashes of the secrets that are good at the moment, oldest first. */
export interface LiveCredential {
  credential: CredentialRow;
  secretHashes: string[];
}

export class CredentialStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: CredentialRow): Promise<void> {
    await this.#db.insertInto('credentials').values(row).execute();
  }

  async insertSecret(row: CredentialSecretRow): Promise<void> {
    await this.#db.insertInto('credential_secrets').values(row).execute();
  }

  async find(environmentId: string, id: string): Promise<CredentialRow | undefined> {
    return this.#db
      .selectFrom('credentials')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** What the token endpoint needs to check a client; a credential without a live secret has an empty list. */
  async findByClientId(
    environmentId: string,
    clientId: string,
    now: number,
  ): Promise<LiveCredential | undefined> {
    const credential = await this.#db
      .selectFrom('credentials')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('client_id', '=', clientId)
      .executeTakeFirst();
    if (credential === undefined) return undefined;
    const secrets = await this.#db
      .selectFrom('credential_secrets')
      .select('secret_hash')
      .where('environment_id', '=', environmentId)
      .where('credential_id', '=', credential.id)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return { credential, secretHashes: secrets.map((secret) => secret.secret_hash) };
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`; with `organizationId` of that one only. */
  async page(
    environmentId: string,
    position: PagePosition | undefined,
    limit: number,
    organizationId?: string,
  ): Promise<CredentialRow[]> {
    const all = this.#db.selectFrom('credentials').selectAll().where('environment_id', '=', environmentId);
    const query = organizationId === undefined ? all : all.where('organization_id', '=', organizationId);
    return rowsFrom(query, 'created_at', position, limit);
  }

  /** Lets every secret of the credential but one end at `at`, unless it ends sooner. */
  async expireOtherSecrets(
    environmentId: string,
    credentialId: string,
    keptSecretId: string,
    at: number,
  ): Promise<void> {
    await this.#db
      .updateTable('credential_secrets')
      .set({ expires_at: at })
      .where('environment_id', '=', environmentId)
      .where('credential_id', '=', credentialId)
      .where('id', '!=', keptSecretId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', at)]))
      .execute();
  }

  /** Removes the credential and its secrets. Returns false when there is no such credential. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('credentials')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

/** Rows of organizations' OpenID providers. Knows SQL and nothing else; the secret is sealed by the caller. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type { OrganizationProviderTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';

export type OrganizationProviderRow = Selectable<OrganizationProviderTable>;

/** What may be changed of one. */
export type OrganizationProviderColumns = Pick<
  StoredForm<OrganizationProviderTable>,
  'issuer' | 'client_id' | 'client_secret_sealed' | 'domains' | 'updated_at'
>;

export class OrganizationProviderStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async findByOrganization(
    environmentId: string,
    organizationId: string,
  ): Promise<OrganizationProviderRow | undefined> {
    return this.#db
      .selectFrom('organization_providers')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
  }

  /** The provider that has claimed a domain. @param domain lower-case letters, digits, hyphens and dots only: nothing that `like` reads otherwise */
  async findByDomain(environmentId: string, domain: string): Promise<OrganizationProviderRow | undefined> {
    return this.#db
      .selectFrom('organization_providers')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where(sql<boolean>`domains like ${`%"${domain}"%`}`)
      .executeTakeFirst();
  }

  async insert(row: StoredForm<OrganizationProviderTable>): Promise<void> {
    await this.#db.insertInto('organization_providers').values(row).execute();
  }

  async update(environmentId: string, id: string, columns: OrganizationProviderColumns): Promise<void> {
    await this.#db
      .updateTable('organization_providers')
      .set(columns)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }

  /** Returns the id of what it removed; undefined: there was none. */
  async remove(environmentId: string, organizationId: string): Promise<string | undefined> {
    const removed = await this.#db
      .deleteFrom('organization_providers')
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId)
      .returning('id')
      .executeTakeFirst();
    return removed?.id;
  }
}

/** Rows of organizations. Knows SQL and nothing else: no rules, no clock. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { OrganizationTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

export type OrganizationRow = Selectable<OrganizationTable>;

/** Which organizations of an environment; absent members select nothing. */
export interface OrganizationFilter {
  id?: string | undefined;
  /** Exact. */
  name?: string | undefined;
}

export class OrganizationStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: OrganizationRow): Promise<void> {
    await this.#db.insertInto('organizations').values(row).execute();
  }

  async find(environmentId: string, id: string): Promise<OrganizationRow | undefined> {
    return this.#db
      .selectFrom('organizations')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async findAll(environmentId: string, ids: readonly string[]): Promise<OrganizationRow[]> {
    if (ids.length === 0) return [];
    return this.#db
      .selectFrom('organizations')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', 'in', ids)
      .execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    { id, name }: OrganizationFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<OrganizationRow[]> {
    let query = this.#db.selectFrom('organizations').selectAll().where('environment_id', '=', environmentId);
    if (id !== undefined) query = query.where('id', '=', id);
    if (name !== undefined) query = query.where('name', '=', name);
    return rowsFrom(query, 'created_at', position, limit);
  }

  async count(environmentId: string, { id, name }: OrganizationFilter): Promise<number> {
    let query = this.#db
      .selectFrom('organizations')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId);
    if (id !== undefined) query = query.where('id', '=', id);
    if (name !== undefined) query = query.where('name', '=', name);
    return (await query.executeTakeFirstOrThrow()).total;
  }

  async rename(environmentId: string, id: string, name: string, now: number): Promise<void> {
    await this.#db
      .updateTable('organizations')
      .set({ name, updated_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }

  /** Removes the organization with its memberships, invitations and OpenID provider. */
  async delete(environmentId: string, id: string): Promise<void> {
    await this.#db
      .deleteFrom('organizations')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }
}

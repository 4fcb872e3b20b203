/** Rows of users. Knows SQL and nothing else: no rules, no clock. */
import type { Kysely, Selectable, Updateable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { UserTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';

export type UserRow = Selectable<UserTable>;

export class UserStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: StoredForm<UserTable>): Promise<void> {
    await this.#db.insertInto('users').values(row).execute();
  }

  async find(environmentId: string, id: string): Promise<UserRow | undefined> {
    return this.#db
      .selectFrom('users')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async findAll(environmentId: string, ids: readonly string[]): Promise<UserRow[]> {
    if (ids.length === 0) return [];
    return this.#db
      .selectFrom('users')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', 'in', ids)
      .execute();
  }

  /** @param email NFC, lower case */
  async findByEmail(environmentId: string, email: string): Promise<UserRow | undefined> {
    return this.#db
      .selectFrom('users')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('email', '=', email)
      .executeTakeFirst();
  }

  /**
   * Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`.
   *
   * @param filter.email NFC, lower case; exact
   */
  async page(
    environmentId: string,
    filter: { email?: string | undefined },
    position: PagePosition | undefined,
    limit: number,
  ): Promise<UserRow[]> {
    let query = this.#db.selectFrom('users').selectAll().where('environment_id', '=', environmentId);
    if (filter.email !== undefined) query = query.where('email', '=', filter.email);
    return rowsFrom(query, 'created_at', position, limit);
  }

  async count(environmentId: string, filter: { email?: string | undefined }): Promise<number> {
    let query = this.#db
      .selectFrom('users')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId);
    if (filter.email !== undefined) query = query.where('email', '=', filter.email);
    return (await query.executeTakeFirstOrThrow()).total;
  }

  /** Those who are in no organization that has an OpenID provider. */
  async countWithoutProvider(environmentId: string): Promise<number> {
    const row = await this.#db
      .selectFrom('users')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('memberships')
              .innerJoin('organization_providers', (join) =>
                join
                  .onRef('organization_providers.organization_id', '=', 'memberships.organization_id')
                  .onRef('organization_providers.environment_id', '=', 'memberships.environment_id'),
              )
              .select('memberships.id')
              .whereRef('memberships.environment_id', '=', 'users.environment_id')
              .whereRef('memberships.user_id', '=', 'users.id'),
          ),
        ),
      )
      .executeTakeFirstOrThrow();
    return row.total;
  }

  async update(environmentId: string, id: string, set: Updateable<UserTable>): Promise<void> {
    await this.#db
      .updateTable('users')
      .set(set)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }

  /** Removes the user and his memberships. */
  async delete(environmentId: string, id: string): Promise<void> {
    await this.#db
      .deleteFrom('users')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }
}

/** Rows of memberships: who belongs to which organization, and as what. Knows SQL and nothing else. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { MembershipTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { Role } from '../../core/caller.ts';

export type MembershipRow = Selectable<MembershipTable>;

export class MembershipStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: MembershipRow): Promise<void> {
    await this.#db.insertInto('memberships').values(row).execute();
  }

  async find(
    environmentId: string,
    organizationId: string,
    userId: string,
  ): Promise<MembershipRow | undefined> {
    return this.#db
      .selectFrom('memberships')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
  }

  /** Memberships of these users, oldest first. */
  async ofUsers(environmentId: string, userIds: readonly string[]): Promise<MembershipRow[]> {
    if (userIds.length === 0) return [];
    return this.#db
      .selectFrom('memberships')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('user_id', 'in', userIds)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    organizationId: string,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<MembershipRow[]> {
    const query = this.#db
      .selectFrom('memberships')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId);
    return rowsFrom(query, 'created_at', position, limit);
  }

  /** Organizations that have this user as their only owner. */
  async organizationsOwnedAlone(environmentId: string, userId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('memberships as mine')
      .select('mine.organization_id')
      .where('mine.environment_id', '=', environmentId)
      .where('mine.user_id', '=', userId)
      .where('mine.role', '=', 'owner')
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('memberships as other')
              .select('other.id')
              .where('other.environment_id', '=', environmentId)
              .whereRef('other.organization_id', '=', 'mine.organization_id')
              .where('other.role', '=', 'owner')
              .where('other.user_id', '!=', userId),
          ),
        ),
      )
      .execute();
    return rows.map((row) => row.organization_id);
  }

  /** @param role counts those with this role only */
  async count(environmentId: string, organizationId: string, role?: Role): Promise<number> {
    let query = this.#db
      .selectFrom('memberships')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId);
    if (role !== undefined) query = query.where('role', '=', role);
    return (await query.executeTakeFirstOrThrow()).total;
  }

  async setRole(environmentId: string, id: string, role: Role, now: number): Promise<void> {
    await this.#db
      .updateTable('memberships')
      .set({ role, updated_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }

  async delete(environmentId: string, id: string): Promise<void> {
    await this.#db
      .deleteFrom('memberships')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .execute();
  }
}

/** Rows of invitations. Knows SQL and nothing else: no rules, no clock. The token of a link is stored as a hash. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { InvitationTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

export type InvitationRow = Selectable<InvitationTable>;

export class InvitationStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: InvitationRow): Promise<void> {
    await this.#db.insertInto('invitations').values(row).execute();
  }

  async find(environmentId: string, organizationId: string, id: string): Promise<InvitationRow | undefined> {
    return this.#db
      .selectFrom('invitations')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Accepted, revoked and expired ones too. */
  async findByTokenHash(environmentId: string, tokenHash: string): Promise<InvitationRow | undefined> {
    return this.#db
      .selectFrom('invitations')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    organizationId: string,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<InvitationRow[]> {
    const query = this.#db
      .selectFrom('invitations')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId);
    return rowsFrom(query, 'created_at', position, limit);
  }

  async count(environmentId: string, organizationId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('invitations')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return total;
  }

  /** Made since a time by one person, whatever became of them. @param email to this address only */
  async countBy(environmentId: string, invitedBy: string, since: number, email?: string): Promise<number> {
    let query = this.#db
      .selectFrom('invitations')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where('invited_by', '=', invitedBy)
      .where('created_at', '>', since);
    if (email !== undefined) query = query.where('email', '=', email);
    return (await query.executeTakeFirstOrThrow()).total;
  }

  /** Spends an invitation. Returns false when it was accepted, revoked or has expired meanwhile. */
  async claim(environmentId: string, id: string, now: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('invitations')
      .set({ accepted_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /**
   * Takes back what waits to be accepted.
   *
   * @param which all that fit every member given; at least one is
   * @returns the ids of those it took back
   */
  async revoke(
    environmentId: string,
    which: { id?: string; organizationId?: string; email?: string; invitedBy?: string },
    now: number,
  ): Promise<string[]> {
    const revoked = await this.#db
      .updateTable('invitations')
      .set({ revoked_at: now })
      .where('environment_id', '=', environmentId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where((e) =>
        e.and({
          ...(which.id !== undefined && { id: which.id }),
          ...(which.organizationId !== undefined && { organization_id: which.organizationId }),
          ...(which.email !== undefined && { email: which.email }),
          ...(which.invitedBy !== undefined && { invited_by: which.invitedBy }),
        }),
      )
      .returning('id')
      .execute();
    return revoked.map(({ id }) => id);
  }
}

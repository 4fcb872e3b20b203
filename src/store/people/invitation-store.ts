/** Invitations, beyond what engine/rows.ts does. The token of a link is stored as a hash. */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { Tables } from '../tables/tables.ts';

export class InvitationStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Counts one user's invitations since a time, in any state. @param email counts only those to this address */
  async countBy(environmentId: string, invitedBy: string, since: number, email?: string): Promise<number> {
    return rows(this.#db, 'invitations').count(environmentId, (e) =>
      e.and([
        e('invited_by', '=', invitedBy),
        e('created_at', '>', since),
        ...(email === undefined ? [] : [e('email', '=', email)]),
      ]),
    );
  }

  /** Spends an invitation. Returns false if it was accepted, was revoked or has expired meanwhile. */
  async claim(environmentId: string, id: string, now: number): Promise<boolean> {
    return rows(this.#db, 'invitations').update(environmentId, id, { accepted_at: now }, (e) =>
      e.and([e('accepted_at', 'is', null), e('revoked_at', 'is', null), e('expires_at', '>', now)]),
    );
  }

  /**
   * Revokes open invitations.
   *
   * @param which selects those that match every given member; at least one is given
   * @returns the ids of the revoked ones
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

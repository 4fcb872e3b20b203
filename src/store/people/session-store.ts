/** Sessions, beyond what engine/rows.ts does. */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { StoredSession } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

export class SessionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Up to `limit` live sessions of a user except the named one, newest first. */
  async liveBeside(
    environmentId: string,
    { userId, id }: { userId: string; id: string },
    now: number,
    limit: number,
  ): Promise<StoredSession[]> {
    return rows(this.#db, 'sessions').list(environmentId, {
      where: (e) =>
        e.and([
          e('user_id', '=', userId),
          e('id', '!=', id),
          e('ended_at', 'is', null),
          e('expires_at', '>', now),
        ]),
      orderBy: ['created_at', 'id'],
      direction: 'desc',
      limit,
    });
  }

  /** Moves the end of a live session. Returns false if it has ended or expired meanwhile. */
  async extend(environmentId: string, id: string, expiresAt: number, now: number): Promise<boolean> {
    return rows(this.#db, 'sessions').update(environmentId, id, { expires_at: expiresAt }, (e) =>
      e.and([e('ended_at', 'is', null), e('expires_at', '>', now)]),
    );
  }

  /** Returns false if there is no such session or it had ended. */
  async end(environmentId: string, id: string, now: number): Promise<boolean> {
    return rows(this.#db, 'sessions').update(environmentId, id, { ended_at: now }, { ended_at: null });
  }

  /** Ends all live sessions of a user, an organization, a user in an organization, or a client that holds their tokens. */
  async endAll(
    environmentId: string,
    filter: { userId: string; organizationId?: string } | { organizationId: string } | { clientId: string },
    now: number,
  ): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('environment_id', '=', environmentId)
      .where((e) =>
        e.and({
          ...('userId' in filter && { user_id: filter.userId }),
          ...('organizationId' in filter && { organization_id: filter.organizationId }),
          ...('clientId' in filter && { client_id: filter.clientId }),
        }),
      )
      .where('ended_at', 'is', null)
      .execute();
  }

  /**
   * Ends every session whose tokens are for one virtual server, independent of the base URL at their issue.
   *
   * @param name of the server; letters, digits and hyphens, so nothing in it is a wildcard
   */
  async endOfServer(environmentId: string, name: string, now: number): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('environment_id', '=', environmentId)
      .where('resource', 'like', `%/mcp/${name}`)
      .where('ended_at', 'is', null)
      .execute();
  }
}

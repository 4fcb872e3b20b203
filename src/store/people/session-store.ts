/** Rows of sessions: that somebody is signed in. Knows SQL and nothing else: no rules, no clock. */
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { SessionTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';

export type SessionRow = Selectable<SessionTable>;

/** Which sessions of an environment; absent members select nothing. */
export interface SessionFilter {
  userId?: string | undefined;
  organizationId?: string | undefined;
  clientId?: string | undefined;
}

export class SessionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: StoredForm<SessionTable>): Promise<void> {
    await this.#db.insertInto('sessions').values(row).execute();
  }

  /** Ended and expired ones too. */
  async find(environmentId: string, id: string): Promise<SessionRow | undefined> {
    return this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Ended and expired ones too. */
  async findByTokenHash(environmentId: string, tokenHash: string): Promise<SessionRow | undefined> {
    return this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    filter: SessionFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<SessionRow[]> {
    const query = this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where(matching(filter));
    return rowsFrom(query, 'created_at', position, limit);
  }

  /** Up to `limit` live sessions of a user but the one named, newest first. */
  async liveBeside(
    environmentId: string,
    { userId, id }: { userId: string; id: string },
    now: number,
    limit: number,
  ): Promise<SessionRow[]> {
    return this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('user_id', '=', userId)
      .where('id', '!=', id)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  async count(environmentId: string, filter: SessionFilter): Promise<number> {
    const { total } = await this.#db
      .selectFrom('sessions')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where(matching(filter))
      .executeTakeFirstOrThrow();
    return total;
  }

  /** Moves the end of a live session. Returns false when it has ended or expired meanwhile. */
  async extend(environmentId: string, id: string, expiresAt: number, now: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('sessions')
      .set({ expires_at: expiresAt })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Returns false when there is no such session or it had ended. */
  async end(environmentId: string, id: string, now: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Ends all live sessions of a user, of an organization, of a user in an organization, or whose tokens a client holds. */
  async endAll(
    environmentId: string,
    filter: { userId: string; organizationId?: string } | { organizationId: string } | { clientId: string },
    now: number,
  ): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('environment_id', '=', environmentId)
      .where(matching(filter))
      .where('ended_at', 'is', null)
      .execute();
  }
}

function matching({ userId, organizationId, clientId }: SessionFilter) {
  return (e: ExpressionBuilder<Tables, 'sessions'>) =>
    e.and([
      ...(userId === undefined ? [] : [e('user_id', '=', userId)]),
      ...(organizationId === undefined ? [] : [e('organization_id', '=', organizationId)]),
      ...(clientId === undefined ? [] : [e('client_id', '=', clientId)]),
    ]);
}

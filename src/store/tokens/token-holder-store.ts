/** The current session, membership and user behind a user's access token, read in one statement. */
import type { Kysely } from 'kysely';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import type { Role } from '../../core/caller.ts';
import type { SessionKind } from '../../core/stored-words.ts';

/** A session with the facts that checks of its tokens need. */
export interface SessionHolder {
  kind: SessionKind;
  user_id: string;
  organization_id: string;
  client_id: string;
  resource: string;
  expires_at: number;
  ended_at: number | null;
  /** Role in the session's organization; null if the user is not a member. */
  role: Role | null;
  /** null if the user is not stored here. */
  is_operator: boolean | null;
}

export class TokenHolderStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Finds the session by its id, even if it has ended or expired. */
  async find(environmentId: string, sessionId: string): Promise<SessionHolder | undefined> {
    const [row] = await holderOf(this.#db, { environmentId, sessionId });
    return row;
  }
}

const holderOf = preparedQuery((db, of: { environmentId: string; sessionId: string }) =>
  db
    .selectFrom('sessions')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.environment_id', '=', 'sessions.environment_id')
        .onRef('memberships.organization_id', '=', 'sessions.organization_id')
        .onRef('memberships.user_id', '=', 'sessions.user_id'),
    )
    .leftJoin('users', (join) =>
      join
        .onRef('users.environment_id', '=', 'sessions.environment_id')
        .onRef('users.id', '=', 'sessions.user_id'),
    )
    .select([
      'sessions.kind',
      'sessions.user_id',
      'sessions.organization_id',
      'sessions.client_id',
      'sessions.resource',
      'sessions.expires_at',
      'sessions.ended_at',
      'memberships.role',
      'users.is_operator',
    ])
    .where('sessions.environment_id', '=', of.environmentId)
    .where('sessions.id', '=', of.sessionId),
);

/** Who stands behind a person's access token at this moment: session, membership and user in one statement. */
import type { Kysely } from 'kysely';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import type { Role } from '../../core/caller.ts';
import type { SessionKind } from '../../core/stored-words.ts';

/** A session with what its tokens may be asked about. */
export interface SessionHolder {
  kind: SessionKind;
  user_id: string;
  organization_id: string;
  client_id: string;
  resource: string;
  expires_at: number;
  ended_at: number | null;
  /** In the session's organization; null: not a member. */
  role: Role | null;
  /** null: no user of ours. */
  is_operator: boolean | null;
}

export class TokenHolderStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** By the session's id; ended and expired ones too. */
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

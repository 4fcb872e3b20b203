/** The current holder of an access token: session, membership and user, or a credential. Read in one statement. */
import type { Kysely } from 'kysely';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import type { Role } from '../../core/caller.ts';
import type { SessionKind } from '../../core/stored-words.ts';
import type { ConnectionDetail } from '../tables/people-tables.ts';

/** A session with the facts that checks of its tokens need. */
export interface SessionHolder {
  kind: SessionKind;
  user_id: string;
  organization_id: string;
  client_id: string;
  resource: string;
  /** The person's proofs of identity. */
  connection_details: readonly ConnectionDetail[];
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

  /** The session of a token by its id, even if it has ended or expired; `undefined` if the token is revoked. */
  async find(environmentId: string, sessionId: string, tokenId: string): Promise<SessionHolder | undefined> {
    const [row] = await holderOf(this.#db, { environmentId, sessionId, tokenId });
    return row;
  }

  /** The last use of a token's credential; `undefined` if it does not exist or the token is revoked. */
  async findCredential(
    environmentId: string,
    credentialId: string,
    tokenId: string,
  ): Promise<{ last_used_at: number | null } | undefined> {
    const [found] = await credentialOf(this.#db, { environmentId, credentialId, tokenId });
    return found;
  }
}

const credentialOf = preparedQuery(
  (db, of: { environmentId: string; credentialId: string; tokenId: string }) =>
    db
      .selectFrom('credentials')
      .select('credentials.last_used_at')
      .where('credentials.environment_id', '=', of.environmentId)
      .where('credentials.id', '=', of.credentialId)
      .where((e) => e.not(e.exists(revocationOf(db, of)))),
);

const holderOf = preparedQuery((db, of: { environmentId: string; sessionId: string; tokenId: string }) =>
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
      'sessions.connection_details',
      'sessions.expires_at',
      'sessions.ended_at',
      'memberships.role',
      'users.is_operator',
    ])
    .where('sessions.environment_id', '=', of.environmentId)
    .where('sessions.id', '=', of.sessionId)
    .where((e) => e.not(e.exists(revocationOf(db, of)))),
);

function revocationOf(db: Kysely<Tables>, of: { environmentId: string; tokenId: string }) {
  return db
    .selectFrom('revoked_tokens')
    .select('token_id')
    .where('environment_id', '=', of.environmentId)
    .where('token_id', '=', of.tokenId);
}

/**
 * Refresh tokens: each is valid for one exchange. A second use ends the session, because the token may be stolen (OAuth
 * 2.1 section 4.3.1).
 *
 * One exception: an exchange may be repeated for half a minute, until a token it returned is used. The response may
 * have been lost, or a client may send two requests at once. The first of these tokens to be used ends the others, so
 * that a thief who was as fast is detected at the next exchange.
 *
 * The library's own refresh grant is not used: here one transaction consumes the old token and stores the new one.
 */
import type { Clock } from '../../core/clock.ts';
import { hashSecret, newSecret } from '../../core/ids.ts';
import { AuthorizationArtifactStore } from '../../store/tokens/authorization-artifact-store.ts';
import type { AuthorizationArtifact } from '../../store/tables/people-tables.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { OAuthError } from '../protocol/oauth-error.ts';
import type { Session } from '../../people/session-rules.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { PersonTokens, RefreshableToken } from './person-tokens.ts';
import {
  insertRefreshToken,
  REFRESH_TOKEN,
  refreshTokenRow,
  scopesOfRefreshToken,
} from './refresh-token-rows.ts';

/** Time during which an exchange may be repeated: as long as clients wait before they retry. */
const REPEATABLE_MS = 30_000;

/** A refresh request of an authenticated client. */
export interface RefreshRequest {
  environmentId: string;
  clientId: string;
  refreshToken: string | undefined;
  /** Space-separated; by default the scopes of the token. */
  scope: string | undefined;
  /** Default: the resource of the session, the only valid one. */
  resource: string | undefined;
  /** Address of the client. */
  ip: string;
}

/** A token that could be exchanged now. */
export interface LiveRefreshToken {
  session: Session;
  scopes: readonly string[];
}

interface RefreshTokensDeps {
  database: Database;
  vault: Pick<Vault, 'seal' | 'open'>;
  clock: Clock;
  sessions: Pick<Sessions, 'find' | 'standing' | 'keepAlive' | 'end'>;
  tokens: PersonTokens;
}

export class RefreshTokens {
  readonly #deps: RefreshTokensDeps;

  constructor(deps: RefreshTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Exchanges a refresh token for the next pair. Claims stay as they were when the session began.
   *
   * @throws OAuthError `invalid_grant`, `invalid_scope`, `invalid_target`
   * @see RFC 6749 section 6
   */
  async exchange(request: RefreshRequest): Promise<RefreshableToken> {
    const { environmentId, refreshToken, ip } = request;
    if (refreshToken === undefined)
      throw new OAuthError('invalid_request', 'The parameter refresh_token is missing.');
    const row = await this.#row(environmentId, refreshToken);
    if (row?.session_id == null) throw notGood();
    const standing = await this.#deps.sessions.standing(environmentId, row.session_id);
    if (standing === undefined || standing.session.clientId !== request.clientId) throw notGood();
    if (await this.#isReplay(this.#deps.database.read, row)) throw await this.#replayed(standing.session, ip);
    if ((row.expires_at ?? 0) <= this.#deps.clock.now()) throw notGood();
    const held = (await scopesOfRefreshToken(this.#deps.vault, row)).filter(
      (scope) => scope !== 'admin' || standing.isOperator,
    );
    const scopes = narrowed(held, request.scope);
    if (request.resource !== undefined && request.resource !== standing.session.resource)
      throw new OAuthError('invalid_target', `This session is for ${standing.session.resource} only.`);

    const session = await this.#deps.sessions.keepAlive(environmentId, standing.session.id);
    if (session === undefined) throw notGood();
    const next = newSecret();
    const nextRow = await refreshTokenRow(this.#deps.vault, session, {
      refreshToken: next,
      scopes: held,
      exchangedFor: row.id_hash,
      now: this.#deps.clock.now(),
    });
    const isRotated = await this.#deps.database.transaction(async (tx) => {
      if (await this.#isReplay(tx, row)) return false;
      await new AuthorizationArtifactStore(tx).consume(keyOf(row), this.#deps.clock.now());
      await insertRefreshToken(tx, nextRow);
      return true;
    });
    if (!isRotated) throw await this.#replayed(session, ip);
    return { ...(await this.#deps.tokens.accessToken(session, scopes)), refresh_token: next };
  }

  /** The current meaning of a refresh token; `undefined` for a token that could not be exchanged. */
  async inspect(environmentId: string, refreshToken: string): Promise<LiveRefreshToken | undefined> {
    const row = await this.#row(environmentId, refreshToken);
    if (row?.session_id == null || row.consumed_at !== null) return undefined;
    if (await this.#isReplay(this.#deps.database.read, row)) return undefined;
    if ((row.expires_at ?? 0) <= this.#deps.clock.now()) return undefined;
    const session = await this.#deps.sessions.find(environmentId, row.session_id);
    if (session === undefined) return undefined;
    return { session, scopes: await scopesOfRefreshToken(this.#deps.vault, row) };
  }

  async #row(environmentId: string, refreshToken: string): Promise<AuthorizationArtifact | undefined> {
    return new AuthorizationArtifactStore(this.#deps.database.read).find({
      environmentId,
      model: REFRESH_TOKEN,
      idHash: hashSecret(refreshToken),
    });
  }

  /**
   * Whether a token, or another one from the same exchange, was used before. Not true for the first token of a session,
   * or if its own exchange was a moment ago and no token from that was used.
   */
  async #isReplay(db: Database['read'], { id, ...row }: AuthorizationArtifact): Promise<boolean> {
    const store = new AuthorizationArtifactStore(db);
    const of = async (grantHash: string) => store.ofGrant(row.environment_id, REFRESH_TOKEN, grantHash);
    const now = await store.find(keyOf(row));
    if (now === undefined) return true;
    const { consumed_at: exchangedAt, grant_hash: before, id_hash: own } = now;
    if (exchangedAt !== null && this.#deps.clock.now() - exchangedAt >= REPEATABLE_MS) return true;
    const rivals = exchangedAt !== null ? await of(own) : before === null ? [] : await of(before);
    return rivals.some((rival) => rival.id !== id && rival.consumed_at !== null);
  }

  async #replayed({ environmentId, id, userId }: Session, ip: string): Promise<OAuthError> {
    await this.#deps.sessions.end(environmentId, id, userId, ip);
    return new OAuthError(
      'invalid_grant',
      'The refresh token was used before. The session has ended for safety: sign in again.',
    );
  }
}

function keyOf({
  environment_id: environmentId,
  model,
  id_hash: idHash,
}: Pick<AuthorizationArtifact, 'environment_id' | 'model' | 'id_hash'>) {
  return { environmentId, model, idHash };
}

function narrowed(held: readonly string[], scope: string | undefined): readonly string[] {
  if (scope === undefined) return held;
  const asked = [...new Set(scope.split(' ').filter((word) => word !== ''))];
  if (asked.length > 0 && asked.every((word) => held.includes(word))) return asked;
  throw new OAuthError(
    'invalid_scope',
    `This session has the scopes ${held.join(' ')}. Ask for some of them.`,
  );
}

function notGood(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is unknown, has expired, or its session has ended. Sign in again.',
  );
}

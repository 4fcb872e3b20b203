/**
 * Exchanges an authorization code for a session and its tokens.
 *
 * The library's own code grant is not used. Only one of many simultaneous requests may consume a code, and presenting
 * it again must end the session that it led to (RFC 6749 section 4.1.2).
 */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { hashSecret } from '../../core/ids.ts';
import type { Visitor } from '../../core/caller.ts';
import { OAuthError } from '../protocol/oauth-error.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { IssuedToken, PersonTokens, RefreshableToken } from '../tokens/person-tokens.ts';
import { APPROVAL, AUTHORIZATION_CODE } from './oauth-record-names.ts';
import { isLive, type ArtifactName, type OAuthRecords } from './oauth-records.ts';
import type { ConnectionDetail } from '../../store/tables/people-tables.ts';

/** A code verifier as RFC 7636 section 4.1 defines it. */
const CODE_VERIFIER = /^[\w.~-]{43,128}$/;

/** The user's approval on the consent page. */
export interface Approval {
  userId: string;
  /** Empty for a user without one. */
  organizationId: string;
  /** The browser session in which the user approved. */
  sessionId: string;
  connectionDetails: readonly ConnectionDetail[];
  visitor: Visitor;
  resource: string;
  scopes: readonly string[];
}

/** The members of the library's code that this module reads. */
interface CodePayload {
  accountId?: string;
  clientId?: string;
  grantId?: string;
  redirectUri?: string;
  codeChallenge?: string;
  codeChallengeMethod?: string;
}

/** A code exchange of an authenticated client. */
export interface CodeRequest {
  environmentId: string;
  clientId: string;
  /** Whether the client may have refresh tokens. */
  mayRefresh: boolean;
  code: string | undefined;
  redirectUri: string | undefined;
  codeVerifier: string | undefined;
  /** Defaults to the resource of the authorization request. */
  resource: string | undefined;
}

interface CodeExchangeDeps {
  artifacts: OAuthRecords;
  clock: Clock;
  sessions: Pick<Sessions, 'begin' | 'end' | 'isLive'>;
  tokens: PersonTokens;
}

export class CodeExchange {
  readonly #deps: CodeExchangeDeps;

  constructor(deps: CodeExchangeDeps) {
    this.#deps = deps;
  }

  /**
   * Exchanges a code. For an invalid code the client only learns `invalid_grant`, not why.
   *
   * @throws OAuthError `invalid_request`, `invalid_grant`, `invalid_target`; `access_denied` after DENY by an interceptor
   * @see RFC 6749 section 4.1.3, RFC 7636 section 4.6, RFC 8707 section 2.2
   */
  async exchange(request: CodeRequest): Promise<IssuedToken | RefreshableToken> {
    const { environmentId, clientId, code, redirectUri, codeVerifier } = request;
    if (code === undefined || redirectUri === undefined || codeVerifier === undefined)
      throw new OAuthError('invalid_request', 'Send code, redirect_uri and code_verifier.');
    const name = { environmentId, model: AUTHORIZATION_CODE, id: code };
    const found = await this.#deps.artifacts.find(name);
    const payload = (found?.payload ?? {}) as CodePayload;
    if (found === undefined || payload.clientId !== clientId) throw notGood();
    if (found.consumedAt !== null) throw await this.#replayed(name, payload);
    if (!isLive(found, this.#deps.clock.now()) || payload.redirectUri !== redirectUri) throw notGood();
    if (payload.codeChallengeMethod !== 'S256' || !proves(codeVerifier, payload.codeChallenge ?? ''))
      throw notGood();
    const approval = await this.#approval(environmentId, payload.grantId ?? '');
    if (request.resource !== undefined && request.resource !== approval.resource)
      throw new OAuthError('invalid_target', `This code is for ${approval.resource} only.`);

    if (!(await this.#deps.artifacts.consume(name))) throw await this.#replayed(name, payload);
    const session = await this.#begin(request, approval);
    if (!(await this.#deps.artifacts.attachSession(name, session.id))) {
      await this.#deps.sessions.end(environmentId, session.id, session.userId, approval.visitor.ip);
      throw notGood();
    }
    return request.mayRefresh
      ? this.#deps.tokens.issueRefreshable(session, approval.scopes)
      : this.#deps.tokens.accessToken(session, approval.scopes);
  }

  /** @throws OAuthError `invalid_grant`, also if the user has signed out since */
  async #approval(environmentId: string, id: string): Promise<Approval> {
    const found = await this.#deps.artifacts.findLive({ environmentId, model: APPROVAL, id });
    if (found === undefined) throw notGood();
    const approval = found.payload as unknown as Approval;
    if (!(await this.#deps.sessions.isLive(environmentId, approval.sessionId))) throw notGood();
    return approval;
  }

  async #begin({ environmentId, clientId }: CodeRequest, approval: Approval) {
    const { userId, organizationId, resource, visitor, connectionDetails } = approval;
    try {
      return await this.#deps.sessions.begin({
        environmentId,
        kind: 'client',
        userId,
        organizationId,
        clientId,
        resource,
        visitor,
        connectionDetails,
        actor: userId,
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'POLICY_DENIED')
        throw new OAuthError('access_denied', error.message, { cause: error });
      if (error.code === 'RESOURCE_NOT_FOUND') throw notGood(error);
      throw error;
    }
  }

  /** Removes the code, so that an exchange still in progress notices it (`attachSession`). */
  async #replayed(name: ArtifactName, { accountId = '' }: CodePayload): Promise<OAuthError> {
    const sessionId = await this.#deps.artifacts.remove(name);
    if (sessionId !== undefined) await this.#deps.sessions.end(name.environmentId, sessionId, accountId, '');
    return notGood();
  }
}

function proves(verifier: string, challenge: string): boolean {
  const made = Buffer.from(hashSecret(verifier));
  const expected = Buffer.from(challenge);
  return CODE_VERIFIER.test(verifier) && made.length === expected.length && timingSafeEqual(made, expected);
}

function notGood(cause?: unknown): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code is unknown, used, expired, or not for this client, redirect_uri and code_verifier. Start again at the authorization endpoint.',
    { cause },
  );
}

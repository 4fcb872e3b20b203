/**
 * Who is asking: client authentication of all OAuth endpoints, in one place and before anything else.
 *
 * An unknown client and a wrong secret are answered alike, and guessing is slowed down: after 20 failures a
 * minute per client id and address the answer is 429, right secret or not (contract section 4).
 */
import type { Environment } from '../core/environment.ts';
import { hashSecret } from '../core/ids.ts';
import type { RateLimiter, RateRefusal } from '../store/rate-limiter.ts';
import type { ApiCredentials, Credential } from './api-credentials.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthForm } from './oauth-form.ts';

const FAILURES_PER_MINUTE = 20;

/** Id and secret as sent. `secrets` holds each reading of the secret, most likely first. */
interface ClientClaim {
  clientId: string;
  secrets: readonly string[];
}

export class ClientAuthentication {
  readonly #credentials: ApiCredentials;
  readonly #limiter: RateLimiter;

  constructor({ credentials, limiter }: { credentials: ApiCredentials; limiter: RateLimiter }) {
    this.#credentials = credentials;
    this.#limiter = limiter;
  }

  /**
   * The credential that the request proves to hold.
   *
   * @param authorization the header as sent
   * @param ip address of the client, for counting failures
   * @throws OAuthError `invalid_request` for two ways at once, `invalid_client` (401), `temporarily_unavailable` (429)
   * @see RFC 6749 section 2.3.1
   */
  async authenticate(
    environment: Environment,
    authorization: string | undefined,
    form: OAuthForm,
    ip: string,
  ): Promise<Credential> {
    const claim = readClaim(environment, authorization, form);
    const key = `${environment.id}:client:${hashSecret(`${claim.clientId}\n${ip}`)}`;
    const blocked = await this.#limiter.peek(key, FAILURES_PER_MINUTE);
    if (blocked !== undefined) throw tooManyFailures(blocked);

    const credential = await this.#credentials.authenticate(environment.id, claim.clientId, claim.secrets);
    if (credential !== undefined) return credential;

    const exceeded = await this.#limiter.take(key, FAILURES_PER_MINUTE);
    throw exceeded === undefined
      ? refused(environment, 'The client is unknown or its secret is wrong.')
      : tooManyFailures(exceeded);
  }
}

function readClaim(
  environment: Environment,
  authorization: string | undefined,
  form: OAuthForm,
): ClientClaim {
  const clientId = form.get('client_id');
  const secret = form.get('client_secret');
  if (authorization === undefined) {
    if (clientId !== undefined && secret !== undefined) return { clientId, secrets: [secret] };
    throw refused(
      environment,
      'Client authentication is missing. Send client_id and client_secret as form fields or with HTTP Basic.',
    );
  }
  if (secret !== undefined) {
    throw new OAuthError(
      'invalid_request',
      'Authenticate in one way only: with form fields or with the Authorization header.',
    );
  }
  const claim = readBasic(authorization);
  if (claim === undefined) {
    throw refused(environment, 'The Authorization header is not HTTP Basic with a client id and a secret.');
  }
  if (clientId !== undefined && clientId !== claim.clientId) {
    throw new OAuthError('invalid_request', 'client_id differs from the one in the Authorization header.');
  }
  return claim;
}

/**
 * The standard wants id and secret percent-encoded before they are joined; many clients do not do so. Where
 * both readings differ both are tried, so that either kind of client works with a secret of any characters.
 */
function readBasic(authorization: string): ClientClaim | undefined {
  const encoded = /^basic +([a-z0-9+/_-]+={0,2}) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) return undefined;
  const raw = text.slice(colon + 1);
  return { clientId: decoded(text.slice(0, colon)), secrets: [...new Set([raw, decoded(raw)])] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(environment: Environment, description: string): OAuthError {
  return new OAuthError('invalid_client', description, {
    status: 401,
    headers: { 'www-authenticate': `Basic realm="${environment.baseUrl}"` },
  });
}

function tooManyFailures({ retryAfterMs }: RateRefusal): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Too many failed attempts with this client id. Wait before the next one.',
    { status: 429, headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) } },
  );
}

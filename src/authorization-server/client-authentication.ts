/**
 * Client authentication of all OAuth endpoints, in one place and before anything else.
 *
 * An unknown client and a wrong secret get the same answer. Guessing is slowed down: after 20 failures a
 * minute per client id and address it is 429, even for the right secret (docs/contract.md#token-requests).
 * Anybody can make up unknown clients, so their failures count by network, in memory.
 */
import type { Environment } from '../core/environment.ts';
import { hashSecret } from '../core/ids.ts';
import type { RateLimiter, RateRefusal } from '../store/records/rate-limiter.ts';
import type { ApiCredentials, Credential } from '../api-credentials/api-credentials.ts';
import { OAuthError } from './protocol/oauth-error.ts';
import type { OAuthForm } from './protocol/oauth-form.ts';
import { wideNetworkOf } from '../people/sign-in/network.ts';
import { isPersonClientId, isRegisteredClientId } from './protocol/client-metadata.ts';
import type { PersonClient } from './protocol/person-client.ts';

const FAILURES_PER_MINUTE = 20;

/** Id and secret as sent. `secrets` holds each reading of the secret, most likely first; empty without a secret. */
interface ClientClaim {
  clientId: string;
  secrets: readonly string[];
}

/** Looks up an app that people sign in to. */
export type FindPersonClient = (
  environment: Environment,
  clientId: string,
  ip: string,
) => Promise<PersonClient | undefined>;

/** The authenticated client: a machine with its credential, or an app that people sign in to. */
export type AuthenticatedClient = { clientId: string; credential?: Credential; isPublic: boolean };

/** Called when a client is refused. @param isKnown whether a client has this id */
export type ClientRefused = (isKnown: boolean) => void;

interface ClientAuthenticationDeps {
  credentials: ApiCredentials;
  limiter: RateLimiter;
  findPersonClient: FindPersonClient;
}

export class ClientAuthentication {
  readonly #deps: ClientAuthenticationDeps;

  constructor(deps: ClientAuthenticationDeps) {
    this.#deps = deps;
  }

  /**
   * The credential that the request proves to hold.
   *
   * @param authorization the header as sent
   * @param ip address of the client, for counting failures
   * @throws OAuthError `invalid_request` for two methods at once, `invalid_client` (401), `temporarily_unavailable` (429)
   * @see RFC 6749 section 2.3.1
   */
  async authenticate(
    environment: Environment,
    authorization: string | undefined,
    form: OAuthForm,
    ip: string,
  ): Promise<Credential> {
    const claim = readClaim(environment, authorization, form);
    return this.#counted(environment, claim.clientId, ip, async () =>
      this.#deps.credentials.authenticate(environment.id, claim.clientId, claim.secrets),
    );
  }

  /**
   * Authenticates clients of either kind. An app without a secret is accepted by its id alone: what it may then
   * do needs a token that only it has (RFC 7009 section 2.1).
   *
   * @throws as `authenticate`
   */
  async authenticateAny(
    environment: Environment,
    authorization: string | undefined,
    form: OAuthForm,
    ip: string,
  ): Promise<AuthenticatedClient> {
    const clientId = claimedClientId(authorization, form);
    if (clientId === undefined || !isPersonClientId(clientId)) {
      const credential = await this.authenticate(environment, authorization, form, ip);
      return { clientId: credential.clientId, credential, isPublic: false };
    }
    const { secrets } = isBare(authorization, form)
      ? { secrets: [] }
      : readClaim(environment, authorization, form);
    return this.#counted(environment, clientId, ip, async () => {
      const client = await this.#deps.findPersonClient(environment, clientId, ip);
      if (client === undefined) return undefined;
      const isPublic = client.method === 'none';
      const isProven = isPublic ? secrets.length === 0 : secrets.some((secret) => client.hasSecret(secret));
      return isProven ? { clientId, isPublic } : undefined;
    });
  }

  /**
   * Counts failures of a request that authenticates elsewhere, and passes it on.
   *
   * @param work calls its argument when it refuses the client, before it answers
   */
  async whileCounting(
    environment: Environment,
    clientId: string,
    ip: string,
    work: (onRefused: ClientRefused) => Promise<void>,
  ): Promise<void> {
    const { limiter, findPersonClient } = this.#deps;
    const blocked = await limiter.peek(failureKey(environment, clientId, ip), FAILURES_PER_MINUTE);
    if (blocked !== undefined) throw tooManyFailures(blocked);
    const full = limiter.peekInMemory(strangersKey(environment, ip), FAILURES_PER_MINUTE);
    if (full !== undefined && (await findPersonClient(environment, clientId, ip)) === undefined)
      throw tooManyFailures(full);
    await work((isKnown) => {
      // Anybody can publish a document, and there is no secret to guess.
      this.#noteFailure(environment, clientId, ip, isKnown && isRegisteredClientId(clientId));
    });
  }

  async #counted<T>(
    environment: Environment,
    clientId: string,
    ip: string,
    work: () => Promise<T | undefined>,
  ): Promise<T> {
    const key = failureKey(environment, clientId, ip);
    const blocked = await this.#deps.limiter.peek(key, FAILURES_PER_MINUTE);
    if (blocked !== undefined) throw tooManyFailures(blocked);
    const found = await work();
    if (found !== undefined) return found;
    const exceeded = this.#noteFailure(
      environment,
      clientId,
      ip,
      await this.#isKnown(environment, clientId, ip),
    );
    throw exceeded === undefined
      ? refused(environment, 'The client is unknown or its secret is wrong.')
      : tooManyFailures(exceeded);
  }

  /** The row for other processes is written after the answer: the time would reveal that the client exists. */
  #noteFailure(
    environment: Environment,
    clientId: string,
    ip: string,
    isKnown: boolean,
  ): RateRefusal | undefined {
    const { limiter } = this.#deps;
    const key = isKnown ? failureKey(environment, clientId, ip) : strangersKey(environment, ip);
    if (isKnown) setImmediate(() => void limiter.take(key, FAILURES_PER_MINUTE).catch(() => undefined));
    return limiter.takeInMemory(key, FAILURES_PER_MINUTE);
  }

  /** Whether we gave out this client id. */
  async #isKnown(environment: Environment, clientId: string, ip: string): Promise<boolean> {
    if (!isPersonClientId(clientId)) return this.#deps.credentials.isClient(environment.id, clientId);
    return (
      isRegisteredClientId(clientId) &&
      (await this.#deps.findPersonClient(environment, clientId, ip)) !== undefined
    );
  }
}

/** The client id that a request claims, without any proof. */
export function claimedClientId(authorization: string | undefined, form: OAuthForm): string | undefined {
  const asserted = form.get('client_assertion')?.split('.')[1];
  return (
    (authorization === undefined ? undefined : readBasic(authorization)?.clientId) ??
    form.get('client_id') ??
    (asserted === undefined ? undefined : subjectOf(asserted))
  );
}

/** Whether only the id was sent. */
function isBare(authorization: string | undefined, form: OAuthForm): boolean {
  return authorization === undefined && !form.has('client_secret') && !form.has('client_assertion');
}

function subjectOf(payload: string): string | undefined {
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

function failureKey(environment: Environment, clientId: string, ip: string): string {
  return `${environment.id}:client:${hashSecret(`${clientId}\n${ip}`)}`;
}

/** Of all unknown clients of a network. */
function strangersKey(environment: Environment, ip: string): string {
  return `${environment.id}:unknown-clients:${wideNetworkOf(ip)}`;
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
 * RFC 6749 requires id and secret to be percent-encoded before they are joined, but many clients skip that.
 * If both readings differ, both are tried, so that either kind of client works with any secret.
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
    'Too many failed attempts of this client or from this network. Wait before the next one.',
    { status: 429, headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) } },
  );
}

/**
 * The authorization server: metadata, keys, and the endpoints that issue, take back and explain access tokens.
 *
 * Answers raw requests of node:http, because oidc-provider does. Client authentication, revocation and
 * introspection are ours (the library refuses JWT access tokens there); grants are the library's, which is
 * loaded with the first token request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../core/clock.ts';
import type { Environment } from '../core/environment.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../store/database.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import { RevokedTokenStore } from '../store/revoked-token-store.ts';
import type { ApiCredentials, Credential } from './api-credentials.ts';
import { ClientAuthentication } from './client-authentication.ts';
import type { BeforeMachineToken } from './machine-tokens.ts';
import { NO_STORE, OAuthError, sendJson, sendOAuthError, toOAuthError } from './oauth-error.ts';
import { readForm, type OAuthForm } from './oauth-form.ts';
import { OAUTH_PATHS, oauthMetadata, openIdMetadata } from './server-metadata.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { TokenProvider } from './token-provider.ts';
import type { TokenVerifier } from './token-verifier.ts';

export interface AuthorizationServerOptions {
  database: Database;
  credentials: ApiCredentials;
  keys: SigningKeys;
  verifier: TokenVerifier;
  rateLimiter: RateLimiter;
  clock: Clock;
  log: Log;
  /** Lifetime of access tokens (`lifetimes.token`); whole seconds, at least one. */
  tokenMs: number;
  /** Lets interceptors refuse or change a token for a machine. */
  beforeMachineToken?: BeforeMachineToken | undefined;
}

/** An authenticated request to one of the endpoints. */
interface ClientRequest {
  environment: Environment;
  credential: Credential;
  form: OAuthForm;
  ip: string;
}

/** Documents for everybody; they change with a new version or a new key only. */
const PUBLIC_CACHE = 'public, max-age=300';

export class AuthorizationServer {
  readonly #options: AuthorizationServerOptions;
  readonly #clients: ClientAuthentication;
  /** By environment id; one issuer per provider. */
  readonly #providers = new Map<string, Promise<TokenProvider>>();

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
    this.#clients = new ClientAuthentication({
      credentials: options.credentials,
      limiter: options.rateLimiter,
    });
  }

  /** Whether `handle` answers this path: one of OAUTH_PATHS. */
  static answers(path: string): boolean {
    return Object.values(OAUTH_PATHS).some((ours) => ours === path);
  }

  /**
   * Answers one request, refusals and failures included; never rejects.
   *
   * @param environment the one that the request's Host belongs to
   * @param ip address of the client, where a trusted proxy names it; default: the peer
   */
  async handle(
    environment: Environment,
    req: IncomingMessage,
    res: ServerResponse,
    ip: string = req.socket.remoteAddress ?? '',
  ): Promise<void> {
    try {
      await this.#route(environment, req, res, ip);
    } catch (error) {
      sendOAuthError(res, toOAuthError(error, this.#options.log));
    }
  }

  async #route(
    environment: Environment,
    req: IncomingMessage,
    res: ServerResponse,
    ip: string,
  ): Promise<void> {
    const path = (req.url ?? '').split('?', 1)[0];
    switch (path) {
      case OAUTH_PATHS.oauthMetadata:
        requireMethod(req, 'GET');
        return sendJson(res, 200, oauthMetadata(environment.baseUrl), { 'cache-control': PUBLIC_CACHE });
      case OAUTH_PATHS.openIdMetadata:
        requireMethod(req, 'GET');
        return sendJson(res, 200, openIdMetadata(environment.baseUrl), { 'cache-control': PUBLIC_CACHE });
      case OAUTH_PATHS.keys:
        requireMethod(req, 'GET');
        return sendJson(res, 200, await this.#options.keys.jwks(environment.id), {
          'cache-control': PUBLIC_CACHE,
          'content-type': 'application/jwk-set+json',
        });
      case OAUTH_PATHS.token:
        return this.#issue(await this.#authenticated(environment, req, ip), res);
      case OAUTH_PATHS.revoke:
        return this.#revoke(await this.#authenticated(environment, req, ip), res);
      case OAUTH_PATHS.introspect:
        return this.#introspect(await this.#authenticated(environment, req, ip), res);
      case OAUTH_PATHS.authorize:
        throw new OAuthError(
          'unsupported_response_type',
          'Nobody can sign in here. Machines get their tokens from the token endpoint.',
        );
      default:
        throw new OAuthError('invalid_request', 'There is no such address.', { status: 404 });
    }
  }

  async #authenticated(environment: Environment, req: IncomingMessage, ip: string): Promise<ClientRequest> {
    requireMethod(req, 'POST');
    const form = await readForm(req);
    const credential = await this.#clients.authenticate(environment, req.headers.authorization, form, ip);
    return { environment, credential, form, ip };
  }

  async #issue({ environment, credential, form, ip }: ClientRequest, res: ServerResponse): Promise<void> {
    const provider = await this.#provider(environment);
    await provider({ environment, credential, ip }, form, res);
  }

  /**
   * Takes an access token of the client back. What is not a live token of ours needs no revocation and is
   * answered alike.
   *
   * @see RFC 7009 section 2
   */
  async #revoke({ environment, credential, form }: ClientRequest, res: ServerResponse): Promise<void> {
    const { database, verifier } = this.#options;
    const found = await verifier.inspect(environment.id, tokenOf(form));
    if (found !== undefined) {
      const { clientId, tokenId, expiresAt } = found.token;
      if (clientId !== credential.clientId) {
        throw new OAuthError('unauthorized_client', 'The token was issued to another client.');
      }
      const row = { environment_id: environment.id, token_id: tokenId, expires_at: expiresAt };
      await database.transaction(async (tx) => new RevokedTokenStore(tx).add(row));
      verifier.forget(tokenId);
    }
    res.writeHead(200, { ...NO_STORE, 'content-length': '0' }).end();
  }

  /**
   * Says what an access token stands for. A client bound to an organization learns nothing about the tokens of
   * others.
   *
   * @see RFC 7662 section 2.2
   */
  async #introspect({ environment, credential, form }: ClientRequest, res: ServerResponse): Promise<void> {
    const found = await this.#options.verifier.inspect(environment.id, tokenOf(form));
    const isForeign =
      found !== undefined &&
      credential.organizationId !== '' &&
      credential.organizationId !== found.token.organizationId;
    if (found === undefined || isForeign) return sendJson(res, 200, { active: false });
    sendJson(res, 200, { ...found.claims, active: true, token_type: 'Bearer' });
  }

  /** Loaded once; a failed attempt is repeated by the next request. */
  async #provider(environment: Environment): Promise<TokenProvider> {
    const opened = this.#providers.get(environment.id);
    if (opened !== undefined) return opened;
    const opening = this.#openProvider(environment);
    this.#providers.set(environment.id, opening);
    opening.catch(() => this.#providers.delete(environment.id));
    return opening;
  }

  async #openProvider(environment: Environment): Promise<TokenProvider> {
    const { keys, clock, log, tokenMs, beforeMachineToken } = this.#options;
    const [{ openTokenProvider }, signingJwk] = await Promise.all([
      import('./token-provider.ts'),
      keys.signingJwk(environment.id),
    ]);
    return openTokenProvider({ environment, signingJwk, clock, log, tokenMs, beforeMachineToken });
  }
}

function requireMethod(req: IncomingMessage, method: 'GET' | 'POST'): void {
  if (req.method === method || (method === 'GET' && req.method === 'HEAD')) return;
  throw new OAuthError('invalid_request', `This address is for ${method} requests.`, {
    status: 405,
    headers: { allow: method },
  });
}

function tokenOf(form: OAuthForm): string {
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  return token;
}

/**
 * The authorization server: metadata, keys, and the endpoints that issue, revoke and introspect tokens.
 *
 * Takes raw requests of node:http, because oidc-provider does. Authentication of machines, revocation and
 * introspection are our own code, because the library refuses JWT access tokens there. The library does the
 * rest and is loaded with the first request that needs it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment, Environments } from '../core/environment.ts';
import type { Visitor } from '../core/caller.ts';
import type { ApiCredentials } from '../api-credentials/api-credentials.ts';
import { claimedClientId, ClientAuthentication } from './client-authentication.ts';
import { NO_STORE, OAuthError, sendJson, sendOAuthError, toOAuthError } from './protocol/oauth-error.ts';
import { IssuedTokens } from './issued-tokens.ts';
import { readOAuthForm } from './protocol/oauth-form.ts';
import { isPersonClientId } from './protocol/client-metadata.ts';
import { ClientConsents } from './library/client-consents.ts';
import { PeopleEndpoints, type EndpointRequest } from './people-endpoints.ts';
import { OAuthServers, type ProvidersOptions } from './library/oauth-servers.ts';
import { OAUTH_PATHS, oauthMetadata, openIdMetadata } from './protocol/server-metadata.ts';
import type { TokenVerifier } from './tokens/token-verifier.ts';

/** Dependencies of the endpoints. */
export interface AuthorizationServerOptions extends ProvidersOptions {
  environments: Environments;
  credentials: ApiCredentials;
  verifier: TokenVerifier;
}

/** Public documents: they change only with a new version or a new key. */
const PUBLIC_CACHE = 'public, max-age=300';

export class AuthorizationServer {
  /** The answers of users on the consent page. */
  readonly consents: ClientConsents;
  readonly #options: AuthorizationServerOptions;
  readonly #providers: OAuthServers;
  readonly #clients: ClientAuthentication;
  readonly #people: PeopleEndpoints;
  readonly #issued: IssuedTokens;

  constructor(options: AuthorizationServerOptions) {
    const providers = new OAuthServers(options);
    this.#options = options;
    this.#providers = providers;
    this.consents = new ClientConsents({ ...options, providers });
    this.#people = new PeopleEndpoints({ ...options, providers });
    this.#issued = new IssuedTokens({ ...options, refreshTokens: providers.refreshTokens });
    this.#clients = new ClientAuthentication({
      credentials: options.credentials,
      limiter: options.rateLimiter,
      findPersonClient: async (environment, clientId, ip) =>
        (await providers.of(environment)).findClient(clientId, ip),
    });
  }

  /** Whether `handle` answers this path: one of OAUTH_PATHS, or the return from the consent page. */
  static answers(path: string): boolean {
    return (
      path.startsWith(`${OAUTH_PATHS.authorize}/`) || Object.values(OAUTH_PATHS).some((ours) => ours === path)
    );
  }

  /**
   * Answers one request, refusals and failures included; never rejects.
   *
   * @param environment that of the request's Host
   */
  async handle(
    environment: Environment,
    req: IncomingMessage,
    res: ServerResponse,
    visitor: Visitor,
  ): Promise<void> {
    try {
      await this.#route(environment, req, res, visitor);
    } catch (error) {
      sendOAuthError(res, toOAuthError(error, this.#options.log));
    }
  }

  async #route(
    environment: Environment,
    req: IncomingMessage,
    res: ServerResponse,
    visitor: Visitor,
  ): Promise<void> {
    const path = (req.url ?? '').split('?', 1)[0] ?? '';
    const request = { environment, req, res, visitor };
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
        requireMethod(req, 'POST');
        return this.#issue(request);
      case OAUTH_PATHS.revoke:
        requireMethod(req, 'POST');
        return this.#revoke(request);
      case OAUTH_PATHS.introspect:
        requireMethod(req, 'POST');
        return this.#introspect(request);
      case OAUTH_PATHS.register:
        requireMethod(req, 'POST');
        return this.#people.register(request);
      default:
        if (path !== OAUTH_PATHS.authorize && !path.startsWith(`${OAUTH_PATHS.authorize}/`))
          throw new OAuthError('invalid_request', 'There is no such address.', { status: 404 });
        requireMethod(req, path === OAUTH_PATHS.authorize && req.method === 'POST' ? 'POST' : 'GET');
        if (req.method === 'HEAD') return void res.writeHead(200, NO_STORE).end();
        return this.#people.authorize(request);
    }
  }

  async #issue(request: EndpointRequest): Promise<void> {
    const { environment, req, res, visitor } = request;
    const { ip } = visitor;
    const { authorization } = req.headers;
    const form = await readOAuthForm(req);
    const clientId = claimedClientId(authorization, form);
    if (clientId !== undefined && isPersonClientId(clientId)) {
      return this.#clients.whileCounting(environment, clientId, ip, async (onRefused) =>
        this.#people.token(request, form, onRefused),
      );
    }
    const credential = await this.#clients.authenticate(environment, authorization, form, ip);
    if (form.get('grant_type') === 'authorization_code')
      throw new OAuthError(
        'unauthorized_client',
        'Authorization codes are for apps that people sign in to. With an API credential, use grant_type=client_credentials.',
      );
    if (form.get('grant_type') === 'refresh_token') {
      const answer = await this.#providers.refreshTokens.exchange({
        environmentId: environment.id,
        clientId: credential.clientId,
        refreshToken: form.get('refresh_token'),
        scope: form.get('scope'),
        resource: form.get('resource'),
        ip,
      });
      return sendJson(res, 200, answer);
    }
    const provider = await this.#providers.of(environment);
    return provider.issueForMachine({ environment, credential, visitor }, form, res);
  }

  /** @see RFC 7009 section 2 */
  async #revoke({ environment, req, res, visitor: { ip } }: EndpointRequest): Promise<void> {
    const form = await readOAuthForm(req);
    const client = await this.#clients.authenticateAny(environment, req.headers.authorization, form, ip);
    await this.#issued.revoke(environment.id, client, form.get('token'), ip);
    res.writeHead(200, { ...NO_STORE, 'content-length': '0' }).end();
  }

  /** @see RFC 7662 section 2 */
  async #introspect({ environment, req, res, visitor: { ip } }: EndpointRequest): Promise<void> {
    const form = await readOAuthForm(req);
    const client = await this.#clients.authenticateAny(environment, req.headers.authorization, form, ip);
    sendJson(res, 200, await this.#issued.introspect(environment, client, form.get('token')));
  }
}

function requireMethod(req: IncomingMessage, method: 'GET' | 'POST'): void {
  if (req.method === method || (method === 'GET' && req.method === 'HEAD')) return;
  throw new OAuthError('invalid_request', `This address is for ${method} requests.`, {
    status: 405,
    headers: { allow: method },
  });
}

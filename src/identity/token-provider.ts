/**
 * oidc-provider, set up for one environment: the only file that touches the library.
 *
 * It is loaded when the first token is asked for (28 MB, a fifth of a second). Each request it gets was written
 * here, from a form whose client is authenticated already, so nothing of the caller's headers steers it.
 */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Adapter, Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import { SCOPES } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Environment } from '../core/environment.ts';
import type { Log } from '../core/log.ts';
import {
  audienceOf,
  machineClaims,
  scopesOf,
  type BeforeMachineToken,
  type MachineGrant,
} from './machine-tokens.ts';
import { OAuthError, toOAuthError } from './oauth-error.ts';
import type { OAuthForm } from './oauth-form.ts';
import { OAUTH_PATHS } from './server-metadata.ts';

/** The library insists on a secret; the real one was checked before and stays out of it. */
const PLACEHOLDER_SECRET = 'checked-before';

export interface TokenProviderOptions {
  environment: Environment;
  /** Private RS256 key with `kid`. */
  signingJwk: JWK;
  tokenMs: number;
  clock: Clock;
  log: Log;
  beforeMachineToken?: BeforeMachineToken | undefined;
}

/** Answers the token request of an authenticated client, errors included. */
export type TokenProvider = (grant: MachineGrant, form: OAuthForm, res: ServerResponse) => Promise<void>;

/** Loads the library and makes the provider of one environment. */
export async function openTokenProvider(options: TokenProviderOptions): Promise<TokenProvider> {
  const { Provider } = await import('oidc-provider');
  const grants = new WeakMap<IncomingMessage, MachineGrant>();
  const grantOf = (ctx: KoaContextWithOIDC | undefined): MachineGrant | undefined =>
    ctx === undefined ? undefined : grants.get(ctx.req);

  const provider = new Provider(
    options.environment.baseUrl,
    configure(options, grantOf, () => grantOf(Provider.ctx)),
  );
  provider.Client.prototype.compareClientSecret = function compareClientSecret(): boolean {
    return grantOf(Provider.ctx)?.credential.clientId === this.clientId;
  };
  provider.use(async (ctx, next) => {
    await next();
    for (const name of ['access-control-allow-origin', 'access-control-expose-headers', 'vary'])
      ctx.remove(name);
    ctx.set('pragma', 'no-cache');
  });
  provider.on('server_error', (_ctx, err) => {
    if (!(err instanceof OAuthError)) options.log.error('oauth_failed', { err });
  });
  const emitter: EventEmitter = provider;
  emitter.on('error', (err) => options.log.warn('oauth_answer_failed', { err }));

  const respond = provider.callback();
  return async (grant, form, res) => {
    const req = tokenRequest(grant, form);
    grants.set(req, grant);
    await respond(req, res);
  };
}

function configure(
  { environment, signingJwk, tokenMs, clock, log, beforeMachineToken }: TokenProviderOptions,
  grantOf: (ctx: KoaContextWithOIDC) => MachineGrant | undefined,
  currentGrant: () => MachineGrant | undefined,
): Configuration {
  const lifetimeSeconds = Math.max(1, Math.floor(tokenMs / 1000));
  const credentialOf = (ctx: KoaContextWithOIDC) => required(grantOf(ctx)).credential;
  return {
    adapter: (model) => new AuthenticatedClients(model, currentGrant),
    jwks: { keys: [signingJwk] },
    scopes: [...SCOPES],
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientBasedCORS: () => false,
    routes: { authorization: OAUTH_PATHS.authorize, token: OAUTH_PATHS.token, jwks: OAUTH_PATHS.keys },
    ttl: { ClientCredentials: () => lifetimeSeconds },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => environment.baseUrl,
        getResourceServerInfo: (ctx, resource) => {
          const audience = audienceOf(environment, resource);
          const scope = scopesOf(credentialOf(ctx), ctx.oidc.requestParamScopes).join(' ');
          return { audience, scope, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };
        },
      },
    },
    formats: {
      customizers: {
        jwt: async (ctx, token, parts) => {
          const issuedAt = Math.floor(clock.now() / 1000);
          const claims = await machineClaims(
            required(grantOf(ctx)),
            {
              id: token.jti,
              scopes: (token.scope ?? '').split(' '),
              audience: typeof token.aud === 'string' ? token.aud : environment.baseUrl,
              times: { issuedAt, expiresAt: issuedAt + lifetimeSeconds },
            },
            beforeMachineToken,
          ).catch((error: unknown) => {
            throw toOAuthError(error, log);
          });
          token.scope = claims.scope;
          parts.payload = claims;
        },
      },
    },
  };
}

/** The request as oidc-provider sees it: ours from the first byte to the last. Without `scope`: all the credential has. */
function tokenRequest({ environment, credential }: MachineGrant, form: OAuthForm): IncomingMessage {
  const parameters = new Map([['scope', credential.scopes.join(' ')], ...form]);
  parameters.set('client_id', credential.clientId).set('client_secret', PLACEHOLDER_SECRET);
  const body = Buffer.from(new URLSearchParams([...parameters]).toString());
  return Object.assign(Readable.from([body], { objectMode: false }), {
    method: 'POST',
    url: OAUTH_PATHS.token,
    httpVersion: '1.1',
    headers: {
      host: new URL(environment.baseUrl).host,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    },
    socket: { encrypted: environment.baseUrl.startsWith('https:') },
  }) as unknown as IncomingMessage;
}

/**
 * What oidc-provider may read: the client of the request in hand, once it is authenticated. Machine tokens are
 * not stored, so every other model is empty.
 */
class AuthenticatedClients implements Adapter {
  readonly #model: string;
  readonly #currentGrant: () => MachineGrant | undefined;

  constructor(model: string, currentGrant: () => MachineGrant | undefined) {
    this.#model = model;
    this.#currentGrant = currentGrant;
  }

  async find(id: string) {
    if (this.#model !== 'Client' || this.#currentGrant()?.credential.clientId !== id) return undefined;
    return {
      client_id: id,
      client_secret: PLACEHOLDER_SECRET,
      token_endpoint_auth_method: 'client_secret_post' as const,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    };
  }

  async findByUserCode() {}
  async findByUid() {}
  async consume() {}
  async destroy() {}
  async revokeByGrantId() {}

  async upsert() {
    throw new Error(`${this.#model} is not stored`);
  }
}

function required(grant: MachineGrant | undefined): MachineGrant {
  if (grant === undefined) throw new Error('a token request without an authenticated client');
  return grant;
}

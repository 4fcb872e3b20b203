/** Configuration of oidc-provider for tokens of machines. Everything about people is in people-configuration.ts. */
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import { ORGANIZATION_SCOPES, SCOPES } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environment } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import {
  audienceOf,
  machineClaims,
  scopesOf,
  type BeforeMachineToken,
  type MachineGrant,
} from '../tokens/machine-tokens.ts';
import { toOAuthError } from '../protocol/oauth-error.ts';
import { OAUTH_PATHS } from '../protocol/server-metadata.ts';
import { PEOPLE_TTL, personResourceServer } from './people-configuration.ts';
import { defaultResource } from '../protocol/resources.ts';

/** Dependencies that decide the content of a machine's token. */
export interface MachineConfigurationOptions {
  environment: Environment;
  /** Private RS256 key with `kid`. */
  signingJwk: JWK;
  tokenMs: number;
  clock: Clock;
  log: Log;
  beforeMachineToken?: BeforeMachineToken | undefined;
}

/**
 * @param grantOf the machine of the current request; `undefined` for requests of people
 * @param peopleFeatures features of the library that only people use
 */
export function machineConfiguration(
  { environment, signingJwk, tokenMs, clock, log, beforeMachineToken }: MachineConfigurationOptions,
  grantOf: (ctx: KoaContextWithOIDC) => MachineGrant | undefined,
  peopleFeatures: NonNullable<Configuration['features']>,
): Configuration {
  const lifetimeSeconds = Math.max(1, Math.floor(tokenMs / 1000));
  return {
    jwks: { keys: [signingJwk] },
    scopes: [...SCOPES, ...ORGANIZATION_SCOPES],
    clientBasedCORS: () => false,
    routes: {
      authorization: OAUTH_PATHS.authorize,
      token: OAUTH_PATHS.token,
      jwks: OAUTH_PATHS.keys,
      registration: OAUTH_PATHS.register,
    },
    ttl: { ...PEOPLE_TTL, ClientCredentials: () => lifetimeSeconds },
    features: {
      ...peopleFeatures,
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (ctx) =>
          grantOf(ctx) === undefined ? defaultResource(environment.baseUrl) : environment.baseUrl,
        getResourceServerInfo: (ctx, resource) => {
          const grant = grantOf(ctx);
          if (grant === undefined) return personResourceServer(environment, ctx, resource);
          const audience = audienceOf(environment, resource);
          const scope = scopesOf(grant.credential, ctx.oidc.requestParamScopes).join(' ');
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

function required(grant: MachineGrant | undefined): MachineGrant {
  if (grant === undefined) throw new Error('a token request without an authenticated client');
  return grant;
}

/** The library omits an empty scope, which tells a client that it got all it requested (RFC 6749 section 5.1). */
export function nameEmptyScope(ctx: { body: unknown }): void {
  const { body } = ctx;
  if (typeof body !== 'object' || body === null || !('access_token' in body)) return;
  if (!('scope' in body) || body.scope === undefined) ctx.body = { ...body, scope: '' };
}

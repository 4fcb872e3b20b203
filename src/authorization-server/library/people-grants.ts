/** Token requests of people's clients: the library authenticates them, our own rules answer them. */
import type { Client, Provider, TokenEndpointGrantContext } from 'oidc-provider';
import type { Environment } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import { toOAuthError } from '../protocol/oauth-error.ts';
import { REGISTERED_CLIENT, UNUSED_CLIENT_MS } from './oauth-record-names.ts';
import type { OAuthRecords } from './oauth-records.ts';
import { isRegisteredClientId } from '../protocol/client-metadata.ts';
import type { CodeExchange } from './code-exchange.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';

/** Handlers of token requests of people's clients. */
export interface PeopleGrants {
  environment: Environment;
  artifacts: OAuthRecords;
  codes: CodeExchange;
  refreshTokens: RefreshTokens;
  log: Log;
}

/**
 * Replaces the library's own grants. Each use extends a registered client's life, noted after tokens were issued. A
 * failure to note it is ignored, because the code or refresh token is already spent.
 *
 * @param ip address of the current request's client
 */
export function registerGrants(
  provider: Provider,
  { environment, artifacts, codes, refreshTokens, log }: PeopleGrants,
  ip: () => string,
): void {
  type Parameters = Record<
    'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token' | 'scope' | 'resource',
    string | undefined
  >;
  const register = (
    grantType: string,
    parameters: readonly (keyof Parameters)[],
    issue: (client: Client, params: Parameters, ip: string) => Promise<object>,
  ): void => {
    const handle = async (ctx: TokenEndpointGrantContext<Parameters>): Promise<void> => {
      try {
        const { client, params } = ctx.oidc;
        ctx.body = await issue(client, params, ip());
        await keep(client);
      } catch (error) {
        throw toOAuthError(error, log);
      }
    };
    provider.registerGrantType<Parameters>(grantType, handle, parameters);
  };
  const environmentId = environment.id;
  const keep = async ({ clientId }: Client): Promise<void> => {
    if (!isRegisteredClientId(clientId)) return;
    try {
      await artifacts.extend({ environmentId, model: REGISTERED_CLIENT, id: clientId }, UNUSED_CLIENT_MS);
    } catch (err) {
      log.warn('client_use_not_noted', { environment_id: environmentId, err });
    }
  };
  register(
    'authorization_code',
    ['code', 'redirect_uri', 'code_verifier', 'resource'],
    async ({ clientId, grantTypes }, params) =>
      codes.exchange({
        environmentId,
        clientId,
        mayRefresh: grantTypes?.includes('refresh_token') === true,
        code: params.code,
        redirectUri: params.redirect_uri,
        codeVerifier: params.code_verifier,
        resource: params.resource,
      }),
  );
  register('refresh_token', ['refresh_token', 'scope', 'resource'], async ({ clientId }, params, ip) =>
    refreshTokens.exchange({
      environmentId,
      clientId,
      refreshToken: params.refresh_token,
      scope: params.scope,
      resource: params.resource,
      ip,
    }),
  );
}

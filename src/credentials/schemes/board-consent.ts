/**
 * The consent of BOARD_OAUTH1. Flow `token`: the provider sends a token back in the fragment of the callback. Flow
 * `oauth1`: a request token, its authorization, and its exchange for an access token (RFC 5849 section 2).
 */
import { openClientSecret } from '../../connections/connection-columns.ts';
import type { FillAddress } from '../../connections/oauth-endpoints.ts';
import type { AuthOf, BlockRules } from '../../catalog/model/types.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Vault } from '../../vault/vault.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import type { OAuth1Credentials } from '../oauth/oauth1-signature.ts';
import { accessToken, requestToken, type OAuth1Token } from '../oauth/oauth1-tokens.ts';
import { tokenFailure } from '../oauth/token-answer.ts';
import {
  ConnectionChangedFailure,
  type ConsentCredentials,
  type ConsentReturn,
  type ConsentStep,
} from './consent-step.ts';
import { textParam } from './minted-token.ts';
import type { SchemeServices } from './renewal.ts';

/** Name of the app on the provider's page if the connection does not set one. */
const APP_NAME = 'Gatehouse';

/** Addresses of a connection's consent. */
export interface BoardAddresses {
  authorizationUrl: string;
  /** Set for the flow oauth1, as is the next. */
  requestTokenUrl: string | undefined;
  accessTokenUrl: string | undefined;
}

/**
 * The connector's addresses, or those of the connection's overrides, where `token_url` is the exchange. A connection
 * with overrides calls nothing of the connector that it does not override.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connector` if overrides lack one; what `fill` throws
 */
export function boardAddresses(
  connection: Pick<Connection, 'name' | 'overrides'>,
  rules: BlockRules<'BOARD_OAUTH1'>,
  fill: FillAddress,
): BoardAddresses {
  const { flow, authorization_url, request_token_url, access_token_url } = rules;
  const isSigned = flow === 'oauth1';
  const own = connection.overrides;
  if (Object.keys(own).length === 0) {
    return {
      authorizationUrl: fill(authorization_url),
      requestTokenUrl: request_token_url === undefined ? undefined : fill(request_token_url),
      accessTokenUrl: access_token_url === undefined ? undefined : fill(access_token_url),
    };
  }
  if (own.authorization_url === undefined) throw incomplete(connection, 'overrides.authorization_url');
  if (isSigned && own.request_token_url === undefined)
    throw incomplete(connection, 'overrides.request_token_url');
  if (isSigned && own.token_url === undefined) throw incomplete(connection, 'overrides.token_url');
  return {
    authorizationUrl: own.authorization_url,
    requestTokenUrl: own.request_token_url,
    accessTokenUrl: own.token_url,
  };
}

/** Key and secret that the connection signs with. @throws ServiceError INVALID_ARGUMENT on `connector` */
export function consumerOf(
  connection: Pick<Connection, 'name' | 'clientId'>,
  secret: string | undefined,
): OAuth1Credentials {
  if (connection.clientId === null) throw incomplete(connection, 'client_id');
  if (secret === undefined) throw incomplete(connection, 'client_secret');
  return { consumerKey: connection.clientId, consumerSecret: secret };
}

export const boardConsent: ConsentStep<AuthOf<'BOARD_OAUTH1'>> = {
  answer: (auth) => (auth.board_oauth1.flow === 'oauth1' ? 'oauth_verifier' : 'token'),

  outline({ connection, auth, fill }) {
    const rules = auth.board_oauth1;
    return {
      address: boardAddresses(connection, rules, fill).authorizationUrl,
      defaultScopes: rules.scopes,
      rules: { scope_parameter: true },
    };
  },

  async begin({ connection, auth, fill }, { state, redirectUri, scopes }, services) {
    const rules = auth.board_oauth1;
    const { authorizationUrl, requestTokenUrl, accessTokenUrl } = boardAddresses(connection, rules, fill);
    const back = new URL(redirectUri);
    back.searchParams.set('state', state);
    const named = {
      ...rules.authorize_parameters,
      name: textParam(connection, 'app_name') ?? APP_NAME,
      ...(scopes.length > 0 && { scope: scopes.join(rules.scope_separator) }),
    };
    const issuer = new URL(authorizationUrl).origin;
    if (requestTokenUrl === undefined || accessTokenUrl === undefined) {
      if (connection.clientId === null) throw incomplete(connection, 'client_id');
      const parameters = {
        ...named,
        key: connection.clientId,
        response_type: 'token',
        return_url: back.href,
        callback_method: 'fragment',
      };
      const redirectTo = withParameters(authorizationUrl, parameters);
      // There is no exchange: only the page itself and the key of the token must not change meanwhile.
      return { redirectTo, secret: connection.clientId, tokenUrl: authorizationUrl, issuer };
    }
    const consumer = await openedConsumer(connection, services.vault);
    const token = await requestToken(requestTokenUrl, consumer, back.href, services);
    const redirectTo = withParameters(authorizationUrl, { ...named, oauth_token: token.key });
    return { redirectTo, secret: JSON.stringify(token), tokenUrl: accessTokenUrl, issuer };
  },

  async finish({ connection, auth, fill }, back, services) {
    const rules = auth.board_oauth1;
    const { authorizationUrl, accessTokenUrl } = boardAddresses(connection, rules, fill);
    const exchangeUrl = rules.flow === 'oauth1' ? accessTokenUrl : authorizationUrl;
    if (exchangeUrl !== back.tokenUrl || new URL(authorizationUrl).origin !== back.issuer)
      throw new ConnectionChangedFailure();
    return rules.flow === 'oauth1'
      ? exchanged(connection, back, services)
      : brought(connection.clientId, back);
  },
};

/** The token of the fragment, posted by the browser or pasted by the user. */
function brought(clientId: string | null, { query, secret, scopes }: ConsentReturn): ConsentCredentials {
  if (clientId !== secret) throw new ConnectionChangedFailure();
  const token = (query.get('token') ?? '').trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw tokenFailure('unknown', { status: 200 });
  return {
    details: { oauth_token: { access_token: token, scopes: [...scopes] } },
    expiresInSeconds: undefined,
  };
}

async function exchanged(
  connection: Connection,
  { query, secret = '{}', scopes, tokenUrl }: ConsentReturn,
  services: SchemeServices,
): Promise<ConsentCredentials> {
  const request = JSON.parse(secret) as OAuth1Token;
  // Section 2.2: the callback names the authorized request token; one of another flow is not exchanged.
  if (query.get('oauth_token') !== request.key)
    throw tokenFailure('unknown', { status: 200 }, ' It names another request token.');
  const consumer = await openedConsumer(connection, services.vault);
  const verifier = query.get('oauth_verifier') ?? '';
  const token = await accessToken(tokenUrl, { ...consumer, token: request }, verifier, services);
  return {
    details: {
      oauth_token: { access_token: token.key, scopes: [...scopes] },
      internal: { token_secret: token.secret },
    },
    expiresInSeconds: undefined,
  };
}

async function openedConsumer(connection: Connection, vault: Vault): Promise<OAuth1Credentials> {
  return consumerOf(connection, await openClientSecret(vault, connection));
}

function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  // Every provider understands a space as %20, but not as +.
  url.search = url.searchParams.toString().replaceAll('+', '%20');
  return url.href;
}

/**
 * What the authorization server says about itself. Built from the configured base URL, never from the request,
 * and without loading oidc-provider: these documents are read by clients that may never ask for a token.
 */
import { SCOPES } from '../core/caller.ts';

/** Paths of the OAuth endpoints under the base URL. */
export const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
  keys: '/keys',
  oauthMetadata: '/.well-known/oauth-authorization-server',
  openIdMetadata: '/.well-known/openid-configuration',
} as const;

/** Ways a machine proves who it is. */
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/**
 * The metadata document of one environment.
 *
 * `authorization_endpoint` is there although `response_types_supported` is empty: MCP clients refuse a document
 * without it. The endpoint answers `unsupported_response_type`.
 *
 * @param baseUrl public origin of the environment, without a trailing slash
 * @see RFC 8414 section 2
 */
export function oauthMetadata(baseUrl: string): Record<string, unknown> {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${baseUrl}${OAUTH_PATHS.token}`,
    revocation_endpoint: `${baseUrl}${OAUTH_PATHS.revoke}`,
    introspection_endpoint: `${baseUrl}${OAUTH_PATHS.introspect}`,
    jwks_uri: `${baseUrl}${OAUTH_PATHS.keys}`,
    scopes_supported: SCOPES,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    code_challenge_methods_supported: ['S256'],
  };
}

/**
 * The same under the name that OpenID clients look for, with the members they insist on. Id tokens are issued to no
 * client, only to providers that trust this issuer (identity-tokens.ts); these, such as AWS IAM, read it here.
 *
 * @see OpenID Connect Discovery 1.0 section 3
 */
export function openIdMetadata(baseUrl: string): Record<string, unknown> {
  return {
    ...oauthMetadata(baseUrl),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
  };
}

/**
 * What `/mcp` says about itself: where a client gets tokens for it.
 *
 * @see RFC 9728 section 2
 */
export function protectedResourceMetadata(baseUrl: string): Record<string, unknown> {
  return {
    resource: `${baseUrl}/mcp`,
    authorization_servers: [baseUrl],
    scopes_supported: ['tools:execute'],
    bearer_methods_supported: ['header'],
    resource_name: 'Gatehouse',
  };
}

/**
 * Metadata of the authorization server. Built from the configured base URL, never from the request, and
 * without loading oidc-provider: clients that may never request a token read these documents.
 */
import { SCOPES } from '../../core/caller.ts';

/** Paths of the OAuth endpoints under the base URL. */
export const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  register: '/oauth/register',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
  keys: '/keys',
  oauthMetadata: '/.well-known/oauth-authorization-server',
  openIdMetadata: '/.well-known/openid-configuration',
} as const;

/** Authentication methods of a client with a secret. */
const SECRETS = ['client_secret_basic', 'client_secret_post'];

/**
 * The metadata document of one environment.
 *
 * @param baseUrl public origin of the environment, without a trailing slash
 * @see RFC 8414 section 2, RFC 9207 section 3
 */
export function oauthMetadata(baseUrl: string): Record<string, unknown> {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${baseUrl}${OAUTH_PATHS.token}`,
    registration_endpoint: `${baseUrl}${OAUTH_PATHS.register}`,
    revocation_endpoint: `${baseUrl}${OAUTH_PATHS.revoke}`,
    introspection_endpoint: `${baseUrl}${OAUTH_PATHS.introspect}`,
    jwks_uri: `${baseUrl}${OAUTH_PATHS.keys}`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: [...SECRETS, 'none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'],
    revocation_endpoint_auth_methods_supported: [...SECRETS, 'none'],
    introspection_endpoint_auth_methods_supported: SECRETS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

/**
 * The same for OpenID clients, with the members they require. Id tokens go to no client, only to providers that
 * trust this issuer (identity-tokens.ts). AWS IAM, for example, reads it here.
 *
 * @see OpenID Connect Discovery 1.0 section 3
 */
export function openIdMetadata(baseUrl: string): Record<string, unknown> {
  return {
    ...oauthMetadata(baseUrl),
    response_types_supported: ['code', 'id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
  };
}

/**
 * Metadata of one of our resources: it says where a client gets tokens for it.
 *
 * @param path of the resource: `/mcp`, `/mcp/<virtual server>` or `/api`
 * @see RFC 9728 section 2
 */
export function protectedResourceMetadata(baseUrl: string, path: string): Record<string, unknown> {
  return {
    resource: `${baseUrl}${path}`,
    authorization_servers: [baseUrl],
    scopes_supported: path === '/api' ? SCOPES : ['tools:execute'],
    bearer_methods_supported: ['header'],
    resource_name: 'Gatehouse',
  };
}

/**
 * Where a connection's OAuth requests go: the connector's addresses, or those of its overrides.
 *
 * A connection with overrides stands for something else than the provider itself (a sandbox, a proxy, a test
 * double): what it does not override is not called, so that no code or token of it reaches the real provider
 * (contract section 2). Pure.
 */
import type { OAuthRules } from '../catalog/types.ts';

/** Members of `connections.overrides`; all are web addresses. */
export interface ConnectionOverrides {
  base_url?: string;
  authorization_url?: string;
  token_url?: string;
  issuer?: string;
  revocation_url?: string;
}

/** undefined: not called for this connection. */
export interface OAuthEndpoints {
  authorizationUrl: string | undefined;
  tokenUrl: string | undefined;
  revocationUrl: string | undefined;
  /** What `iss` of a callback has to be, byte for byte, where the provider sends one (RFC 9207). */
  issuer: string;
}

/** @param overrides JSON of the connection's column */
export function oauthEndpoints(rules: OAuthRules, overrides: string): OAuthEndpoints {
  const own = JSON.parse(overrides) as ConnectionOverrides;
  if (Object.keys(own).length === 0) {
    const { authorization_url, token_url, revocation_url } = rules;
    return {
      authorizationUrl: authorization_url,
      tokenUrl: token_url,
      revocationUrl: revocation_url,
      issuer: rules.issuer ?? new URL(authorization_url).origin,
    };
  }
  const declared = rules.issuer ?? new URL(rules.authorization_url).origin;
  return {
    authorizationUrl: own.authorization_url,
    tokenUrl: own.token_url,
    revocationUrl: own.revocation_url,
    issuer:
      own.issuer ?? (own.authorization_url === undefined ? declared : new URL(own.authorization_url).origin),
  };
}

/**
 * Where a connection's OAuth requests go: the connector's addresses, or those of its overrides.
 *
 * A connection with overrides stands for something else than the provider itself (a sandbox, a proxy, a test
 * double): what it does not override is not called, so that no code or token of it reaches the real provider
 * (docs/contract.md#overrides-of-a-connection). Pure.
 */
import type { OAuthRules } from '../catalog/model/types.ts';
import type { ConnectionOverrides } from '../store/tables/tables.ts';

/** undefined: not called for this connection. */
export interface OAuthEndpoints {
  authorizationUrl: string | undefined;
  tokenUrl: string | undefined;
  revocationUrl: string | undefined;
  /** What `iss` of a callback has to be, byte for byte, where the provider sends one (RFC 9207). */
  issuer: string;
}

/** Fills the placeholders of one of the connector's addresses; overrides have none. */
export type FillAddress = (address: string) => string;

/** For what is not about one account: addresses as the connector writes them. Never to be called. */
export const asWritten: FillAddress = (address) => address;

/** @throws what `fill` throws for an address that is called */
export function oauthEndpoints(
  rules: OAuthRules,
  own: ConnectionOverrides,
  fill: FillAddress,
): OAuthEndpoints {
  if (Object.keys(own).length === 0) {
    const { authorization_url, token_url, revocation_url } = rules;
    return {
      authorizationUrl: fill(authorization_url),
      tokenUrl: fill(token_url),
      revocationUrl: revocation_url === undefined ? undefined : fill(revocation_url),
      issuer: declaredIssuer(rules, fill),
    };
  }
  const { authorization_url } = own;
  const called = authorization_url === undefined ? undefined : new URL(authorization_url).origin;
  return {
    authorizationUrl: authorization_url,
    tokenUrl: own.token_url,
    revocationUrl: own.revocation_url,
    issuer: own.issuer ?? called ?? declaredIssuer(rules, fill),
  };
}

function declaredIssuer({ issuer, authorization_url }: OAuthRules, fill: FillAddress): string {
  return issuer === undefined ? new URL(fill(authorization_url)).origin : fill(issuer);
}

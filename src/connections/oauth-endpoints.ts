/**
 * The addresses of a connection's OAuth requests: the connector's own, or those of its overrides.
 *
 * A connection with overrides does not reach the provider itself but a sandbox, a proxy or a test double.
 * Addresses that it does not override are not called, so that none of its codes and tokens reach the real
 * provider (docs/contract.md#overrides-of-a-connection). Pure.
 */
import type { OAuthRules } from '../catalog/model/types.ts';
import type { ConnectionOverrides } from '../store/tables/tables.ts';

/** An `undefined` address is not called for this connection. */
export interface OAuthEndpoints {
  authorizationUrl: string | undefined;
  tokenUrl: string | undefined;
  revocationUrl: string | undefined;
  /** Required value of `iss` in a callback, byte for byte, if the provider sends one (RFC 9207). */
  issuer: string;
}

/** Fills the placeholders of one of the connector's addresses; overrides have none. */
export type FillAddress = (address: string) => string;

/** Keeps addresses as the connector writes them, if no single account is meant. Such addresses must never be called. */
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

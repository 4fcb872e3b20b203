/** Shared by the types that mint an access token from stored values: where the token is stored and where it is minted. Pure. */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import { asWritten } from '../../connections/oauth-endpoints.ts';
import { consentFiller, placeholderValues } from '../../connections/placeholders.ts';
import type { AddressedRules } from '../../authorization-types/blocks.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import type { TokenReply } from '../oauth/token-endpoint.ts';
import type { ObtainedCredential } from './renewal.ts';

/** The minted access token; `undefined` before the first one is minted. */
export function mintedToken({ internal }: AuthorizationDetails): string | undefined {
  return internal?.access_token;
}

/**
 * The stored credentials with the token of a reply. A refresh token is left out: minting needs none.
 *
 * @param asked scopes that were asked for; they count as granted if the reply does not say
 */
export function mintedCredential(reply: TokenReply, asked: readonly string[]): ObtainedCredential {
  const scopes = reply.scopes ?? [...asked];
  return {
    applyTo: (stored) => ({
      ...stored,
      internal: { ...stored.internal, access_token: reply.accessToken, scopes },
    }),
    expiresInSeconds: reply.expiresInSeconds,
  };
}

/** The scopes of a connection, or those of the connector if the connection chooses none. */
export function chosenScopes(
  { scopes: chosen }: Pick<Connection, 'scopes'>,
  rules: { scopes: readonly string[] },
): readonly string[] {
  return chosen.length > 0 ? chosen : rules.scopes;
}

/**
 * The address at which the token of an account is minted: the connector's, or the connection's override. As with
 * OAUTH, a connection with overrides uses no address of the connector that it does not override.
 *
 * @param rules.token_url may have placeholders
 * @param account `undefined` leaves placeholders as they are, to check the connection alone
 * @throws ServiceError INVALID_ARGUMENT on `connector` if overrides lack it; on a placeholder without a value
 */
export function mintingUrl(
  connection: Pick<Connection, 'name' | 'overrides'>,
  connector: Connector,
  rules: AddressedRules & { token_url: string },
  account: Account | undefined,
): string {
  const own = connection.overrides;
  if (Object.keys(own).length > 0) {
    if (own.token_url === undefined) throw incomplete(connection, 'overrides.token_url');
    return own.token_url;
  }
  const fill =
    account === undefined ? asWritten : consentFiller(rules, connector, placeholderValues(account));
  return fill(rules.token_url);
}

/** A member of a connection's params as text; `undefined` if it is absent or empty. */
export function textParam({ params }: Pick<Connection, 'params'>, name: string): string | undefined {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

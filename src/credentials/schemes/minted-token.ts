/** What the types have in common that mint an access token from what is stored: where it is kept and where it goes. Pure. */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import { asWritten, type ConnectionOverrides } from '../../connections/oauth-endpoints.ts';
import { consentFiller, placeholderValues } from '../../connections/placeholders.ts';
import type { AddressedRules } from '../../catalog/model/auth-types.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';
import type { ConnectionRow } from '../../store/accounts/connection-store.ts';
import { incomplete } from '../oauth/oauth-client.ts';
import type { TokenReply } from '../oauth/token-endpoint.ts';
import type { ObtainedCredential } from './renewal.ts';

/** The minted access token, where there is one. */
export function mintedToken({ internal }: AuthorizationDetails): string | undefined {
  return internal?.access_token;
}

/**
 * What a reply makes of stored credentials. A refresh token is left out: minting needs none.
 *
 * @param asked scopes that were asked for, granted as they are where the reply does not say
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

/** The scopes of a connection, or where it chooses none those of the connector. */
export function chosenScopes(
  { scopes }: Pick<ConnectionRow, 'scopes'>,
  rules: { scopes: readonly string[] },
): readonly string[] {
  const chosen = JSON.parse(scopes) as string[];
  return chosen.length > 0 ? chosen : rules.scopes;
}

/**
 * Where the token of an account is minted: the connector's address, or the connection's override. As with OAUTH, a
 * connection with overrides calls nothing of the connector that it does not override.
 *
 * @param rules.token_url may have placeholders
 * @param row undefined: they stay as they are, for a look at the connection alone
 * @throws ServiceError INVALID_ARGUMENT on `connector` where overrides lack it; on a placeholder that nothing fills
 */
export function mintingUrl(
  connection: Pick<ConnectionRow, 'name' | 'overrides'>,
  connector: Connector,
  rules: AddressedRules & { token_url: string },
  row: AccountRow | undefined,
): string {
  const own = JSON.parse(connection.overrides) as ConnectionOverrides;
  if (Object.keys(own).length > 0) {
    if (own.token_url === undefined) throw incomplete(connection, 'overrides.token_url');
    return own.token_url;
  }
  const fill = row === undefined ? asWritten : consentFiller(rules, connector, placeholderValues(row));
  return fill(rules.token_url);
}

/** A member of a connection's params as text; undefined where it is not there or empty. */
export function textParam({ params }: Pick<ConnectionRow, 'params'>, name: string): string | undefined {
  const all = JSON.parse(params) as Record<string, unknown>;
  const value = Object.hasOwn(all, name) ? all[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

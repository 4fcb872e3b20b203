/** A connection as an OAuth client: its addresses, its client id and its opened secret. */
import { openClientSecret } from '../../connections/connection-columns.ts';
import { oauthEndpoints, type FillAddress } from '../../connections/oauth-endpoints.ts';
import type { OAuthRules } from '../../catalog/model/types.ts';
import { invalidField, type ServiceError } from '../../core/errors.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Vault } from '../../vault/vault.ts';
import type { OAuthClient } from './token-endpoint.ts';

/**
 * The client of a connection at its token endpoint.
 *
 * @param fill fills the connector's addresses for the account
 * @throws ServiceError INVALID_ARGUMENT on `connector` if the connection lacks a client id or a token endpoint;
 *   UnreadableSecret
 */
export async function oauthClientOf(
  vault: Vault,
  connection: Connection,
  rules: OAuthRules,
  fill: FillAddress,
): Promise<OAuthClient> {
  const { tokenUrl, revocationUrl, issuer } = oauthEndpoints(rules, connection.overrides, fill);
  if (connection.clientId === null) throw incomplete(connection, 'client_id');
  if (tokenUrl === undefined) throw incomplete(connection, 'overrides.token_url');
  return {
    tokenUrl,
    revocationUrl,
    issuer,
    clientId: connection.clientId,
    clientSecret: await openClientSecret(vault, connection),
    authentication: rules.client_authentication,
    body: rules.token_body,
    scopeSeparator: rules.scope_separator,
    scopeNames: rules.scope_names,
    replyContext: rules.metadata?.token && Object.values(rules.metadata.token),
  };
}

/** The parts of a connection that a redirect to the provider needs. */
export interface ConsentAddresses {
  clientId: string;
  authorizationUrl: string;
  tokenUrl: string;
  issuer: string;
}

/** @throws ServiceError INVALID_ARGUMENT on `connector` if accounts cannot be connected at the connection */
export function consentAddresses(
  connection: Pick<Connection, 'name' | 'clientId' | 'overrides'>,
  rules: OAuthRules,
  fill: FillAddress,
): ConsentAddresses {
  const { authorizationUrl, tokenUrl, issuer } = oauthEndpoints(rules, connection.overrides, fill);
  const clientId = connection.clientId ?? '';
  if (clientId === '') throw incomplete(connection, 'client_id');
  if (authorizationUrl === undefined) throw incomplete(connection, 'overrides.authorization_url');
  if (tokenUrl === undefined) throw incomplete(connection, 'overrides.token_url');
  return { clientId, authorizationUrl, tokenUrl, issuer };
}

/** The error for a connection that the operator has not finished. */
export function incomplete(connection: Pick<Connection, 'name'>, member: string): ServiceError {
  return invalidField(
    'connector',
    `The connection ${connection.name} has no ${member}, so no account of it can be connected. The operator adds it to the connection.`,
    'incomplete',
  );
}

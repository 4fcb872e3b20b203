/** A connection as an OAuth client: its addresses, its id and its opened secret. */
import { secretPlace } from '../../accounts/connection-columns.ts';
import { oauthEndpoints } from '../../accounts/oauth-endpoints.ts';
import type { Connector, ConnectorAuth, OAuthRules } from '../../catalog/types.ts';
import { invalidField, type ServiceError } from '../../core/errors.ts';
import type { ConnectionRow } from '../../store/connection-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { OAuthClient } from './token-endpoint.ts';

/** @throws Error for a way to authenticate without OAuth: a defect of the caller */
export function oauthRules(connector: Connector, auth: ConnectorAuth): OAuthRules {
  if (auth.oauth === undefined) throw new Error(`${connector.name} with ${auth.type} has no OAuth rules`);
  return auth.oauth;
}

/**
 * The client of a connection at its token endpoint.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connector` where the connection lacks a client id or a token endpoint;
 *   UnreadableSecret
 */
export async function oauthClientOf(
  vault: Vault,
  connection: ConnectionRow,
  rules: OAuthRules,
): Promise<OAuthClient> {
  const { tokenUrl, revocationUrl, issuer } = oauthEndpoints(rules, connection.overrides);
  if (connection.client_id === null) throw incomplete(connection, 'client_id');
  if (tokenUrl === undefined) throw incomplete(connection, 'overrides.token_url');
  const sealed = connection.client_secret_sealed;
  return {
    tokenUrl,
    revocationUrl,
    issuer,
    clientId: connection.client_id,
    clientSecret: sealed === null ? undefined : await vault.open(secretPlace(connection.id), sealed),
    authentication: rules.client_authentication,
    scopeSeparator: rules.scope_separator,
  };
}

/** The refusal of a connection that the operator has not finished. */
export function incomplete(connection: Pick<ConnectionRow, 'name'>, member: string): ServiceError {
  return invalidField(
    'connector',
    `The connection ${connection.name} has no ${member}, so no account of it can be connected. The operator adds it to the connection.`,
    'incomplete',
  );
}

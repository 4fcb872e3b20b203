/** When the credentials of an account can be used for a call, and what they lack (docs/contract.md#usable-credentials). Pure. */
import type { ConnectorAuth } from '../catalog/model/types.ts';
import { bringsToken, isFilled, isSigned, type AuthorizationDetails } from './authorization-details.ts';

/** What a connection contributes to the credentials of its accounts. */
export interface ConnectionCredentials {
  hasClientCredentials: boolean;
  namesWorkgroup: boolean;
}

/** Whether these credentials can be used for a call (docs/contract.md#usable-credentials). */
export function isUsable(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionCredentials,
): boolean {
  return missingCredentials(auth, details, connection).length === 0;
}

/** What these credentials lack to be usable, as paths: `static_auth.details.api_key`. */
export function missingCredentials(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionCredentials,
): string[] {
  const given = details.static_auth?.details ?? {};
  const lacking = (names: readonly string[]): string[] =>
    names.filter((name) => !isFilled(given[name])).map((name) => `static_auth.details.${name}`);
  switch (auth.type) {
    case 'NO_AUTH':
      return [];
    case 'OAUTH':
    case 'SMART_FHIR':
      return bringsToken(details) ? [] : ['oauth_token.access_token'];
    case 'BOARD_OAUTH1': {
      const lacksSecret = isSigned(auth) && !isFilled(details.internal?.token_secret);
      return isFilled(details.oauth_token?.access_token) && !lacksSecret ? [] : ['oauth_token.access_token'];
    }
    case 'WORKSPACE_DWD':
      return isFilled(details.workspace_dwd?.subject) ? [] : ['workspace_dwd.subject'];
    case 'TRUSTED_IDP':
      return connection.namesWorkgroup || isFilled(details.trusted_idp?.db_user)
        ? []
        : ['trusted_idp.db_user'];
    case 'OAUTH_M2M':
      return connection.hasClientCredentials ? [] : lacking(['client_id', machineSecret(auth)]);
    default: {
      const required = auth.fields.filter((field) => field.required);
      if (required.length > 0) return lacking(required.map((field) => field.name));
      return Object.keys(given).length > 0 ? [] : ['static_auth.details'];
    }
  }
}

/** Member of `static_auth.details` that a machine client of its own proves itself with. */
function machineSecret({ oauth_m2m: rules }: ConnectorAuth): string {
  return rules?.client_authentication === 'private_key_jwt' ? 'private_key' : 'client_secret';
}

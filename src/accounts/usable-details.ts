/**
 * Whether the credentials of an account can be used for a call, and what they lack
 * (docs/contract.md#usable-credentials). Pure.
 */
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { ConnectionFacts } from '../authorization-types/facts.ts';
import { typeOf } from '../authorization-types/index.ts';
import { rulesOf } from '../authorization-types/blocks.ts';
import type { ConnectorAuth } from '../catalog/model/types.ts';

/** Whether these credentials can be used for a call (docs/contract.md#usable-credentials). */
export function isUsable(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionFacts,
): boolean {
  return missingCredentials(auth, details, connection).length === 0;
}

/** The credentials whose absence makes these unusable, as paths such as `static_auth.details.api_key`. */
export function missingCredentials(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionFacts,
): string[] {
  const requiredFields = auth.fields.filter(({ required }) => required).map(({ name }) => name);
  return typeOf(auth).missing({ rules: rulesOf(auth) ?? {}, details, connection, requiredFields });
}

/** Whether accounts of a connection can be connected by a link, found out before a link is made. Pure. */
import { asWritten } from '../accounts/oauth-endpoints.ts';
import type { Connector, ConnectorAuth } from '../catalog/types.ts';
import { invalidField } from '../core/errors.ts';
import type { ConnectionRow } from '../store/connection-store.ts';
import { consentAddresses } from './oauth/oauth-client.ts';
import { isSupported } from './schemes/index.ts';
import { isByConsent } from './usable-link.ts';

/**
 * @throws ServiceError INVALID_ARGUMENT on `connector`: a type this version cannot connect, or a connection that
 *   the operator has not finished
 */
export function requireConnectable(
  connection: ConnectionRow,
  { connector, auth }: { connector: Connector; auth: ConnectorAuth },
): void {
  if (isByConsent(auth)) {
    consentAddresses(connection, auth.oauth, asWritten);
  } else if (auth.type === 'OAUTH' || !isSupported(auth.type)) {
    throw invalidField(
      'connector',
      `Accounts of ${connector.title} (${auth.type}) cannot be connected with this version of Gatehouse.`,
      'authorization_type',
    );
  }
}

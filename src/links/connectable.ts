/** Whether accounts of a connection can be connected by a link, found out before a link is made. Pure. */
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { ConnectionRow } from '../store/accounts/connection-store.ts';
import { schemeOf } from '../credentials/schemes/index.ts';

/** @throws ServiceError INVALID_ARGUMENT on `connector`: a connection that the operator has not finished */
export function requireConnectable(
  connection: ConnectionRow,
  { connector, auth }: { connector: Connector; auth: ConnectorAuth },
): void {
  schemeOf(auth.type).requireComplete?.({ connection, connector, auth });
}

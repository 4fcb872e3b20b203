/**
 * The document by which authorization servers know a connection as a client without registration (client ID
 * metadata document).
 */
import type { Connection } from '../../store/accounts/connection.ts';
import { clientMetadata } from './mcp-registration.ts';

/** Path of the document below the public origin. */
const PATH = '/sso/v1/clients/';

/**
 * Address of a connection's document, which is its client id. `undefined` without https, because it cannot be read
 * from outside then.
 */
export function clientDocumentUrl(baseUrl: string, connectionId: string): string | undefined {
  return baseUrl.startsWith('https://') ? `${baseUrl}${PATH}${connectionId}.json` : undefined;
}

/** The document; `undefined` for a connection that is not a client of an MCP server. It contains nothing secret. */
export function clientDocument(
  baseUrl: string,
  { id, type }: Pick<Connection, 'id' | 'type'>,
): Record<string, unknown> | undefined {
  const clientId = clientDocumentUrl(baseUrl, id);
  if (clientId === undefined || type !== 'MCP_OAUTH') return undefined;
  return {
    client_id: clientId,
    ...clientMetadata(`${baseUrl}/sso/v1/oauth/${id}/callback`, baseUrl),
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  };
}

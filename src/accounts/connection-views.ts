/** How connections look to callers (contract section 13). The client secret is never shown. */
import type { Catalog } from '../catalog/types.ts';
import type { ConnectionRow } from '../store/connection-store.ts';

/** What a request may say about a connection. */
export interface ConnectionInput {
  /** Default: the connector's own name. */
  name?: string | undefined;
  connector: string;
  authorization_type?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  scopes?: string[] | undefined;
  params?: Record<string, unknown> | undefined;
  overrides?: Record<string, string> | undefined;
  post_user_verify_redirect_url?: string | undefined;
  /** A fixed id gives a fixed redirect URI. */
  id?: string | undefined;
}

export interface ConnectionView {
  id: string;
  name: string;
  connector: string;
  authorization_type: string;
  client_id: string | null;
  scopes: string[];
  params: Record<string, unknown>;
  overrides: Record<string, string>;
  post_user_verify_redirect_url: string | null;
  /** Registered at the provider (specification 5.5). */
  redirect_uri: string;
  /** What will not work as it is, in words. */
  warnings: string[];
  managed_by_file: boolean;
}

export function toConnectionView(row: ConnectionRow, baseUrl: string, catalog: Catalog): ConnectionView {
  const scopes = JSON.parse(row.scopes) as string[];
  return {
    id: row.id,
    name: row.name,
    connector: row.connector,
    authorization_type: row.authorization_type,
    client_id: row.client_id,
    scopes,
    params: JSON.parse(row.params) as Record<string, unknown>,
    overrides: JSON.parse(row.overrides) as Record<string, string>,
    post_user_verify_redirect_url: row.post_user_verify_redirect_url,
    redirect_uri: `${baseUrl}/sso/v1/oauth/${row.id}/callback`,
    warnings: catalog.connectors.has(row.connector)
      ? []
      : [`The catalog has no connector ${row.connector}: no tool can use this connection.`],
    managed_by_file: row.managed_by === 'file',
  };
}

/** How connections look to callers (docs/contract.md#bodies). The client secret is never shown. */
import type { ConnectionRow } from '../store/accounts/connection-store.ts';
import { connectionWarnings, type WarningContext } from './connection-warnings.ts';

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
  /** Members of ConnectionOverrides. */
  overrides?: Readonly<Record<string, string | undefined>> | undefined;
  post_user_verify_redirect_url?: string | undefined;
  /** A fixed id gives a fixed redirect URI. */
  id?: string | undefined;
}

/** What can be taken away again. */
type Clearable = 'client_id' | 'client_secret' | 'post_user_verify_redirect_url';

/** What a change may say: what is left out stays, null takes a value away. */
export type ConnectionPatch = Partial<Omit<ConnectionInput, Clearable>> & {
  [K in Clearable]?: string | null | undefined;
};

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
  /** Registered at the provider (docs/contract.md#callback). */
  redirect_uri: string;
  /** What will not work as it is, in words. */
  warnings: string[];
  managed_by_file: boolean;
}

export function toConnectionView(row: ConnectionRow, context: WarningContext): ConnectionView {
  return {
    id: row.id,
    name: row.name,
    connector: row.connector,
    authorization_type: row.authorization_type,
    client_id: row.client_id,
    scopes: [...row.scopes],
    params: { ...row.params },
    overrides: { ...row.overrides },
    post_user_verify_redirect_url: row.post_user_verify_redirect_url,
    redirect_uri: `${context.baseUrl}/sso/v1/oauth/${row.id}/callback`,
    warnings: connectionWarnings(row, context),
    managed_by_file: row.managed_by === 'file',
  };
}

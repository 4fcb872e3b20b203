/** Connections as callers see them (docs/contract.md#bodies). The client secret is never shown. */
import { toTimestampOrNull } from '../core/clock.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { connectionWarnings, type WarningContext } from './connection-warnings.ts';

/** Members of a request about a connection. */
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

/** Members that can be removed again. */
type Clearable = 'client_id' | 'client_secret' | 'post_user_verify_redirect_url';

/** Members of a change: an absent one stays, null removes the value. */
export type ConnectionPatch = Partial<Omit<ConnectionInput, Clearable>> & {
  [K in Clearable]?: string | null | undefined;
};

export interface ConnectionView {
  id: string;
  name: string;
  connector: string;
  authorization_type: string;
  client_id: string | null;
  /** When the stored secret was given; null without a secret, or if that is not known. */
  secret_set_at: string | null;
  scopes: string[];
  params: Record<string, unknown>;
  overrides: Record<string, string>;
  post_user_verify_redirect_url: string | null;
  /** Registered at the provider (docs/contract.md#callback). */
  redirect_uri: string;
  /** Sentences about what will not work. */
  warnings: string[];
  managed_by_file: boolean;
}

export function toConnectionView(connection: Connection, context: WarningContext): ConnectionView {
  return {
    id: connection.id,
    name: connection.name,
    connector: connection.connector,
    authorization_type: connection.type,
    client_id: connection.clientId,
    secret_set_at: toTimestampOrNull(connection.secretSetAt),
    scopes: [...connection.scopes],
    params: { ...connection.params },
    overrides: { ...connection.overrides },
    post_user_verify_redirect_url: connection.postUserVerifyRedirectUrl,
    redirect_uri: `${context.baseUrl}/sso/v1/oauth/${connection.id}/callback`,
    warnings: connectionWarnings(connection, context),
    managed_by_file: connection.managedBy === 'file',
  };
}

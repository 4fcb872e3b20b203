/** Tables about remote MCP servers: their authorization, and our clients there. */
import type { Json } from './column-types.ts';

/** The authorization metadata of an MCP server, from its own documents: it decides where consents go. */
export interface McpAuthorization {
  /** `resource` of its metadata, byte for byte; absent if the server names none. */
  resource?: string;
  /** Scopes that its metadata names. */
  resourceScopes: readonly string[];
  /** As the authorization server's metadata spells it. */
  issuer: string;
  authorizationUrl: string;
  tokenUrl: string;
  revocationUrl?: string;
  registrationUrl?: string;
  /** Callbacks carry `iss` (RFC 9207). */
  isIssuerAnnounced: boolean;
  /** The id of a client may be the address of its metadata document. */
  takesDocuments: boolean;
  /** Authentication methods of clients at the token endpoint; absent if the metadata does not say. */
  authentication?: readonly string[];
  /** Scopes that the authorization server names. */
  scopes: readonly string[];
}

/** The metadata, or nothing: stored as the JSON `null`, so the column is never empty. */
type AuthorizationOrNone = McpAuthorization | null;

/** An MCP server of a connection. A connection has several if its address has placeholders. */
export interface UpstreamServerTable {
  id: string;
  environment_id: string;
  connection_id: string;
  /** The address that is called. */
  url: string;
  /** The metadata that consents use; null before the first one. */
  authorization_found: Json<AuthorizationOrNone>;
  /** The metadata that its documents have now, if that waits for an operator; null otherwise. */
  held: Json<AuthorizationOrNone>;
  held_at: number | null;
  /** Scopes of its last challenge. */
  challenge_scopes: Json<readonly string[]>;
  /** When its documents were last read; 0 asks for reading them again. */
  checked_at: number;
  /** The attempt to register a client that holds the lease; below, the time when the lease ends. */
  lease_owner: string | null;
  lease_until: number | null;
  /** Registrations before this time do not count, because an operator asked for a new one. */
  reset_at: number;
  /** When a registration was last refused. */
  refused_at: number | null;
  created_at: number;
}

/** A client of ours that an authorization server has registered. */
export interface UpstreamClientTable {
  id: string;
  environment_id: string;
  server_id: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: string | null;
  authentication: 'basic' | 'post';
  /** Unix milliseconds; null: never. */
  secret_expires_at: number | null;
  redirect_uri: string;
  /** When the authorization server no longer knew it, or an operator replaced it. */
  gone_at: number | null;
  /** Browsers that were redirected with it since a consent last succeeded. */
  lost_browsers: number;
  used_at: number | null;
  created_at: number;
}

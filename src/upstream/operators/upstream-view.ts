/** A remote MCP server as operators see it (docs/contract.md#tools-of-remote-mcp-servers): what is known of it, and what waits for a person. Pure. */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { ApprovalMode } from '../definitions/pins.ts';

/** Something that an operator should know of a server, or that would fail. */
export interface UpstreamFinding {
  /** error: accounts could not be connected, or calls would fail. */
  severity: 'error' | 'warning' | 'info';
  /** What it is about: a field of the request, or a member of the answer. */
  field: string;
  message: string;
}

/** What an operator can do next, in one word. */
export const UPSTREAM_STATES = [
  'not_added',
  'no_connection',
  'authorization_server_changed',
  'unavailable',
  'no_list',
  'waiting_for_approval',
  'ready',
] as const;

export type UpstreamState = (typeof UPSTREAM_STATES)[number];

/** How we are a client of the authorization server. */
export interface RegistrationView {
  /** null: an operator has to register one there and enter it. */
  way: 'static' | 'document' | 'dynamic' | null;
  /** null before the first consent of a registered client. */
  client_id: string | null;
  /** When the client was registered; null for one that was not. */
  registered_at: string | null;
}

/** Forms of tools by state, and how many of them wait for a person. */
export interface ToolCounts {
  approved: number;
  new: number;
  held: number;
  gone: number;
  /** Of `new` and `held`, those that can be approved. */
  waiting: number;
}

/** A change of the authorization server that waits for an operator. */
export interface AuthorizationServerChange {
  issuer: string;
  /** Origins that consents and tokens would go to. */
  origins: string[];
  found_at: string | null;
}

export interface UpstreamView {
  /** Of the connection; the connector has the same one where there is no other connection. */
  name: string;
  connector: string;
  title: string;
  url: string;
  /** null: it has no connection yet. */
  connection_id: string | null;
  /** When it was added while the program ran; null: a file of the catalog declares it. */
  added_at: string | null;
  authorization_type: AuthorizationType | null;
  approval: ApprovalMode;
  state: UpstreamState;
  /** As the operator wrote it, or as it was found out; null: nobody has spoken to it yet. */
  era: 'legacy' | 'modern' | null;
  /** What the server says of itself. Nothing of it is trusted, and no model reads it. */
  server: { name: string | null; version: string | null; instructions: string | null } | null;
  /** Who asks people for consent; null before it is known, and where there is no consent. */
  issuer: string | null;
  /** Origins that people, codes and secrets are sent to; none where there is no issuer. */
  origins: string[];
  authorization_server_change: AuthorizationServerChange | null;
  registration: RegistrationView | null;
  /** What a client is registered with; null where there is no consent. */
  redirect_uri: string | null;
  /** Scopes that a consent asks for. */
  scopes: string[];
  findings: UpstreamFinding[];
  tools: ToolCounts;
  /** When an account's list was last stored with something new in it. */
  listed_at: string | null;
  accounts: number;
  /** Until when this process makes no call, because the server has failed several times in a row. */
  unavailable_until: string | null;
  /** Since when it has failed so often that calls are spared, whichever process saw it; null while it works. */
  unavailable_since: string | null;
}

export const NO_TOOLS: ToolCounts = { approved: 0, new: 0, held: 0, gone: 0, waiting: 0 };

/** What an operator has to look at first. */
export function stateOf(
  view: Pick<
    UpstreamView,
    'connection_id' | 'authorization_server_change' | 'unavailable_since' | 'unavailable_until' | 'tools'
  >,
): UpstreamState {
  const { approved, gone, waiting, new: found, held } = view.tools;
  if (view.connection_id === null) return 'no_connection';
  if (view.authorization_server_change !== null) return 'authorization_server_changed';
  if (view.unavailable_since !== null || view.unavailable_until !== null) return 'unavailable';
  if (waiting > 0) return 'waiting_for_approval';
  return approved + gone + found + held === 0 ? 'no_list' : 'ready';
}

/**
 * A remote MCP server as operators see it (docs/contract.md#tools-of-remote-mcp-servers): its data, and the
 * decisions that wait for a person. Pure.
 */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { ApprovalMode } from '../definitions/pins.ts';

/** A fact that an operator should know about a server, or something that would fail. */
export interface UpstreamFinding {
  /** `error`: accounts could not be connected, or calls would fail. */
  severity: 'error' | 'warning' | 'info';
  /** The subject: a field of the request, or a member of the answer. */
  field: string;
  message: string;
}

/** The state of a server, which says what an operator can do next. */
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

/** Registration of Gatehouse as a client of the authorization server. */
export interface RegistrationView {
  /** null if an operator has to register a client there and enter it. */
  way: 'static' | 'document' | 'dynamic' | null;
  /** null before the first consent of a registered client. */
  client_id: string | null;
  /** Time of the registration; null if the client was not registered. */
  registered_at: string | null;
}

/** Number of forms of tools, by state; and of those that wait for a person. */
export interface ToolCounts {
  approved: number;
  new: number;
  held: number;
  gone: number;
  /** Those of `new` and `held` that can be approved. */
  waiting: number;
}

/** A change of the authorization server that waits for an operator. */
export interface AuthorizationServerChange {
  issuer: string;
  /** Origins that consents and tokens would be sent to. */
  origins: string[];
  found_at: string | null;
}

export interface UpstreamView {
  /** Name of the connection. The connector has the same one, unless there is another connection. */
  name: string;
  connector: string;
  title: string;
  url: string;
  /** null if it has no connection yet. */
  connection_id: string | null;
  /** Time when it was added while the program ran; null if a file of the catalog declares it. */
  added_at: string | null;
  authorization_type: AuthorizationType | null;
  approval: ApprovalMode;
  state: UpstreamState;
  /** As the operator wrote it, or as it was found out; null if it was never contacted. */
  era: 'legacy' | 'modern' | null;
  /** The server's description of itself. It is not trusted, and no model reads it. */
  server: { name: string | null; version: string | null; instructions: string | null } | null;
  /** The server that asks people for consent; null if it is unknown or there is no consent. */
  issuer: string | null;
  /** Origins that people, codes and secrets are sent to; none if there is no issuer. */
  origins: string[];
  authorization_server_change: AuthorizationServerChange | null;
  registration: RegistrationView | null;
  /** The redirect URI for registering a client; null if there is no consent. */
  redirect_uri: string | null;
  /** Scopes that a consent asks for. */
  scopes: string[];
  findings: UpstreamFinding[];
  tools: ToolCounts;
  /** Time when a list of an account last changed. */
  listed_at: string | null;
  accounts: number;
  /** Time until which this process makes no call, because the server has failed several times in a row. */
  unavailable_until: string | null;
  /** Time since which it has failed so often that calls are spared, seen by any process; null while it works. */
  unavailable_since: string | null;
}

export const NO_TOOLS: ToolCounts = { approved: 0, new: 0, held: 0, gone: 0, waiting: 0 };

/** The state, which says what an operator has to look at first. */
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

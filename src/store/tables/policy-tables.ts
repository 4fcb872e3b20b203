/** Interceptors, their log, and virtual MCP servers, as kysely sees them; see tables.ts. */
import type { Fallback, ManagedBy, TriggerPoint } from '../../core/stored-words.ts';
import type { Flag, Json, ReadForm } from './column-types.ts';

/** An endpoint of the operator that decides over a flow (docs/contract.md#9-interceptors). */
export interface InterceptorTable {
  id: string;
  environment_id: string;
  /** Unique in its environment. */
  name: string;
  trigger_point: TriggerPoint;
  endpoint: string;
  timeout_ms: number;
  /** Decision if the endpoint fails. */
  fallback: Fallback;
  enabled: Flag;
  managed_by: Exclude<ManagedBy, 'catalog'>;
  created_at: number;
  updated_at: number;
}

/** An interceptor as read. */
export type Interceptor = ReadForm<InterceptorTable>;

/** One request to an interceptor and its outcome. */
export interface InterceptorLogTable {
  /** `evt_…`, the header `interceptor-id` of the request. */
  id: string;
  environment_id: string;
  interceptor_id: string;
  at: number;
  trigger_point: TriggerPoint;
  /** The body as sent, byte for byte: text, although it is JSON. */
  request: string;
  /** HTTP status; null if there was no answer. */
  response_status: number | null;
  /** The answer's body, cut to 64 kB; null without an answer. */
  response_body: string | null;
  /** A sentence of our own; null if the answer was readable. */
  failure: string | null;
  /** The final decision, including the fallback. */
  decision: 'ALLOW' | 'DENY';
  duration_ms: number;
}

/** One line of the log of an interceptor, as read. */
export type InterceptorLogEntry = ReadForm<InterceptorLogTable>;

/** A named selection of connections, toolsets and tools with an address of its own. */
export interface McpServerTable {
  id: string;
  environment_id: string;
  /** Last part of its address, `/mcp/<name>`. Unique in its environment. */
  name: string;
  /** '' for the whole environment. */
  organization_id: string;
  /** Connection names. */
  connections: Json<readonly string[]>;
  /** Toolset names; all if empty. */
  toolsets: Json<readonly string[]>;
  /** Tool names; all if empty. */
  tools: Json<readonly string[]>;
  read_only: Flag;
  created_at: number;
  updated_at: number;
}

/** A virtual MCP server as read. */
export type VirtualServer = ReadForm<McpServerTable>;

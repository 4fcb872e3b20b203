/** Interceptors, their log, and virtual MCP servers, as kysely sees them; see tables.ts. */

/** An endpoint of the customer that decides over a flow (docs/contract.md#9-interceptors). */
export interface InterceptorTable {
  id: string;
  environment_id: string;
  /** Unique in its environment. */
  name: string;
  /** `PRE_SIGNUP`, `PRE_SESSION_CREATION`, `PRE_USER_INVITATION` or `PRE_M2M_TOKEN_CREATION`. */
  trigger_point: string;
  endpoint: string;
  timeout_ms: number;
  /** `allow` or `block`: what holds when the endpoint fails. */
  fallback: string;
  enabled: number;
  /** `operator` or `file`. */
  managed_by: string;
  created_at: number;
  updated_at: number;
}

/** One request to an interceptor and what came of it. */
export interface InterceptorLogTable {
  /** `evt_…`, the header `interceptor-id` of the request. */
  id: string;
  environment_id: string;
  interceptor_id: string;
  at: number;
  trigger_point: string;
  /** The body as sent. */
  request: string;
  /** HTTP status; null: no answer. */
  response_status: number | null;
  /** The answer's body, cut to 64 kB; null: none. */
  response_body: string | null;
  /** Our own sentence; null when the answer was readable. */
  failure: string | null;
  /** `ALLOW` or `DENY`: what held in the end, the fallback included. */
  decision: string;
  duration_ms: number;
}

/** A named selection of connections, toolsets and tools with an address of its own. */
export interface McpServerTable {
  id: string;
  environment_id: string;
  /** Last part of its address, `/mcp/<name>`. Unique in its environment. */
  name: string;
  /** '' for the whole environment. */
  organization_id: string;
  /** JSON: connection names. */
  connections: string;
  /** JSON: toolset names; empty: all. */
  toolsets: string;
  /** JSON: tool names; empty: all. */
  tools: string;
  read_only: number;
  created_at: number;
  updated_at: number;
}

/** Tables about the tools of remote MCP servers: listed and approved forms, and the list of each account. */
import type { JsonObject } from '../../core/json.ts';
import type { Json } from './column-types.ts';

/** A connector that an operator added while the program runs, in one environment. */
export interface UpstreamTable {
  id: string;
  environment_id: string;
  /** Unique in its environment. */
  name: string;
  /** As in a connector.yaml. */
  definition: Json<Record<string, unknown>>;
  created_at: number;
  updated_at: number;
}

/** Number of changes to the published tools of an environment, so that every process notices them. */
export interface UpstreamVersionTable {
  /** The environment. */
  environment_id: string;
  version: number;
}

/** Facts about a server that all accounts of a connection share. */
export interface UpstreamConnectionTable {
  /** The connection. */
  id: string;
  environment_id: string;
  era: 'legacy' | 'modern' | null;
  /** The answer of `server/discover`; without members for a legacy server. */
  discover: Json<Record<string, unknown>>;
  era_at: number | null;
  /** The server's description of itself: name, version, instructions. Data for the operator. */
  server: Json<Record<string, unknown>>;
  /** When a list was last stored; null before the first one. */
  listed_at: number | null;
  /** Time since which it fails so often that calls are spared; null while it works. */
  failing_since: number | null;
  /** Origin of the server that fails. A connection has several servers if its address has placeholders. */
  failing_origin: string | null;
}

/** Hints of the server about what a tool does; proposals, never facts. */
export interface ListedAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** The members of a definition that a model or a client sees. The hash covers exactly these. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: JsonObject;
  outputSchema?: JsonObject | undefined;
  annotations?: ListedAnnotations | undefined;
  execution?: { taskSupport?: string | undefined } | undefined;
}

/** One hit in a definition. */
export interface Finding {
  /** `description`, `inputSchema.properties.query.description` */
  field: string;
  kind: 'hidden' | 'control' | 'foreign_tool' | 'words_to_model' | 'address' | 'encoded' | 'long';
  /** The text of the hit, with invisible characters made visible; at most 100 characters. */
  shown: string;
}

/** One form of one tool, as an account was shown it. */
export interface UpstreamToolTable {
  id: string;
  environment_id: string;
  connection_id: string;
  /** The tool's name at its server. */
  tool: string;
  hash: string;
  state: 'new' | 'approved' | 'held' | 'gone';
  /** Reason why it cannot be published, even if somebody approves it; null if it can. */
  obstacle: string | null;
  definition: Json<ListedTool>;
  /** Hits of the text check. */
  findings: Json<readonly Finding[]>;
  /** Our name for it, fixed with the approval; null before. */
  name: string | null;
  /** The approved effect; null before. */
  effect: 'read' | 'create' | 'update' | 'delete' | null;
  /**
   * The actor who decided; `approval: first` or `approval: trusted` if a rule did. Null again once another form was
   * approved instead.
   */
  decided_by: string | null;
  decided_at: number | null;
  created_at: number;
}

/** The last list of an account. */
export interface UpstreamListTable {
  /** The account. */
  id: string;
  environment_id: string;
  connection_id: string;
  /** Fingerprint of the whole list, independent of its order. */
  hash: string;
  /** Original name and hash of each tool. */
  tools: Json<readonly (readonly [tool: string, hash: string])[]>;
  listed_at: number;
}

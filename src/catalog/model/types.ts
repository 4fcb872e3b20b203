/**
 * The catalog in memory: connectors and tools after loading, checked and ready to use.
 *
 * Every other module uses these shapes. Content of files is inferred from the grammar, which describes each
 * key; this file declares only what is derived from it.
 */
import type {
  AuthorizationType,
  BlockContent,
  BlockName,
  TypeWithBlock,
} from '../../authorization-types/index.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AccountValue } from '../grammar/account-values.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import type { ResultRulesEntry } from '../grammar/result-schema.ts';
import type { ParameterEntry, RequestEntry, ToolEntry } from '../grammar/toolset-schema.ts';

export type { JsonObject };

/**
 * The part of a checked file that the catalog holds: read-only, and without absent keys, which zod types as
 * possibly undefined.
 */
export type InMemory<T> = T extends readonly (infer Item)[]
  ? readonly InMemory<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: InMemory<Exclude<T[Key], undefined>> }
    : T;

/** Content of a connector.yaml. */
type ConnectorFile = InMemory<ConnectorEntry>;

/** Content of an entry of a toolset file. */
type ToolFile = InMemory<Omit<ToolEntry, 'parameters'>>;

/** Effect of a tool on the provider's data. MCP hints and the retry rule follow from it. */
export type Effect = ToolFile['effect'];

/** One field of a credential form; also a member of `static_auth.details`. */
export type CredentialField = ConnectorFile['auth'][number]['fields'][number];

/**
 * The block of an authorization type: its rules at this provider. Addresses may have placeholders, filled
 * like those of hosts.
 */
export type BlockRules<Type extends TypeWithBlock> = InMemory<BlockContent<Type>>;

/** A provider's OAuth 2.0 rules (RFC 6749), used with a connection's client. */
export type OAuthRules = BlockRules<'OAUTH'>;

/** Texts that ask for a placeholder, and the completion of a short value. */
export type PlaceholderSetting = NonNullable<ConnectorFile['settings']>[string];

/** The parts of an `auth` entry that all types have. */
type AnyAuth = Pick<
  ConnectorFile['auth'][number],
  'fields' | 'attach' | 'fixed' | 'check' | 'who' | 'scopes'
>;

type Auths = {
  [Type in AuthorizationType]: AnyAuth & { type: Type } & (Type extends TypeWithBlock
      ? { [Name in BlockName<Type>]: BlockRules<Type> }
      : unknown);
};

/** A connector's rules for one authorization type. The type decides which block they contain. */
export type ConnectorAuth = Auths[AuthorizationType];

/** A connector's rules for this authorization type. */
export type AuthOf<Type extends AuthorizationType> = Auths[Type];

/** One of a connector's base addresses, with optional placeholders. The first host is the default. */
export type ConnectorHost = ConnectorFile['hosts'][number];

/** A call limit; calls of all tools with the same group count together, per account. */
export interface CallLimit {
  group: string;
  perMinute: number;
}

/** Block `mcp` of a connector: a remote MCP server and how it is spoken to. */
export interface McpServer extends Omit<NonNullable<ConnectorFile['mcp']>, 'timeout' | 'idle_timeout'> {
  /** Longest call in milliseconds, where the caller asked for progress and waits. */
  timeoutMs: number;
  /** Longest silence on the stream of a call, in milliseconds. */
  idleTimeoutMs: number;
}

/** A provider: its hosts, its ways to authenticate, the meaning of its errors. */
export interface Connector extends Omit<ConnectorFile, 'auth' | 'limits' | 'mcp'> {
  /** A remote MCP server, whose address is then the only host. Absent: an API. */
  mcp?: McpServer;
  auth: readonly ConnectorAuth[];
  /** Calls per minute by group; tools name a group in `limit`. */
  limits?: Readonly<Record<string, number>>;
  /** True if its accounts bring everything themselves, whichever type they have: a connection then needs nothing from the operator. */
  needsNoOperator: boolean;
}

/** True if a parameter is given, or has a certain value. */
export type Condition = string | Readonly<Record<string, string | number | boolean | null>>;

/** A parameter, or several parameters that belong together. */
export type Group = string | readonly string[];

/** Cross-parameter rules. Each has exactly one sentence (constraints.ts), which stands in the description, or in that of the parameter `told_by`. */
export type Constraint =
  | { exactly_one_of: readonly Group[] }
  | { at_most_one_of: readonly Group[] }
  | { at_least_one_of: readonly Group[] }
  | { together: readonly string[]; told_by?: string }
  | {
      when: Condition | readonly Condition[];
      require?: readonly string[];
      forbid?: readonly string[];
      require_value?: Readonly<Record<string, string | number | boolean | null>>;
      told_by?: string;
    };

/**
 * JSON Schema (2020-12) of a value, with the keywords that a published one may have. No interface, because MCP takes a
 * schema as plain JSON.
 */
export type PublishedSchema = {
  /** Absent only in tools of remote MCP servers: any JSON. */
  type?: ParameterEntry['type'];
  /** `null` is a value too. Only in schemas that are checked and not published. */
  nullable?: boolean;
  description?: string;
  default?: unknown;
  enum?: string[];
  format?: NonNullable<ParameterEntry['format']>;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: PublishedSchema;
  properties?: Record<string, PublishedSchema>;
  required?: string[];
  additionalProperties?: boolean;
};

/** The published schemas of an object's members. */
export type PublishedMembers = Pick<PublishedSchema, 'properties' | 'required' | 'additionalProperties'>;

/** A parameter of a tool. */
export interface Parameter extends InMemory<Omit<ParameterEntry, 'items' | 'properties'>> {
  /** JSON Schema of the items, as published. */
  items?: PublishedSchema;
  /** Published keywords of an object's members. Any member is allowed if absent. */
  members?: PublishedMembers;
}

/** A request of a tool, with places for its parameters. */
export type RequestTemplate = InMemory<RequestEntry>;

/**
 * Start of the next page of a result. A path is dotted; a member whose own name has dots takes precedence
 * (`@odata.nextLink`).
 */
export type Paging = NonNullable<ToolFile['paging']>;

/** The form of a result for a model, joined from connector, file and tool. */
export interface ResultRules extends Omit<InMemory<ResultRulesEntry>, 'ids' | 'keep'> {
  /** Names of members with their paths in a record, which every record has. */
  ids?: Readonly<Record<string, string>>;
  /** Further members; all if absent. */
  keep?: Readonly<Record<string, string>>;
}

/** JSON Schema (2020-12) of a compact result, as published. No interface, because MCP takes a schema as plain JSON. */
export type OutputSchema = {
  type: 'object';
  properties?: Record<string, { type?: 'array' | 'string' }>;
};

/** MCP tool annotations; all four hints are always set. The title is the tool's own and not repeated here. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: true;
}

/** A tool. */
export interface Tool extends Pick<
  ToolFile,
  | 'name'
  | 'aliases'
  | 'title'
  | 'effect'
  | 'everyday'
  | 'unlisted'
  | 'source'
  | 'handler'
  | 'response'
  | 'paging'
  | 'pending'
> {
  /** As published: the file's text followed by the sentences of the rules. */
  description: string;
  connector: string;
  /** Name of the file the tool is declared in, without extension: `search`, `websets`. */
  toolset: string;
  /** Groups of alternatives: one of each inner list is required. */
  scopes: readonly (readonly string[])[];
  parameters: Readonly<Record<string, Parameter>>;
  constraints: readonly Constraint[];
  /** Empty if a handler does the work. */
  requests: readonly RequestTemplate[];
  limit?: CallLimit;
  /** Deadlines longer than those of the settings, in milliseconds. */
  deadline?: { headersMs: number; totalMs: number };
  /** Published JSON Schema (2020-12): root members type, properties, required, additionalProperties only. */
  inputSchema: PublishedMembers & { type: 'object' };
  annotations: ToolAnnotations;
  /** The form of a result for a model; the whole result if absent. */
  result?: ResultRules;
  /** A tool of a remote MCP server; it has no requests. */
  upstream?: UpstreamTool;
}

/** The part of a tool that is known by a remote MCP server. */
export interface UpstreamTool {
  /** As the server writes it. */
  name: string;
  /** The schema that input is checked by, where it says more than the published one. */
  checkedSchema: PublishedSchema & { type: 'object' };
  /** Published JSON Schema of structured results. */
  outputSchema?: OutputSchema;
  /** The definition for the server's own headers (`x-mcp-header`), as it was approved. */
  definition: JsonObject;
  /** Approved forms by their hash, this one included: an account is shown the one of its own list. */
  variants: ReadonlyMap<string, Tool>;
}

/** Connectors and tools by name. */
export interface Catalog {
  connectors: ReadonlyMap<string, Connector>;
  /** In publishing order: by connector, then by name. */
  tools: ReadonlyMap<string, Tool>;
}

/** A provider request below a host, before host, credential and deadline are known. */
export interface ProviderRequest {
  method: RequestTemplate['method'];
  /** Index into the connector's hosts. */
  host: number;
  /** Starts with `/`; every slot is filled with one percent-encoded segment. */
  path: string;
  query: readonly (readonly [string, string])[];
  headers: Readonly<Record<string, string>>;
  /** JSON body; no body if absent. */
  body?: unknown;
  /** By address, values to take from the account once it is known (`withAccountValues`). */
  fromAccount?: Readonly<Record<string, AccountValue>>;
  /** `text`: the answer is passed on as it is; JSON if absent. */
  answer?: 'text';
}

/** Sends a request of a call and returns the provider's JSON. @throws ServiceError TOOL_ERROR */
export type ProviderSend = (request: ProviderRequest) => Promise<unknown>;

/** The input of a tool's own code. */
export interface HandlerCall<Input> {
  /** Checked, defaults filled in. */
  input: Readonly<Input>;
  http: {
    send: ProviderSend;
    /**
     * Scheme, host and port for requests to one of the connector's hosts; those of the connector if absent.
     */
    originOf?: (host: number) => string;
    /**
     * The id by which the provider knows the person of the account (`who.me` of the connector). `undefined` if it names
     * nobody; absent if there is no account.
     */
    ownMember?: () => Promise<string | undefined>;
    /**
     * Counts one more request in the limits of the account: for tools that read many pages, before each further one.
     * Absent if there is no account.
     *
     * @throws ServiceError RATE_LIMITED
     */
    countPage?: () => Promise<void>;
  };
  /** Absent for a strict call. In a lenient one, called with each parameter whose value the handler has corrected. */
  onCoerced?: ((parameter: string) => void) | undefined;
  /** Larger results are cut on their way to a model; a handler that adds long text stays below this size. */
  maxResultBytes: number;
}

/**
 * A tool's own code (src/connectors). Sees the checked input and a client bound to the connector's host
 * with the credential attached; never a token, a store or another host.
 *
 * Both members are methods, whose parameters TypeScript compares in either direction: one table holds the handlers
 * of all tools, and the published schema of a tool vouches for the type of its input.
 */
export interface ToolHandler<Input = Readonly<Record<string, unknown>>> {
  /**
   * Violations of the input beyond schema and rules; absent if there can be none. Called before an account is
   * looked for, so nothing is sent. Parameters that are already invalid are left out, and defaults may be missing.
   */
  check?(input: Partial<Input>): readonly FieldViolation[];
  /** Makes the call. `check` has found nothing wrong. */
  call(call: HandlerCall<Input>): Promise<unknown>;
}

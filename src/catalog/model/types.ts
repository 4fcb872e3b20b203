/**
 * The catalog in memory: connectors and tools after loading, checked and ready to use.
 *
 * These shapes are what every other module sees. The shape of the files is file-schema.ts.
 */

import type {
  BoardRules,
  ClientAuthentication,
  DelegationRules,
  FederationRules,
  MachineRules,
  SmartRules,
} from './auth-types.ts';
import type { AccountValue } from './account-values.ts';
import type { ErrorAdvice } from './error-advice.ts';
import type { Paging, Pending } from './paging.ts';
import type { ConnectorHost } from './path-prefixes.ts';

export type JsonObject = Record<string, unknown>;

/** What a tool does to the provider's data. MCP hints and the retry rule follow from it. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

/** Values of `authorization_type` (docs/contract.md#fields-of-an-account). */
export const AUTHORIZATION_TYPES = [
  'OAUTH',
  'API_KEY',
  'BASIC_AUTH',
  'BEARER_TOKEN',
  'CUSTOM',
  'BASIC',
  'OAUTH_M2M',
  'BOARD_OAUTH1',
  'WORKSPACE_DWD',
  'TRUSTED_IDP',
  'SMART_FHIR',
  'NO_AUTH',
] as const;

export type AuthorizationType = (typeof AUTHORIZATION_TYPES)[number];

/** One field of a credential form; also a member of `static_auth.details`. */
export interface CredentialField {
  name: string;
  label: string;
  input: 'text' | 'password';
  hint?: string;
  required: boolean;
}

/** How a provider speaks OAuth 2.0 (RFC 6749) with a connection's client. */
export interface OAuthRules {
  /** Addresses may have placeholders, filled like those of hosts. */
  authorization_url: string;
  token_url: string;
  /** RFC 7009. */
  revocation_url?: string;
  /** For each placeholder of the addresses the pattern of its value; absent: there are none. */
  placeholders?: Readonly<Record<string, string>>;
  /** Expected `iss` of a callback (RFC 9207), where the provider sends one; default: the origin of authorization_url. */
  issuer?: string;
  /** Whether the provider takes a code challenge, S256 (RFC 7636). */
  pkce: boolean;
  /** Sent with every authorization request, e.g. `access_type: offline`. */
  authorize_parameters: Readonly<Record<string, string>>;
  /** False: the provider grants what is ticked in the registered app, and no scope is sent. */
  scope_parameter: boolean;
  scope_separator: ' ' | ',';
  /** What the provider calls the scopes that the catalog names otherwise. */
  scope_names?: Readonly<Record<string, string>>;
  /** How the connection's client proves itself; a connector file offers `post` and `basic`. */
  client_authentication: ClientAuthentication;
  /** False: access tokens come without refresh token and cannot be renewed. */
  refresh_tokens: boolean;
  /** Scope without which no refresh token comes. */
  offline_scope?: string;
  /** What revoking ends: nothing (there is no endpoint), this token alone, or every grant of the person to the app. */
  revocation: 'none' | 'token' | 'grant';
}

/** How a placeholder is asked for, and how a short form of its value becomes the whole. */
export interface PlaceholderSetting {
  /** What a form calls it. */
  label: string;
  hint?: string;
  /** Appended to a value that matches its pattern only with it, e.g. `.snowflakecomputing.com`. */
  suffix?: string;
}

/** How a connector accepts one authorization type. */
export interface ConnectorAuth {
  type: AuthorizationType;
  /** Form fields of static types, in order. */
  fields: readonly CredentialField[];
  /** Where the credential goes: `header` with the value `<prefix><field>`, or `query`. Types with a fixed place (Bearer, Basic) leave it out. */
  attach?: { in: 'header' | 'query'; name: string; field: string; prefix: string };
  /** Permissions the credential may carry, each with what it allows; tools name them in `scopes`. */
  scopes?: Readonly<Record<string, string>>;
  /** Set for OAUTH. */
  oauth?: OAuthRules;
  /** Set for OAUTH_M2M. */
  oauth_m2m?: MachineRules;
  /** Set for WORKSPACE_DWD. */
  workspace_dwd?: DelegationRules;
  /** Set for TRUSTED_IDP. */
  trusted_idp?: FederationRules;
  /** Set for SMART_FHIR. */
  smart_fhir?: SmartRules;
  /** Set for BOARD_OAUTH1. */
  board_oauth1?: BoardRules;
}

/** Where message and reason are in a provider's error body, and what its statuses mean. */
export interface ErrorRules {
  /** Dotted paths tried in order, e.g. `error.message`. */
  message: readonly string[];
  code: readonly string[];
  /** Statuses that mean the credential is refused and the account has to be connected again. */
  reconnect: readonly number[];
  /** Codes that mean the same with another status (4xx). */
  reconnect_codes?: readonly string[];
  /** Codes that mean something else although the status is among `reconnect`. */
  reconnect_except?: readonly string[];
  /** Codes (values at `code`) that are answered 409. */
  conflicts: readonly string[];
  /**
   * Answers that mean: the credential lacks a scope. One of the statuses, and a code that is among `codes` (absent:
   * any) and not among `except`.
   */
  missing_scope?: { statuses: readonly number[]; codes?: readonly string[]; except: readonly string[] };
  /** Members at the root of a 2xx answer that mean: the credential is refused. */
  refused_answer?: Readonly<Record<string, string | number | boolean>>;
  /** What answers mean and what to do about them; the first row that fits counts. */
  advice?: readonly ErrorAdvice[];
}

/** A call limit; calls of all tools with the same group count together, per account. */
export interface CallLimit {
  group: string;
  perMinute: number;
}

export interface Connector {
  name: string;
  title: string;
  description: string;
  /** Base URLs with optional placeholders, e.g. `https://{domain}`; the first is the default. */
  hosts: readonly ConnectorHost[];
  /** Request headers of the provider's own that a proxied request may carry, beside those that all may. */
  proxy_headers?: readonly string[];
  /** What people are told about placeholders, by name; a placeholder may do without. */
  settings?: Readonly<Record<string, PlaceholderSetting>>;
  auth: readonly ConnectorAuth[];
  errors: ErrorRules;
  /** Calls a minute by group; tools name a group in `limit`. */
  limits?: Readonly<Record<string, number>>;
  /** True when its accounts bring everything themselves, whichever type they have: a connection then needs nothing from the operator. */
  needsNoOperator: boolean;
}

export type Condition = string | Readonly<Record<string, string | number | boolean | null>>;

export type Group = string | readonly string[];

/** Cross-parameter rules. Each has exactly one sentence (constraints.ts). */
export type Constraint =
  | { exactly_one_of: readonly Group[] }
  | { at_most_one_of: readonly Group[] }
  | { at_least_one_of: readonly Group[] }
  | { together: readonly string[] }
  | {
      when: Condition | readonly Condition[];
      require?: readonly string[];
      forbid?: readonly string[];
      require_value?: Readonly<Record<string, string | number | boolean | null>>;
    };

export interface Parameter {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  description: string;
  required: boolean;
  /** Names it had before (aliases.ts). */
  aliases?: readonly string[];
  default?: unknown;
  /** A parameter beside which the default is not filled in. */
  default_unless?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  min_length?: number;
  max_length?: number;
  min_items?: number;
  max_items?: number;
  min_properties?: number;
  format?: 'uuid' | 'date' | 'date-time' | 'uri' | 'email';
  pattern?: string;
  /** JSON Schema of the items, as published. */
  items?: JsonObject;
  /** What is published of an object's members: properties, required, additionalProperties; absent: any member is allowed. */
  members?: JsonObject;
  /** `path.x`, `query.x`, `header.x`, `body.a.b` or `none`. */
  to?: string;
  encode?: 'csv' | 'split_csv' | 'json';
  map?: Readonly<Record<string, unknown>>;
  send_when?: Condition;
}

export interface RequestTemplate {
  when?: Condition;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the host, with `{slots}`. */
  path: string;
  /** Index into the connector's hosts. */
  host: number;
  fixed: Readonly<Record<string, unknown>>;
  /** By address, what account and connection bring; a value that they have not got is left out. */
  from_account?: Readonly<Record<string, AccountValue>>;
}

/** MCP tool annotations; all four hints are always set. The title is the tool's own and not repeated here. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: true;
}

export interface Tool {
  name: string;
  /** Names it had before (aliases.ts). */
  aliases?: readonly string[];
  title: string;
  /** As published: the file's text and the sentences of the rules. */
  description: string;
  effect: Effect;
  connector: string;
  /** Name of the file the tool is declared in, without ending: `search`, `websets`. */
  toolset: string;
  /** Groups of alternatives: one of each inner list is needed. */
  scopes: readonly (readonly string[])[];
  source: { url: string; checked: string };
  parameters: Readonly<Record<string, Parameter>>;
  constraints: readonly Constraint[];
  /** Empty when a handler does the work. */
  requests: readonly RequestTemplate[];
  /** `<connector>/<tool>` of src/connectors. */
  handler?: string;
  response: { pick?: string; empty?: JsonObject; as?: 'text' };
  /** Absent: the result has no further pages. */
  paging?: Paging;
  /** Absent: the result is there with the answer. */
  pending?: Pending;
  limit?: CallLimit;
  /** Longer deadlines than the settings', in milliseconds. */
  deadline?: { headersMs: number; totalMs: number };
  /** Published JSON Schema (2020-12): root members type, properties, required, additionalProperties only. */
  inputSchema: JsonObject;
  annotations: ToolAnnotations;
}

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
  /** Starts with `/`; every slot filled with one percent-encoded segment. */
  path: string;
  query: readonly (readonly [string, string])[];
  headers: Readonly<Record<string, string>>;
  /** JSON body; absent: no body. */
  body?: unknown;
  /** By address, what is to be taken from the account once it is known (`withAccountValues`). */
  fromAccount?: Readonly<Record<string, AccountValue>>;
  /** `text`: the answer is wanted as it is, whatever it holds; absent: JSON. */
  answer?: 'text';
}

/**
 * A tool's own code (src/connectors). Sees the checked input and a client bound to the connector's host
 * with the credential attached; never a token, a store or another host.
 */
export type ToolHandler = (call: {
  /** Checked, defaults filled in. */
  input: Readonly<Record<string, unknown>>;
  http: {
    send(request: ProviderRequest): Promise<unknown>;
    /** Scheme, host and port that requests of one of the connector's hosts go to; absent: those of the connector. */
    originOf?: (host: number) => string;
  };
  /** Results above this size are cut on their way to a model: a handler that adds a long text keeps it below. */
  maxResultBytes: number;
}) => Promise<unknown>;

/**
 * Every table and column, as kysely sees them. `docs/storage.md` says what each record is for.
 *
 * One set of types serves SQLite and Postgres. Times are Unix milliseconds in integers, and sealed values are
 * JWE text. Absent owners are '', because a UNIQUE index treats two NULLs as different. Flags and JSON are in
 * column-types.ts.
 */
import type { JsonWebKey } from 'node:crypto';
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { Caller } from '../../core/caller.ts';
import type {
  AccountStatus,
  AuthRequestEnd,
  EXECUTION_STATUSES,
  ManagedBy,
} from '../../core/stored-words.ts';
import type { VerificationMode } from '../../core/environment.ts';
import type { Flag, Json, ReadForm } from './column-types.ts';
import type { IdempotencyKeyTable, RateWindowTable } from './call-tables.ts';
import type { ExecutionSumTable } from './execution-sum-table.ts';
import type {
  AuthorizationArtifactTable,
  EmailCodeTable,
  InvitationTable,
  MembershipTable,
  OrganizationProviderTable,
  OrganizationTable,
  SessionTable,
  SignInFlowTable,
  UserIdentityTable,
  UserTable,
} from './people-tables.ts';
import type { InterceptorLogTable, InterceptorTable, McpServerTable } from './policy-tables.ts';
import type {
  UpstreamConnectionTable,
  UpstreamListTable,
  UpstreamTable,
  UpstreamToolTable,
  UpstreamVersionTable,
} from './upstream-tool-tables.ts';
import type { UpstreamClientTable, UpstreamServerTable } from './upstream-tables.ts';
import type { SigningSecretTable, WebhookDeliveryTable, WebhookTable } from './webhook-tables.ts';

/**
 * Facts about the installation as a whole: `installation_id`, `key_check`, `derivation_secret`, and
 * `sealing:<id>` for each running process. Together with rate_windows the only tables without environment_id.
 */
export interface InstallationTable {
  key: string;
  value: string;
}

export interface EnvironmentTable {
  id: string;
  name: string;
  created_at: number;
}

/** An object whose members only its writer knows. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Addresses that a connection uses instead of its connector's; all are web addresses. */
export interface ConnectionOverrides {
  base_url?: string;
  authorization_url?: string;
  /** For OAuth 1.0a only. */
  request_token_url?: string;
  token_url?: string;
  issuer?: string;
  revocation_url?: string;
}

export interface ConnectionTable {
  id: string;
  environment_id: string;
  /** The `connector` of requests. Unique in its environment. */
  name: string;
  /** Catalog connector; the `provider` of accounts. */
  connector: string;
  authorization_type: AuthorizationType;
  client_id: string | null;
  client_secret_sealed: string | null;
  /** When the secret was given, not when it was sealed again; null without a secret, or if it is older than the column. */
  secret_set_at: number | null;
  scopes: Json<readonly string[]>;
  params: Json<JsonObject>;
  overrides: Json<ConnectionOverrides>;
  post_user_verify_redirect_url: string | null;
  /** `operator`, `file` (declared in gatehouse.yaml) or `catalog` (its connector needs nothing from the operator). */
  managed_by: ManagedBy;
  /** The provider wants no calls of any account before this time; null if it has not asked for a pause. */
  paused_until: number | null;
  created_at: number;
  updated_at: number;
}

export interface AccountTable {
  id: string;
  environment_id: string;
  connection_id: string;
  organization_id: string;
  user_id: string;
  identifier: string;
  status: AccountStatus;
  credentials_sealed: string | null;
  token_expires_at: number | null;
  /** Time when the access token arrived, by the clock that decides when it expires; null if unknown. */
  token_received_at: number | null;
  api_config: Json<JsonObject>;
  /**
   * Raised by every change of credentials; a refresh stores its result only over the generation it started
   * from.
   */
  generation: number;
  /** The running refresh; only its owner may store a result. */
  lease_owner: string | null;
  lease_until: number | null;
  /**
   * `idle`; `sent`: a refresh token was presented and its outcome is unknown; `resent`: it was presented
   * again after that.
   */
  refresh_state: 'idle' | 'sent' | 'resent';
  /** No refresh before this time, after `failed_attempts` failures in a row. */
  failed_until: number | null;
  failed_attempts: number;
  /** Reason of the last failure; a word of token-endpoint.ts. */
  failed_reason: string | null;
  /** Number of 401 answers in a row for a credential that cannot be renewed. */
  refusals: number;
  /** When its owner last declined to connect it; null once it is connected. */
  declined_at: number | null;
  /** The provider's name for the account; null if unknown. Erased with the credentials. */
  display_name_sealed: string | null;
  /** The provider wants no calls of this account before this time; null if it has not asked for a pause. */
  paused_until: number | null;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface AccountEventTable {
  id: string;
  environment_id: string;
  account_id: string;
  at: number;
  from_status: AccountStatus | null;
  to_status: AccountStatus;
  cause: string;
  actor: string;
}

export interface LinkTable {
  id: string;
  environment_id: string;
  account_id: string;
  token_hash: string;
  /** `app`, `signed_in` or `none`; fixed when the link is created. */
  verification: VerificationMode;
  user_verify_url: string | null;
  /** The caller's own opaque state, returned on the redirect to user_verify_url. */
  caller_state: string | null;
  /** Scopes to ask for in addition to those of the connection. */
  scopes: Json<readonly string[]>;
  created_by: string;
  created_at: number;
  expires_at: number;
  completed_at: number | null;
  /** Credentials tried at the provider with this link. */
  trials: number;
  /** Name of the API credential or app that asked for the link; null if it has none. */
  requester: string | null;
  /** The caller's own name for itself, if it differs; nobody has checked it. */
  requested_by: string | null;
  /** When the person declined it; it is completed then. */
  declined_at: number | null;
  /** The token, so that a prompt can give the link again; null for other links, and once it is completed. */
  token_sealed: string | null;
}

/** A browser's visit to the provider's consent page, until it returns. Its `state` is stored as a hash. */
export interface OAuthFlowTable {
  id: string;
  environment_id: string;
  account_id: string;
  link_id: string;
  connection_id: string;
  state_hash: string;
  /** Hash of the cookie value of the browser that started the flow. */
  browser_hash: string;
  /** PKCE code verifier; null if the provider accepts none. */
  verifier_sealed: string | null;
  /** Fixed when the flow starts, so that a callback cannot change where the code is sent. */
  token_url: string;
  issuer: string;
  /** Whether the callback has to carry `iss`. */
  issuer_required: Flag;
  redirect_uri: string;
  /** Requested scopes. */
  scopes: Json<readonly string[]>;
  /**
   * Values that the person entered before the redirect, merged into the account's api_config with the
   * credentials.
   */
  api_config: Json<Readonly<Record<string, string>>>;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** A completed consent or form whose credentials wait for verify. */
export interface AuthRequestTable {
  id: string;
  environment_id: string;
  account_id: string;
  link_id: string;
  /** Hash of the auth_request_id given to the application. */
  token_hash: string;
  identifier: string;
  /**
   * The only storage of waiting credentials; no read path of accounts touches it. Erased when the request
   * ends.
   */
  waiting_sealed: string | null;
  waiting_expires_at: number | null;
  /** Merged into api_config on activation. */
  waiting_api_config: Json<Readonly<Record<string, string>>>;
  status_before: AccountStatus;
  wrong_identifiers: number;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  ended_by: AuthRequestEnd | null;
  /** The provider's name for the account whose credentials wait; erased with them. */
  display_name_sealed: string | null;
  /** Hash of the cookie value of the browser that consented; null in rows made before version 8. */
  browser_hash: string | null;
}

export interface ExecutionTable {
  id: string;
  environment_id: string;
  tool_name: string;
  connected_account_id: string | null;
  source: Caller['source'];
  status: (typeof EXECUTION_STATUSES)[number];
  error_code: string | null;
  duration_ms: number;
  at: number;
  /** Owner of the account at the time; '' for none. null in this and the next members: recorded before they existed. */
  user_id: string | null;
  organization_id: string | null;
  /** Name of the connection. */
  connector: string | null;
  /** A sentence of our own; null for a success. */
  error_message: string | null;
  /** HTTP status of the provider's refusal; null without one. */
  provider_status: number | null;
  /**
   * Milliseconds by kind of waiting, as far as known (core/telemetry/call-times.ts). null for older records, and
   * for calls that have not ended.
   */
  queue_ms: number | null;
  provider_ms: number | null;
  /** Requests sent to the provider. */
  attempts: number | null;
  /** Number of renewals of the credential during the call. */
  renewals: number | null;
  /** OAuth client or API credential (`client_id`) that called; null without a token, or recorded before it was noted. */
  client_id: string | null;
  /** The virtual MCP server at whose address it was called, `mcp_…`; null for another way, or recorded before it was noted. */
  virtual_server_id: string | null;
}

/** An execution as read. */
export type Execution = ReadForm<ExecutionTable>;

/** API credentials of machines (client credentials grant). */
export interface CredentialTable {
  id: string;
  environment_id: string;
  name: string;
  client_id: string;
  organization_id: string;
  /** Words separated by spaces, as OAuth writes scopes; not JSON. */
  scopes: string;
  created_at: number;
  /** The last request with one of its tokens, to the minute; null: none since this is noted. */
  last_used_at: number | null;
}

/** An API credential as read. */
export type ApiCredential = ReadForm<CredentialTable>;

export interface CredentialSecretTable {
  id: string;
  environment_id: string;
  credential_id: string;
  secret_hash: string;
  created_at: number;
  /** Set by rotation: the old secret is refused from this time on. */
  expires_at: number | null;
}

/** A JSON Web Key of an RSA pair with `kid`, `alg` and `use`. */
export interface SigningJwk extends JsonWebKey {
  kid: string;
  alg: 'RS256';
  use: 'sig';
}

export interface SigningKeyTable {
  id: string;
  environment_id: string;
  public_jwk: Json<SigningJwk>;
  private_jwk_sealed: string;
  created_at: number;
}

/** A signing key as read. */
export type SigningKey = ReadForm<SigningKeyTable>;

/** Access tokens revoked before their expiry. */
export interface RevokedTokenTable {
  environment_id: string;
  token_id: string;
  expires_at: number;
}

export interface AuditTable {
  id: string;
  environment_id: string;
  at: number;
  actor: string;
  action: string;
  target: string;
  ip: string;
}

/** A line of the audit log, as read. */
export type AuditLine = ReadForm<AuditTable>;

export interface Tables {
  installation: InstallationTable;
  environments: EnvironmentTable;
  connections: ConnectionTable;
  accounts: AccountTable;
  account_events: AccountEventTable;
  links: LinkTable;
  oauth_flows: OAuthFlowTable;
  auth_requests: AuthRequestTable;
  executions: ExecutionTable;
  execution_sums: ExecutionSumTable;
  credentials: CredentialTable;
  credential_secrets: CredentialSecretTable;
  signing_keys: SigningKeyTable;
  revoked_tokens: RevokedTokenTable;
  audit: AuditTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  signing_secrets: SigningSecretTable;
  idempotency_keys: IdempotencyKeyTable;
  rate_windows: RateWindowTable;
  users: UserTable;
  user_identities: UserIdentityTable;
  organizations: OrganizationTable;
  memberships: MembershipTable;
  invitations: InvitationTable;
  organization_providers: OrganizationProviderTable;
  sessions: SessionTable;
  email_codes: EmailCodeTable;
  sign_in_flows: SignInFlowTable;
  authorization_artifacts: AuthorizationArtifactTable;
  interceptors: InterceptorTable;
  interceptor_logs: InterceptorLogTable;
  mcp_servers: McpServerTable;
  upstreams: UpstreamTable;
  upstream_versions: UpstreamVersionTable;
  upstream_connections: UpstreamConnectionTable;
  upstream_tools: UpstreamToolTable;
  upstream_lists: UpstreamListTable;
  upstream_servers: UpstreamServerTable;
  upstream_clients: UpstreamClientTable;
}

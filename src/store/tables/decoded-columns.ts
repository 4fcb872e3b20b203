/** The columns that a query returns decoded: exactly those declared as `Flag` or `Json`. */
import type { Flag } from './column-types.ts';
import type { Tables } from './tables.ts';

/** Stored form of a column. */
export type StoredAs = 'flag' | 'json';

/** A column with a different stored form declares it by `__insert__`, as in kysely's `ColumnType`. */
interface Encoded {
  readonly __insert__: unknown;
}

type EncodedName<Table> = { [C in keyof Table]: Table[C] extends Encoded ? C : never }[keyof Table];

/** Decoded columns by table. A new flag or JSON column does not compile until it is listed here. */
export const DECODED_COLUMNS: {
  readonly [T in keyof Tables as [EncodedName<Tables[T]>] extends [never] ? never : T]: {
    readonly [C in EncodedName<Tables[T]>]: Tables[T][C] extends Flag ? 'flag' : 'json';
  };
} = {
  connections: { scopes: 'json', params: 'json', overrides: 'json' },
  accounts: { api_config: 'json' },
  links: { scopes: 'json' },
  oauth_flows: { scopes: 'json', api_config: 'json', issuer_required: 'flag' },
  auth_requests: { waiting_api_config: 'json' },
  signing_keys: { public_jwk: 'json' },
  webhooks: { events: 'json', enabled: 'flag' },
  users: { email_verified: 'flag', is_operator: 'flag' },
  organization_providers: {
    domains: 'json',
    entered_by_operator: 'flag',
    assume_email_verified: 'flag',
    allow_operator_rights: 'flag',
  },
  sessions: { connection_details: 'json', custom_claims: 'json', device: 'json' },
  interceptors: { enabled: 'flag' },
  mcp_servers: { connections: 'json', toolsets: 'json', tools: 'json', read_only: 'flag' },
  upstreams: { definition: 'json' },
  upstream_connections: { discover: 'json', server: 'json' },
  upstream_tools: { definition: 'json', findings: 'json' },
  upstream_lists: { tools: 'json' },
  upstream_servers: { authorization_found: 'json', held: 'json', challenge_scopes: 'json' },
};

/**
 * How a provider wants each authorization type that is more than stored text: one shape per block of a connector's
 * `auth` entry. `OAuthRules` of the type OAUTH is in types.ts.
 */

/** What every block with addresses has. Addresses may have placeholders, filled like those of hosts. */
export interface AddressedRules {
  /** For each placeholder of the addresses the pattern of its value; absent: there are none. */
  placeholders?: Readonly<Record<string, string>>;
}

/** How a client proves itself at a token endpoint: RFC 6749 section 2.3.1, or a signed assertion (RFC 7523 section 2.2). */
export type ClientAuthentication = 'post' | 'basic' | 'private_key_jwt';

/** OAUTH_M2M: client credentials (RFC 6749 section 4.4). */
export interface MachineRules extends AddressedRules {
  token_url: string;
  /** Asked for where a connection chooses none. */
  scopes: readonly string[];
  scope_separator: ' ' | ',';
  /** What the provider calls the scopes that the catalog names otherwise. */
  scope_names?: Readonly<Record<string, string>>;
  /** For whom the token is; a connection's `params.audience` goes before it. */
  audience?: string;
  /** Sent with every token request, e.g. `resource`. */
  token_parameters: Readonly<Record<string, string>>;
  client_authentication: ClientAuthentication;
}

/** WORKSPACE_DWD: a service account acts for a user of its workspace (RFC 7523 section 2.1). */
export interface DelegationRules extends AddressedRules {
  /** Also the audience of the assertion. */
  token_url: string;
  /** Asked for where a connection chooses none. */
  scopes: readonly string[];
  /** What the provider calls the scopes that the catalog names otherwise. */
  scope_names?: Readonly<Record<string, string>>;
}

/** TRUSTED_IDP: temporary AWS credentials for a token of our own issuer (STS AssumeRoleWithWebIdentity). */
export interface FederationRules extends AddressedRules {
  sts_url: string;
  /** Signing region; default: the value of the placeholder `region`. */
  region?: string;
  /** Signing name of the service, e.g. `redshift-data`. */
  service: string;
  /** `aud` of our token. */
  audience: string;
  /** Lifetime asked for, 900 to 43200. */
  duration_seconds: number;
}

/** SMART_FHIR: SMART App Launch; its endpoints are discovered from the connector's first host, the FHIR base. */
export interface SmartRules extends AddressedRules {
  /** Asked for where a connection chooses none. */
  scopes: readonly string[];
  /** Origins at which the discovered endpoints have to be; absent: that of the FHIR base. */
  endpoint_origins?: readonly string[];
  client_authentication: ClientAuthentication;
  /** Sent with every authorization request. */
  authorize_parameters: Readonly<Record<string, string>>;
}

/** BOARD_OAUTH1: a token from the fragment of the callback, or OAuth 1.0a with a signature (RFC 5849). */
export interface BoardRules extends AddressedRules {
  flow: 'token' | 'oauth1';
  authorization_url: string;
  /** Set for the flow oauth1, as is the next. */
  request_token_url?: string;
  access_token_url?: string;
  /** Asked for where a connection chooses none. */
  scopes: readonly string[];
  scope_separator: ' ' | ',';
  /** Sent with every authorization request, e.g. `expiration: never`. */
  authorize_parameters: Readonly<Record<string, string>>;
  /**
   * Where key and token of the flow `token` go: query parameters, or an Authorization header in the manner of
   * OAuth 1. The flow oauth1 signs each request in that header.
   */
  attach: 'query' | 'header';
}

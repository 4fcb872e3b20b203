/** People of an environment, their organizations and how they are signed in, as kysely sees them; see tables.ts. */
import type { Role } from '../../core/caller.ts';
import type { SessionKind } from '../../core/stored-words.ts';
import type { Flag, Json } from './column-types.ts';

/** A person. Passwords do not exist: who somebody is, a code by e-mail or an organization's OpenID provider says. */
export interface UserTable {
  id: string;
  environment_id: string;
  /** NFC, lower case. Unique in its environment. */
  email: string;
  email_verified: Flag;
  given_name: string;
  family_name: string;
  /** May administer the environment as API credentials with `admin` do. */
  is_operator: Flag;
  created_at: number;
  updated_at: number;
}

/** Customers of whoever runs this: people belong to them by membership. */
export interface OrganizationTable {
  id: string;
  environment_id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

/** That a person belongs to an organization. One row for each pair. */
export interface MembershipTable {
  id: string;
  environment_id: string;
  organization_id: string;
  user_id: string;
  /** An organization never is without an owner. */
  role: Role;
  created_at: number;
  updated_at: number;
}

/** An invitation to join an organization; its link holds a token of which the hash is stored. */
export interface InvitationTable {
  id: string;
  environment_id: string;
  organization_id: string;
  /** NFC, lower case. */
  email: string;
  role: Role;
  token_hash: string;
  /** `cred_…` or `usr_…`. */
  invited_by: string;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
}

/** The OpenID provider of an organization, through which its members sign in. One for each organization at most. */
export interface OrganizationProviderTable {
  /** `idp_…` */
  id: string;
  environment_id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: string | null;
  /** Lower-case domains of e-mail addresses that sign in here and no other way. */
  domains: Json<readonly string[]>;
  created_at: number;
  updated_at: number;
}

/** Claims that interceptors add; reserved names never among them. */
export type AddedClaims = Readonly<Record<string, unknown>>;

/** How a person proved who they are. */
export interface ConnectionDetail {
  /** `conn_…`, `idp_…`, or '' for a code by e-mail. */
  id: string;
  type: 'OAUTH' | 'SAML' | 'OIDC' | 'PASSWORDLESS';
  /** E.g. `EMAIL`, or the host of an organization's OpenID provider. */
  provider: string;
}

/**
 * That somebody is signed in: in a browser, as a client of the authorization server, or by an application that
 * vouches for them. Access tokens of people name it (`gid`) and end with it.
 */
export interface SessionTable {
  id: string;
  environment_id: string;
  kind: SessionKind;
  /** `usr_…`; for `mcp_server` any user id the application knows. */
  user_id: string;
  /** '' without an organization. */
  organization_id: string;
  /** OAuth client or API credential (`client_id`) that holds the tokens; '' for a browser. */
  client_id: string;
  /** The only resource its tokens are for; '' for a browser. */
  resource: string;
  /** Hash of the cookie's value; null for all but `browser`. */
  token_hash: string | null;
  /** How the person proved who they are, as interceptors are told. */
  connection_details: Json<readonly ConnectionDetail[]>;
  /** Added by interceptors; in every token of the session. */
  custom_claims: Json<AddedClaims>;
  created_at: number;
  /** The session's own end, whatever its tokens say. */
  expires_at: number;
  ended_at: number | null;
}

/** A code on its way to an e-mail address, for one browser. */
export interface EmailCodeTable {
  id: string;
  environment_id: string;
  email: string;
  code_hash: string;
  /** Hash of the cookie of the browser that asked. */
  browser_hash: string;
  /** Where it was asked for: address of the peer, an IPv6 address by its network; '' when there is none. */
  ip: string;
  wrong_codes: number;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** One way of a browser to an organization's OpenID provider and back. */
export interface SignInFlowTable {
  id: string;
  environment_id: string;
  organization_id: string;
  state_hash: string;
  browser_hash: string;
  /** PKCE code verifier and nonce, sealed as JSON. */
  secrets_sealed: string;
  /** Path of ours where the browser goes once signed in. */
  next: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** What the authorization server keeps: registered clients, codes, refresh tokens, grants, interactions. */
export interface AuthorizationArtifactTable {
  /** `art_…` */
  id: string;
  environment_id: string;
  /** The library's model: `Client`, `AuthorizationCode`, `RefreshToken`, `Grant`, `Session`, `Interaction`, … */
  model: string;
  /** Hash of the artifact's id, which for codes and tokens is the code or token itself. Unique with environment and model. */
  id_hash: string;
  /** Hash; of a refresh token that of the token it was exchanged for. null where the artifact belongs to no grant. */
  grant_hash: string | null;
  /** Hash of the uid of a session; null for others. */
  uid_hash: string | null;
  /** `ses_…` of the session whose tokens these are; null while there is none. */
  session_id: string | null;
  payload_sealed: string;
  created_at: number;
  /** null: never. */
  expires_at: number | null;
  consumed_at: number | null;
}

/** People of an environment, their organizations and their sign-in, as kysely sees them; see tables.ts. */
import type { Role } from '../../core/caller.ts';
import type { SessionKind } from '../../core/stored-words.ts';
import type { Flag, Json, ReadForm } from './column-types.ts';

/**
 * A person. There are no passwords: people prove who they are with an emailed code or their organization's
 * identity provider.
 */
export interface UserTable {
  id: string;
  environment_id: string;
  /** NFC, lower case. Unique in its environment. */
  email: string;
  email_verified: Flag;
  given_name: string;
  family_name: string;
  /** May administer the environment, like an API credential with `admin`. */
  is_operator: Flag;
  created_at: number;
  updated_at: number;
}

/** A user as read. */
export type User = ReadForm<UserTable>;

/** A customer company of the operator: people belong to it by membership. */
export interface OrganizationTable {
  id: string;
  environment_id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

/** An organization as read. */
export type Organization = ReadForm<OrganizationTable>;

/** Membership of a person in an organization. One row for each pair. */
export interface MembershipTable {
  id: string;
  environment_id: string;
  organization_id: string;
  user_id: string;
  /** An organization always has an owner. */
  role: Role;
  created_at: number;
  updated_at: number;
}

/** A membership as read. */
export type Membership = ReadForm<MembershipTable>;

/** An invitation to join an organization. Its link holds a token, of which the hash is stored. */
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

/** An invitation as read. */
export type Invitation = ReadForm<InvitationTable>;

/**
 * The identity provider of an organization, through which its members sign in. At most one for each
 * organization.
 */
export interface OrganizationProviderTable {
  /** `idp_…` */
  id: string;
  environment_id: string;
  organization_id: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: string | null;
  /** Lower-case domains of e-mail addresses that sign in only here. */
  domains: Json<readonly string[]>;
  /** Whether the operator entered issuer and client: only then private hosts of the settings may be asked. */
  entered_by_operator: Flag;
  /** Whether an address without `email_verified` is believed. Only the operator sets it. */
  assume_email_verified: Flag;
  /** Whether operators who sign in here have the rights of operators. Only the operator sets it. */
  allow_operator_rights: Flag;
  created_at: number;
  updated_at: number;
}

/** An organization's OpenID provider as read. */
export type IdentityProvider = ReadForm<OrganizationProviderTable>;

/**
 * The identity of a person at an identity provider, from their first sign-in there. One row per person and issuer.
 */
export interface UserIdentityTable {
  /** `idn_…` */
  id: string;
  environment_id: string;
  user_id: string;
  issuer: string;
  /** `sub` of the issuer's ID tokens: belongs to one person of the environment. */
  subject: string;
  created_at: number;
}

/** Claims added by interceptors; never reserved names. */
export type AddedClaims = Readonly<Record<string, unknown>>;

/** A proof of identity. */
export interface ConnectionDetail {
  /**
   * `idp_…`, `conn_email` for a code by e-mail, or the one who vouched: `cred_…`, `local`. '' in sessions of
   * earlier versions.
   */
  id: string;
  type: 'OAUTH' | 'SAML' | 'OIDC' | 'PASSWORDLESS';
  /** `EMAIL`, the host of an organization's OpenID provider, or `GATEHOUSE` for a user somebody vouched for. */
  provider: string;
  /** When an OpenID provider last saw the person prove it, Unix milliseconds; absent if it does not say. */
  provenAt?: number;
}

/** The device and place where a session began, as far as the browser and the operator's proxy said. */
export interface Device {
  /** Such as `Chrome`. */
  browser?: string;
  /** Such as `Linux`. */
  system?: string;
  city?: string;
  /** ISO 3166-1 alpha-2. */
  region?: string;
}

/**
 * A signed-in person: in a browser, as a client of the authorization server, or through an application that
 * names them. Access tokens of people name the session (`gid`) and end with it.
 */
export interface SessionTable {
  id: string;
  environment_id: string;
  kind: SessionKind;
  /** `usr_…`; for `mcp_server` any user id that the application knows. */
  user_id: string;
  /** '' without an organization. */
  organization_id: string;
  /** OAuth client or API credential (`client_id`) that holds the tokens; '' for a browser. */
  client_id: string;
  /** The only resource its tokens are for; '' for a browser. */
  resource: string;
  /** Hash of the cookie's value; null unless the kind is `browser`. */
  token_hash: string | null;
  /** The person's proofs of identity, as reported to interceptors. */
  connection_details: Json<readonly ConnectionDetail[]>;
  /** Added by interceptors; in every token of the session. */
  custom_claims: Json<AddedClaims>;
  /** For the person's own list of sessions. Empty if nothing is known. */
  device: Json<Device>;
  created_at: number;
  /** The session's own end; its tokens may say otherwise. */
  expires_at: number;
  ended_at: number | null;
}

/** A session as read, ended and expired ones too. */
export type StoredSession = ReadForm<SessionTable>;

/** A code on its way to an e-mail address, for one browser. */
export interface EmailCodeTable {
  id: string;
  environment_id: string;
  email: string;
  code_hash: string;
  /** Hash of the cookie of the browser that asked for the code. */
  browser_hash: string;
  /** Address of the peer that asked for it, an IPv6 address by its network; '' if unknown. */
  ip: string;
  wrong_codes: number;
  created_at: number;
  /** Ten minutes after it is sent. */
  expires_at: number;
  used_at: number | null;
  /** Network whose limit for this e-mail address it counts against; null if a known browser asked. */
  network: string | null;
  /** Hash of the id of the known browser that asked for it; null for any other. */
  known_browser: string | null;
}

/** A code as read. */
export type EmailCode = ReadForm<EmailCodeTable>;

/** A browser's sign-in at an organization's identity provider, until it returns. */
export interface SignInFlowTable {
  id: string;
  environment_id: string;
  organization_id: string;
  state_hash: string;
  browser_hash: string;
  /** PKCE code verifier and nonce, sealed as JSON. */
  secrets_sealed: string;
  /** Path on this server that the browser opens after sign-in. */
  next: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** A way to a provider and back, as read. */
export type SignInFlow = ReadForm<SignInFlowTable>;

/** Records of the authorization server: registered clients, codes, refresh tokens, grants, interactions. */
export interface AuthorizationArtifactTable {
  /** `art_…` */
  id: string;
  environment_id: string;
  /** The library's model: `Client`, `AuthorizationCode`, `RefreshToken`, `Grant`, `Session`, `Interaction`, … */
  model: string;
  /**
   * Hash of the artifact's id, which for codes and tokens is the code or token itself. Unique together with
   * environment and model.
   */
  id_hash: string;
  /**
   * Hash of the grant; for a refresh token, of the token it was exchanged for. Null if the artifact belongs
   * to no grant.
   */
  grant_hash: string | null;
  /** Hash of a session's uid; null for others. */
  uid_hash: string | null;
  /** `ses_…` of the session that the tokens belong to; null before the session begins. */
  session_id: string | null;
  payload_sealed: string;
  created_at: number;
  /** Null means never. */
  expires_at: number | null;
  consumed_at: number | null;
  /** Network of the stranger who caused it, as long as it waits for a person or a first use; null otherwise. */
  network: string | null;
}

/** An artifact as read. */
export type AuthorizationArtifact = ReadForm<AuthorizationArtifactTable>;

/**
 * The stored credentials of an account, and the two variants that several authorization types share. A type with a variant
 * or an internal member of its own adds it to these interfaces in its own file. Pure.
 */

/** Credentials of an account, opened (docs/contract.md: authorization details). At most one variant is present. */
export interface AuthorizationDetails {
  oauth_token?: { access_token?: string; refresh_token?: string; scopes?: string[]; domain?: string };
  static_auth?: { details: Record<string, unknown> };
  internal?: InternalDetails;
}

/**
 * Values obtained with a variant and replaced with it. No answer shows them as they are; each type declares
 * the response-only members made from them.
 */
export interface InternalDetails {
  /** Access token of a type that mints one. Its expiry is the account's. */
  access_token?: string;
  /** Scopes granted with it, by the names of the catalog. */
  scopes?: string[];
}

/** Name of a credential variant. */
export type Variant = Exclude<keyof AuthorizationDetails, 'internal'>;

/** One member of a variant that a request may set. `secret` and `text` are both strings; `text` has a documented limit. */
export type WritableMember =
  | { kind: 'secret' }
  | { kind: 'text'; maxLength: number; meaning: string }
  | { kind: 'texts' }
  | { kind: 'object'; meaning: string };

/** Internal values and expiry from which response-only members are made. */
export interface ObtainedValues {
  internal: InternalDetails;
  /** RFC 3339; `null` if the credential does not expire. */
  expiry: string | null;
  /** Whether the access token may be among them. */
  isSecretShown: boolean;
}

/** The credential variant of a type: members that callers may write, and members that they see. */
export interface CredentialFacts {
  variant: Variant;
  writable: Readonly<Record<string, WritableMember>>;
  /** Members that are not secret, so that every view of an account shows them. Default: none. */
  shown?: readonly string[];
  /** Response-only members: callers may send them back, and they are ignored. */
  readOnly?: readonly string[];
  /** Makes the response-only members. */
  obtained?(values: ObtainedValues): Readonly<Record<string, unknown>>;
  /**
   * The member that names the user for whom the operator's own rights are used. Only the operator may choose
   * another user; on the connect page it must be the account's identifier, which verification compares with
   * the person.
   */
  actsAs?: string;
}

/** Tokens of a consent. Scopes and domain are not secret. */
export const OAUTH_TOKEN = {
  variant: 'oauth_token',
  writable: {
    access_token: { kind: 'secret' },
    refresh_token: { kind: 'secret' },
    scopes: { kind: 'texts' },
    domain: { kind: 'text', maxLength: 255, meaning: 'Workspace or organization domain.' },
  },
  shown: ['scopes', 'domain'],
} as const satisfies CredentialFacts;

/** Fields of a form, stored as entered. */
export const STATIC_AUTH = {
  variant: 'static_auth',
  writable: { details: { kind: 'object', meaning: 'The fields the connector declares, e.g. `api_key`.' } },
} as const satisfies CredentialFacts;

/** Whether a member is present and not empty. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether there is an access token, or a refresh token to obtain one. */
export function bringsToken({ oauth_token: token }: AuthorizationDetails): boolean {
  return isFilled(token?.access_token) || isFilled(token?.refresh_token);
}

/** The fields among `names` that are missing or empty, as paths such as `static_auth.details.api_key`. */
export function missingFields(
  { static_auth: given }: AuthorizationDetails,
  names: readonly string[],
): string[] {
  return names.filter((name) => !isFilled(given?.details[name])).map((name) => `static_auth.details.${name}`);
}

/** Missing credentials of a type whose form the connector declares: its required fields, or else any field at all. */
export function missingForm(account: {
  details: AuthorizationDetails;
  requiredFields: readonly string[];
}): string[] {
  const { details, requiredFields } = account;
  if (requiredFields.length > 0) return missingFields(details, requiredFields);
  return Object.keys(details.static_auth?.details ?? {}).length > 0 ? [] : ['static_auth.details'];
}

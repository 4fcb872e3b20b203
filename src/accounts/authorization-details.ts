/**
 * The credentials of an account: which variant fits its authorization type, how an update merges into what
 * is stored, and what of them may be shown. When they can be used is usable-details.ts.
 *
 * Pure: plaintext in, plaintext out. Sealing is the vault's.
 */
import type { AuthorizationType, ConnectorAuth } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { credentialTextProblem } from './credential-text.ts';

/** At most one variant is present (docs/contract.md#credentials-of-an-account). */
export interface AuthorizationDetails {
  oauth_token?: { access_token?: string; refresh_token?: string; scopes?: string[]; domain?: string };
  static_auth?: { details: Record<string, unknown> };
  workspace_dwd?: { subject?: string };
  trusted_idp?: { db_user?: string };
  internal?: InternalDetails;
}

/**
 * What is stored beside a variant and belongs to it: obtained with it, replaced with it. No answer shows it as it is;
 * views.ts shows the response-only members of docs/contract.md#credentials-of-an-account that are made of it.
 */
export interface InternalDetails {
  /** Minted for OAUTH_M2M and WORKSPACE_DWD; its expiry is the account's. */
  access_token?: string;
  /** Granted with it, in the catalog's names. */
  scopes?: string[];
  /** Temporary credentials of TRUSTED_IDP. */
  access_key_id?: string;
  secret_access_key?: string;
  session_token?: string;
  /** Secret of an OAuth 1.0a access token (BOARD_OAUTH1). */
  token_secret?: string;
  /** Launch context of SMART_FHIR, e.g. `patient`. */
  launch?: Record<string, string>;
}

/** Name of a credential variant. */
export type Variant = Exclude<keyof AuthorizationDetails, 'internal'>;

const VARIANTS: readonly Variant[] = ['oauth_token', 'static_auth', 'workspace_dwd', 'trusted_idp'];

const VARIANT_OF: Readonly<Record<AuthorizationType, Variant | undefined>> = {
  OAUTH: 'oauth_token',
  SMART_FHIR: 'oauth_token',
  BOARD_OAUTH1: 'oauth_token',
  API_KEY: 'static_auth',
  BASIC_AUTH: 'static_auth',
  BASIC: 'static_auth',
  BEARER_TOKEN: 'static_auth',
  CUSTOM: 'static_auth',
  OAUTH_M2M: 'static_auth',
  WORKSPACE_DWD: 'workspace_dwd',
  TRUSTED_IDP: 'trusted_idp',
  NO_AUTH: undefined,
};

/** Members a request may set; response-only members (docs/contract.md#credentials-of-an-account) are ignored on write. */
const WRITABLE: Readonly<Record<Variant, Readonly<Record<string, 'string' | 'strings' | 'object'>>>> = {
  oauth_token: { access_token: 'string', refresh_token: 'string', scopes: 'strings', domain: 'string' },
  static_auth: { details: 'object' },
  workspace_dwd: { subject: 'string' },
  trusted_idp: { db_user: 'string' },
};

const MAX_SECRET_LENGTH = 65_536;

/** Everything wrong with `authorization_details` of a request for this way to authenticate; `prefix` names the field. */
export function detailsViolations(
  auth: ConnectorAuth,
  given: Readonly<Record<string, unknown>>,
  prefix: string,
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const fitting = VARIANT_OF[auth.type];
  for (const [name, value] of Object.entries(given)) {
    const field = `${prefix}.${name}`;
    const variant = VARIANTS.find((known) => known === name);
    if (variant === undefined) {
      out.push({
        field,
        description: `Unknown credential variant. Known: ${VARIANTS.join(', ')}.`,
        constraint: 'unknown',
      });
    } else if (variant !== fitting) {
      const wanted = fitting === undefined ? 'takes no credentials' : `takes ${fitting}`;
      out.push({ field, description: `An account of type ${auth.type} ${wanted}.`, constraint: 'variant' });
    } else {
      out.push(...memberViolations(variant, value, field));
      if (variant === 'static_auth') out.push(...staticViolations(auth, value, `${field}.details`));
      if (isSigned(auth) && isObject(value) && isFilled(value.access_token))
        out.push({
          field: `${field}.access_token`,
          description:
            'A token of OAuth 1.0a is of no use without its secret, which only a consent brings: let the account be connected by a link.',
          constraint: 'consent',
        });
    }
  }
  return out;
}

/** Fields that the connector declares are sent as they are: each must be a text that can be. */
function staticViolations(auth: ConnectorAuth, value: unknown, prefix: string): FieldViolation[] {
  const details = isObject(value) && isObject(value.details) ? value.details : {};
  const out: FieldViolation[] = [];
  for (const { name, label } of auth.fields) {
    const member = Object.hasOwn(details, name) ? details[name] : undefined;
    if (member === undefined) continue;
    const problem =
      typeof member === 'string'
        ? credentialTextProblem(label, member)
        : { description: `${label} must be a string.`, constraint: 'type' };
    if (problem !== undefined) out.push({ field: `${prefix}.${name}`, ...problem });
  }
  return out;
}

function memberViolations(variant: Variant, value: unknown, field: string): FieldViolation[] {
  if (!isObject(value)) return [{ field, description: 'Must be an object.', constraint: 'type' }];
  const out: FieldViolation[] = [];
  for (const [name, kind] of Object.entries(WRITABLE[variant])) {
    const member = value[name];
    if (member === undefined) continue;
    const fits =
      kind === 'string'
        ? isText(member)
        : kind === 'strings'
          ? Array.isArray(member) && member.length <= 200 && member.every(isText)
          : isObject(member);
    const wanted = { string: 'a string', strings: 'an array of strings', object: 'an object' }[kind];
    if (!fits) out.push({ field: `${field}.${name}`, description: `Must be ${wanted}.`, constraint: 'type' });
  }
  return out;
}

/**
 * Replaces member by member what `given` names and keeps the rest (docs/contract.md#create-update-read-and-list); what
 * was obtained with a replaced credential goes. Call after `detailsViolations`.
 */
export function mergeDetails(
  stored: AuthorizationDetails,
  given: Readonly<Record<string, unknown>>,
): AuthorizationDetails {
  const out: Record<string, unknown> = { ...stored };
  if (namesCredential(given)) delete out.internal;
  for (const variant of VARIANTS) {
    const value = given[variant];
    if (!isObject(value)) continue;
    const merged: Record<string, unknown> = { ...stored[variant] };
    for (const name of Object.keys(WRITABLE[variant])) {
      if (value[name] !== undefined) merged[name] = value[name];
    }
    if (Object.keys(merged).length > 0) out[variant] = merged;
  }
  return out;
}

/** Whether requests are signed with a secret that belongs to the token. */
export function isSigned({ board_oauth1: rules }: ConnectorAuth): boolean {
  return rules?.flow === 'oauth1';
}

/** Whether a request replaces the credential itself, not only what is noted beside it (scopes, domain). */
export function bringsCredential(given: Readonly<Record<string, unknown>>): boolean {
  const { oauth_token, static_auth, workspace_dwd, trusted_idp } = given as AuthorizationDetails;
  return (
    bringsToken({ ...(oauth_token && { oauth_token }) }) ||
    Object.keys(static_auth?.details ?? {}).length > 0 ||
    isFilled(workspace_dwd?.subject) ||
    isFilled(trusted_idp?.db_user)
  );
}

/** An `oauth_token` that leaves its tokens out changes scopes and domain only; nothing else may be incomplete. */
export function namesCredential(given: Readonly<Record<string, unknown>>): boolean {
  const { oauth_token, ...others } = given as AuthorizationDetails;
  return (
    Object.keys(others).length > 0 ||
    oauth_token?.access_token !== undefined ||
    oauth_token?.refresh_token !== undefined
  );
}

/** Whether there is an access token or one to renew it by. */
export function bringsToken({ oauth_token }: AuthorizationDetails): boolean {
  return isFilled(oauth_token?.access_token) || isFilled(oauth_token?.refresh_token);
}

/** What `/details` shows: no secret, only what helps to understand the account. */
export function detailsWithoutSecrets(details: AuthorizationDetails): AuthorizationDetails {
  const out: AuthorizationDetails = {};
  if (details.oauth_token !== undefined) {
    const { scopes, domain } = details.oauth_token;
    out.oauth_token = { ...(scopes && { scopes }), ...(domain !== undefined && { domain }) };
  }
  if (details.workspace_dwd !== undefined) out.workspace_dwd = details.workspace_dwd;
  if (details.trusted_idp !== undefined) out.trusted_idp = details.trusted_idp;
  return out;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member is there and not empty. */
export function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_SECRET_LENGTH;
}

/**
 * The credentials of an account: which variant fits its authorization type, how an update merges into what
 * is stored, when they are usable, and what of them may be shown.
 *
 * Pure: plaintext in, plaintext out. Sealing is the vault's.
 */
import type { AuthorizationType, ConnectorAuth } from '../catalog/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { credentialTextProblem } from './credential-text.ts';

/** Specification 2.2. At most one member is present. */
export interface AuthorizationDetails {
  oauth_token?: { access_token?: string; refresh_token?: string; scopes?: string[]; domain?: string };
  static_auth?: { details: Record<string, unknown> };
  workspace_dwd?: { subject?: string };
  trusted_idp?: { db_user?: string };
}

/** Name of a credential variant. */
export type Variant = keyof AuthorizationDetails;

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

/** Members a request may set; response-only members (specification 2.2) are ignored on write. */
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

/** Replaces member by member what `given` names and keeps the rest (specification 4.4). Call after `detailsViolations`. */
export function mergeDetails(
  stored: AuthorizationDetails,
  given: Readonly<Record<string, unknown>>,
): AuthorizationDetails {
  const out: Record<string, unknown> = { ...stored };
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

/** What a connection contributes to the credentials of its accounts. */
export interface ConnectionCredentials {
  hasClientCredentials: boolean;
  namesWorkgroup: boolean;
}

/** Whether these credentials can be used for a call (contract section 5, "Usable credentials"). */
export function isUsable(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionCredentials,
): boolean {
  return missingCredentials(auth, details, connection).length === 0;
}

/** What these credentials lack to be usable, as paths: `static_auth.details.api_key`. */
export function missingCredentials(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: ConnectionCredentials,
): string[] {
  const given = details.static_auth?.details ?? {};
  const lacking = (names: readonly string[]): string[] =>
    names.filter((name) => !isFilled(given[name])).map((name) => `static_auth.details.${name}`);
  switch (auth.type) {
    case 'NO_AUTH':
      return [];
    case 'OAUTH':
    case 'SMART_FHIR':
    case 'BOARD_OAUTH1':
      return bringsToken(details) ? [] : ['oauth_token.access_token'];
    case 'WORKSPACE_DWD':
      return isFilled(details.workspace_dwd?.subject) ? [] : ['workspace_dwd.subject'];
    case 'TRUSTED_IDP':
      return connection.namesWorkgroup || isFilled(details.trusted_idp?.db_user)
        ? []
        : ['trusted_idp.db_user'];
    case 'OAUTH_M2M':
      return connection.hasClientCredentials ? [] : lacking(['client_id', 'client_secret']);
    default: {
      const required = auth.fields.filter((field) => field.required);
      if (required.length > 0) return lacking(required.map((field) => field.name));
      return Object.keys(given).length > 0 ? [] : ['static_auth.details'];
    }
  }
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

function bringsToken({ oauth_token }: AuthorizationDetails): boolean {
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

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_SECRET_LENGTH;
}

/**
 * The credentials of an account: which variant fits its authorization type, how an update merges into the
 * stored ones, and which of them may be shown. usable-details.ts decides when they can be used.
 *
 * Pure: plaintext in, plaintext out. The vault does the sealing.
 */
import {
  bringsToken,
  isFilled,
  type AuthorizationDetails,
  type CredentialFacts,
} from '../authorization-types/credentials.ts';
import { AUTHORIZATION_TYPE_NAMES, typeOf } from '../authorization-types/index.ts';
import { rulesOf } from '../authorization-types/blocks.ts';
import type { ConnectorAuth } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { credentialTextProblem } from './credential-text.ts';

/** The credential variants in the order of the types, each as described by the first type that has it. */
const VARIANTS: readonly CredentialFacts[] = AUTHORIZATION_TYPE_NAMES.flatMap((type) => {
  const { credentials } = typeOf({ type });
  return credentials === undefined ? [] : [credentials];
}).filter(({ variant }, i, all) => all.findIndex((other) => other.variant === variant) === i);

/** The JSON type of a writable member, and how a message names it. */
const KINDS = {
  secret: { fits: isText, wanted: 'a string' },
  text: { fits: isText, wanted: 'a string' },
  texts: {
    fits: (value: unknown) => Array.isArray(value) && value.length <= 200 && value.every(isText),
    wanted: 'an array of strings',
  },
  object: { fits: isObject, wanted: 'an object' },
} as const;

const MAX_SECRET_LENGTH = 65_536;

/** The variants of a request without the empty ones: callers may send back an account as they received it. */
export function filledVariants(
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const filled = Object.entries(given).filter(
    ([name, value]) => !isEmpty(value) || !VARIANTS.some(({ variant }) => variant === name),
  );
  return Object.fromEntries(filled);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) ? Object.values(value).every(isEmpty) : value === undefined;
}

/** Everything wrong with a request's `authorization_details` for this authentication; `prefix` names the field. */
export function detailsViolations(
  auth: ConnectorAuth,
  given: Readonly<Record<string, unknown>>,
  prefix: string,
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const fitting = typeOf(auth).credentials;
  for (const [name, value] of Object.entries(given)) {
    const field = `${prefix}.${name}`;
    if (!VARIANTS.some(({ variant }) => variant === name)) {
      const known = VARIANTS.map(({ variant }) => variant).join(', ');
      out.push({
        field,
        description: `Unknown credential variant. Known: ${known}.`,
        constraint: 'unknown',
      });
    } else if (fitting === undefined || name !== fitting.variant) {
      const wanted = fitting === undefined ? 'takes no credentials' : `takes ${fitting.variant}`;
      out.push({ field, description: `An account of type ${auth.type} ${wanted}.`, constraint: 'variant' });
    } else {
      out.push(...memberViolations(fitting, value, field));
      if (fitting.variant === 'static_auth') out.push(...staticViolations(auth, value, `${field}.details`));
      out.push(...consentViolations(auth, value, field));
    }
  }
  return out;
}

/** Members that only a consent can bring. */
function consentViolations(auth: ConnectorAuth, value: unknown, field: string): FieldViolation[] {
  const reasons = typeOf(auth).consentOnly?.(rulesOf(auth) ?? {}) ?? {};
  return Object.entries(reasons).flatMap(([name, description]) =>
    isObject(value) && isFilled(value[name])
      ? [{ field: `${field}.${name}`, description, constraint: 'consent' }]
      : [],
  );
}

/** Declared fields are sent unchanged: each value must be a text that can be sent. */
function staticViolations(auth: ConnectorAuth, value: unknown, prefix: string): FieldViolation[] {
  const details = isObject(value) && isObject(value.details) ? value.details : {};
  const out: FieldViolation[] = [];
  for (const declared of auth.fields) {
    const { name, label } = declared;
    const member = Object.hasOwn(details, name) ? details[name] : undefined;
    if (member === undefined) continue;
    const problem =
      typeof member === 'string'
        ? credentialTextProblem(auth.type, declared, member)
        : { description: `${label} must be a string.`, constraint: 'type' };
    if (problem !== undefined) out.push({ field: `${prefix}.${name}`, ...problem });
  }
  return out;
}

function memberViolations({ writable }: CredentialFacts, value: unknown, field: string): FieldViolation[] {
  if (!isObject(value)) return [{ field, description: 'Must be an object.', constraint: 'type' }];
  const out: FieldViolation[] = [];
  for (const [name, { kind }] of Object.entries(writable)) {
    const member = value[name];
    if (member === undefined) continue;
    const { fits, wanted } = KINDS[kind];
    if (!fits(member))
      out.push({ field: `${field}.${name}`, description: `Must be ${wanted}.`, constraint: 'type' });
  }
  return out;
}

/**
 * Replaces the members that `given` names and keeps the rest (docs/contract.md#create-update-read-and-list);
 * tokens obtained with a replaced credential are dropped. Call after `detailsViolations`.
 */
export function mergeDetails(
  stored: AuthorizationDetails,
  given: Readonly<Record<string, unknown>>,
): AuthorizationDetails {
  const out: Record<string, unknown> = { ...stored };
  if (namesCredential(given)) delete out.internal;
  for (const { variant, writable } of VARIANTS) {
    const value = given[variant];
    if (!isObject(value)) continue;
    const merged: Record<string, unknown> = { ...stored[variant] };
    for (const name of Object.keys(writable)) {
      if (value[name] !== undefined) merged[name] = value[name];
    }
    if (Object.keys(merged).length > 0) out[variant] = merged;
  }
  return out;
}

/** Whether a request replaces the credential itself, not only data stored with it (scopes, domain). */
export function bringsCredential(given: Readonly<Record<string, unknown>>): boolean {
  const { oauth_token, static_auth } = given as AuthorizationDetails;
  return (
    bringsToken({ ...(oauth_token && { oauth_token }) }) ||
    Object.keys(static_auth?.details ?? {}).length > 0 ||
    ownVariants().some(({ variant, writable }) => {
      const value = given[variant];
      return isObject(value) && Object.keys(writable).some((name) => isFilled(value[name]));
    })
  );
}

/** Variants that are not shared: each of their members is part of the credential. */
function ownVariants(): CredentialFacts[] {
  return VARIANTS.filter(({ variant }) => variant !== 'oauth_token' && variant !== 'static_auth');
}

/** An `oauth_token` without tokens changes only scopes and domain. No other variant may be incomplete. */
export function namesCredential(given: Readonly<Record<string, unknown>>): boolean {
  const { oauth_token, ...others } = given as AuthorizationDetails;
  return (
    Object.keys(others).length > 0 ||
    oauth_token?.access_token !== undefined ||
    oauth_token?.refresh_token !== undefined
  );
}

/**
 * The credentials without secrets: the variant, and what helps to understand the state of the account. Members with
 * fields of a form are shown empty, because a form does not say which of its fields are secret.
 */
export function detailsWithoutSecrets(details: AuthorizationDetails): AuthorizationDetails {
  const out: Record<string, unknown> = {};
  for (const { variant, shown = [], writable } of VARIANTS) {
    const value: Readonly<Record<string, unknown>> | undefined = details[variant];
    if (value === undefined) continue;
    const emptied = Object.keys(writable).filter((name) => writable[name]?.kind === 'object');
    out[variant] = {
      ...Object.fromEntries(
        shown.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]),
      ),
      ...Object.fromEntries(emptied.map((name) => [name, {}])),
    };
  }
  return out;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_SECRET_LENGTH;
}

/** The account of a proxied request, from headers: path, query and body belong to the provider. Pure. */
import type { IncomingMessage } from 'node:http';
import { invalidArgument, ServiceError, type FieldViolation } from '../../core/errors.ts';
import type { AccountReference } from '../../executor/call/account-choice.ts';

/** The headers for each member of a reference; messages name the first. */
const HEADERS = {
  id: ['connected-account-id'],
  connection: ['connection-name', 'connection_name'],
  identifier: ['identifier'],
  organizationId: ['organization-id'],
  userId: ['user-id'],
} as const satisfies Partial<Record<keyof AccountReference, readonly string[]>>;

/** Names of these members in other APIs, and the header for each. */
const HEADER_OF: Readonly<Record<string, string>> = {
  id: 'connected-account-id',
  connected_account_id: 'connected-account-id',
  connector: 'connection-name',
  organization_id: 'organization-id',
  user_id: 'user-id',
};

/** Longest value of any of these headers. */
const MAX_LENGTH = 400;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The account that the headers name.
 *
 * @throws ServiceError INVALID_ARGUMENT if a header has two different values, is empty, too long or not UTF-8, or if no
 *   header names an account
 */
export function accountOfHeaders(request: Pick<IncomingMessage, 'rawHeaders'>): AccountReference {
  const violations: FieldViolation[] = [];
  const reference: AccountReference = {};
  for (const [member, names] of Object.entries(HEADERS)) {
    const values = new Set(valuesOf(request.rawHeaders, names));
    const [value, ...others] = values;
    if (value === undefined) continue;
    const problem = others.length > 0 ? TWICE : problemOf(value);
    if (problem === undefined) reference[member as keyof typeof HEADERS] = decoded(value) ?? '';
    else violations.push({ field: names[0], ...problem });
  }
  if (violations.length > 0) throw invalidArgument(violations);
  return reference;
}

/** The same error with header names instead of body fields. */
export function inTermsOfHeaders(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'INVALID_ARGUMENT') return error;
  if (error.violations.length === 0) return error;
  return invalidArgument(
    error.violations.map(({ field, description, constraint }) => ({
      field: HEADER_OF[field] ?? field,
      description: description.replaceAll(
        /\b(?:connected_account_id|organization_id|user_id)\b/g,
        (name) => HEADER_OF[name] ?? name,
      ),
      constraint,
    })),
  );
}

const TWICE = {
  description: 'This header came more than once, with different values. Send it once.',
  constraint: 'ambiguous',
};

function problemOf(value: string): Pick<FieldViolation, 'description' | 'constraint'> | undefined {
  const text = decoded(value);
  if (text === undefined) return { description: 'The value has to be UTF-8.', constraint: 'characters' };
  if (text === '') return { description: 'Must not be empty.', constraint: 'min_length' };
  if (text.length <= MAX_LENGTH) return undefined;
  return { description: `Must be at most ${MAX_LENGTH} characters long.`, constraint: 'max_length' };
}

function valuesOf(rawHeaders: readonly string[], names: readonly string[]): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && names.includes((rawHeaders[i - 1] ?? '').toLowerCase()));
}

/** Node reads header bytes as Latin-1. */
function decoded(value: string): string | undefined {
  try {
    return UTF8.decode(Buffer.from(value, 'latin1')).trim();
  } catch {
    return undefined;
  }
}

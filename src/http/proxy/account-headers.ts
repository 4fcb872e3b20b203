/**
 * The account of a proxied request, and what it says about a link, from headers: path, query and body belong to the
 * provider. Pure.
 */
import { keysOf } from '../../core/json.ts';
import type { IncomingMessage } from 'node:http';
import type { LinkOptions } from '../../links/link-rules.ts';
import { MAX_LENGTH } from '../../core/text-rules.ts';
import { invalidArgument, ServiceError, type FieldViolation } from '../../core/errors.ts';
import type { AccountReference } from '../../executor/call/account-choice.ts';

/** The headers for each member of a reference; messages name the first. */
const ACCOUNT_HEADERS = {
  id: ['connected-account-id'],
  connection: ['connection-name', 'connection_name'],
  identifier: ['identifier'],
  organizationId: ['organization-id'],
  userId: ['user-id'],
} as const satisfies Partial<Record<keyof AccountReference, readonly string[]>>;

/** The headers for each member of what a request says about its link. */
const LINK_HEADERS = {
  state: ['link-state'],
  user_verify_url: ['link-user-verify-url'],
  force: ['link-force'],
} as const satisfies Record<keyof LinkOptions, readonly string[]>;

/** Names of these members in other APIs, and the header for each. */
const HEADER_OF: Readonly<Record<string, string>> = {
  id: 'connected-account-id',
  connected_account_id: 'connected-account-id',
  connector: 'connection-name',
  organization_id: 'organization-id',
  user_id: 'user-id',
  'link.state': 'link-state',
  'link.user_verify_url': 'link-user-verify-url',
};

/** Longest value of a header that names an account. */
const MAX_NAME = 400;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The account that the headers name, and what they say about a link in the answer.
 *
 * @throws ServiceError INVALID_ARGUMENT if a header has two different values, is empty, too long or not UTF-8
 */
export function callOfHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): {
  account: AccountReference;
  link: LinkOptions;
} {
  const account = read(rawHeaders, ACCOUNT_HEADERS, () => MAX_NAME);
  const link = read(rawHeaders, LINK_HEADERS, (member) => (member === 'force' ? 5 : MAX_LENGTH[member]));
  const { force, ...texts } = link.values;
  if (force !== undefined && force !== 'true' && force !== 'false')
    link.violations.push({ field: 'link-force', description: 'Must be true or false.', constraint: 'type' });
  const violations = [...account.violations, ...link.violations];
  if (violations.length > 0) throw invalidArgument(violations);
  return { account: account.values, link: force === 'true' ? { ...texts, force: true } : texts };
}

function read<Member extends string>(
  rawHeaders: readonly string[],
  headers: Readonly<Record<Member, readonly [string, ...string[]]>>,
  maxOf: (member: Member) => number,
): { values: Partial<Record<Member, string>>; violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const values: Partial<Record<Member, string>> = {};
  for (const member of keysOf(headers)) {
    const names = headers[member];
    const [value, ...others] = new Set(valuesOf(rawHeaders, names));
    if (value === undefined) continue;
    const problem = others.length > 0 ? TWICE : problemOf(value, maxOf(member));
    if (problem === undefined) values[member] = decoded(value) ?? '';
    else violations.push({ field: names[0], ...problem });
  }
  return { values, violations };
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

function problemOf(
  value: string,
  max: number,
): Pick<FieldViolation, 'description' | 'constraint'> | undefined {
  const text = decoded(value);
  if (text === undefined) return { description: 'The value has to be UTF-8.', constraint: 'characters' };
  if (text === '') return { description: 'Must not be empty.', constraint: 'min_length' };
  if (text.length <= max) return undefined;
  return { description: `Must be at most ${max} characters long.`, constraint: 'max_length' };
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

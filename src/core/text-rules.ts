/** Rules for the texts that name accounts: length, characters, normal form (docs/contract.md#fields-of-an-account). */
import type { FieldViolation } from './errors.ts';

/** Maximum lengths of values, in UTF-16 units. */
export const MAX_LENGTH = {
  connector: 400,
  identifier: 200,
  organization_id: 64,
  user_id: 64,
  state: 512,
  user_verify_url: 2048,
  requested_by: 80,
} as const;

/** Characters of a connection name (docs/contract.md#fields-of-an-account). */
export const CONNECTION_NAME = /^[A-Za-z0-9 _:-]+$/;

/** A scope token (RFC 6749 section 3.3). */
export const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** NFC, the form in which identifiers and owners are stored and compared. */
export function normalizeText(value: string): string {
  return value.normalize('NFC');
}

/** Violations of texts that name an account; absent fields are skipped. */
export function textViolations(
  values: Partial<Record<keyof typeof MAX_LENGTH, string | undefined>>,
): FieldViolation[] {
  const out: FieldViolation[] = [];
  for (const [field, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const max = MAX_LENGTH[field as keyof typeof MAX_LENGTH];
    if (value === '')
      out.push({ field, description: `${field} must not be empty.`, constraint: 'min_length' });
    else if (value.length > max)
      out.push({
        field,
        description: `${field} is at most ${max} characters long.`,
        constraint: 'max_length',
      });
    else if (!value.isWellFormed() || CONTROL.test(value))
      out.push({
        field,
        description: `${field} must not contain control characters or broken Unicode.`,
        constraint: 'characters',
      });
    else if (field === 'connector' && !CONNECTION_NAME.test(value))
      out.push({
        field,
        description: 'A connector name has letters, digits, spaces, hyphens, underscores and colons.',
        constraint: 'pattern',
      });
  }
  return out;
}

/** An account belongs to a user, an organization or neither; never to both. */
export function ownerViolations(owner: {
  user_id?: string | undefined;
  organization_id?: string | undefined;
}): FieldViolation[] {
  if (owner.user_id === undefined || owner.organization_id === undefined) return [];
  return [
    {
      field: 'organization_id',
      description: 'Give user_id or organization_id, not both: an account belongs to one of them.',
      constraint: 'exclusive',
    },
  ];
}

/** Violations of the texts that name an account, each by itself and together. */
export function accountNameViolations(
  named: Parameters<typeof textViolations>[0] & Parameters<typeof ownerViolations>[0],
): FieldViolation[] {
  return [...textViolations(named), ...ownerViolations(named)];
}

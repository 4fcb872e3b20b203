/** Rules for the texts and roles of users and organizations. Pure; reports all violations at once. */
import type { Role } from '../core/caller.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import { emailViolations, normalizeEmail } from '../core/email-address.ts';

/** From the lowest to the highest. */
export const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

/** Longest names of users and organizations, in UTF-16 units. */
export const MAX_PERSON_NAME_LENGTH = 100;
export const MAX_ORGANIZATION_NAME_LENGTH = 200;

/** A user's data, as entered. */
export interface PersonInput {
  email: string;
  /** Default: ''. */
  given_name?: string | undefined;
  family_name?: string | undefined;
}

/** Validated, and in the form in which it is stored. */
export interface CheckedPerson {
  email: string;
  givenName: string;
  familyName: string;
}

/** @param prefix of the fields, e.g. `user.` */
export function personViolations(
  input: { [Member in keyof PersonInput]?: PersonInput[Member] | undefined },
  prefix = '',
): FieldViolation[] {
  const { email, given_name, family_name } = input;
  return [
    ...(email === undefined ? [] : emailViolations(`${prefix}email`, email)),
    ...nameViolations(`${prefix}given_name`, given_name ?? '', 0, MAX_PERSON_NAME_LENGTH),
    ...nameViolations(`${prefix}family_name`, family_name ?? '', 0, MAX_PERSON_NAME_LENGTH),
  ];
}

/** Finds faults in the name of an organization. */
export function organizationNameViolations(name: string): FieldViolation[] {
  return nameViolations('name', name, 1, MAX_ORGANIZATION_NAME_LENGTH);
}

/** Finds faults in a role, as written. */
export function roleViolations(role: string): FieldViolation[] {
  if (ROLES.some((known) => known === role)) return [];
  return [{ field: 'role', description: `Must be one of ${ROLES.join(', ')}.`, constraint: 'enum' }];
}

/** @throws ServiceError INVALID_ARGUMENT naming every violation */
export function requireNoViolations(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw invalidArgument(violations);
}

/** To be called only if `personViolations` is empty. */
export function checkedPerson({ email, given_name = '', family_name = '' }: PersonInput): CheckedPerson {
  return {
    email: normalizeEmail(email) ?? '',
    givenName: storedName(given_name),
    familyName: storedName(family_name),
  };
}

/** Given and family name as one; '' if neither is known. */
export function fullName({ given_name, family_name }: { given_name: string; family_name: string }): string {
  return [given_name, family_name].filter((part) => part !== '').join(' ');
}

/** NFC without surrounding blanks. */
export function storedName(written: string): string {
  return written.normalize('NFC').trim();
}

function nameViolations(field: string, name: string, min: number, max: number): FieldViolation[] {
  const of = (description: string, constraint: string): FieldViolation[] => [
    { field, description, constraint },
  ];
  if (name.trim().length < min) return of('Must not be empty.', 'min_length');
  if (name.length > max) return of(`Must have at most ${max} characters.`, 'max_length');
  if (!name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    return of('Must be one line without control characters or broken Unicode.', 'characters');
  return [];
}

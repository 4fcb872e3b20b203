/** Checks the fields of a new credential and reports all violations at once. */
import {
  boundOrganizationOf,
  hasScope,
  requireNoApp,
  SCOPES,
  type Caller,
  type CredentialScope,
} from '../core/caller.ts';
import { invalidArgument, ServiceError, violation, type FieldViolation } from '../core/errors.ts';

/** Longest texts, in UTF-16 units. */
const MAX_LENGTH = { name: 200, organization_id: 64 } as const;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Body of `POST /api/v1/credentials` (docs/contract.md#bodies). */
export interface CredentialInput {
  name: string;
  scopes: readonly string[];
  /** Binds the credential to one organization. */
  organization_id?: string | undefined;
}

/** Checked and in the form in which it is stored. */
export interface CheckedCredential {
  name: string;
  scopes: CredentialScope[];
  /** '' without an organization. */
  organizationId: string;
}

/**
 * @throws ServiceError INVALID_ARGUMENT with all violations; PERMISSION_DENIED for a scope that the caller lacks, and
 *   if a caller that is bound to an organization asks for a credential outside it
 */
export function requireValidCredential(caller: Caller, input: CredentialInput): CheckedCredential {
  const violations = [
    ...textViolations('name', input.name),
    ...scopeViolations(
      input.scopes,
      SCOPES.filter((scope) => mayGive(caller, scope)),
    ),
    ...(input.organization_id === undefined ? [] : textViolations('organization_id', input.organization_id)),
  ];
  if (violations.length > 0) throw invalidArgument(violations);

  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  requireScopesToGive(caller, scopes);
  const bound = boundOrganizationOf(caller);
  const organizationId = input.organization_id?.normalize('NFC') ?? bound ?? '';
  if (bound !== undefined && organizationId !== bound) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      `Your credential belongs to the organization ${bound} and can only create credentials for it.`,
    );
  }
  return {
    name: input.name.normalize('NFC'),
    scopes,
    organizationId,
  };
}

/**
 * Nobody hands out more than they hold: with `admin` alone a caller could otherwise make a credential that shows every
 * provider credential. The command line may give all scopes, because its user has the key file; an operator in the
 * dashboard has not. `admin` of a machine is
 * more than that of an app.
 *
 * @throws ServiceError PERMISSION_DENIED naming the scopes that the caller lacks, and to an app for `admin`
 */
export function requireScopesToGive(caller: Caller, scopes: readonly CredentialScope[]): void {
  if (scopes.includes('admin')) requireNoApp(caller);
  const lacking = scopes.filter((scope) => !mayGive(caller, scope));
  if (lacking.length === 0) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `A credential can give only scopes that it has, and yours lacks ${lacking.join(' ')}. Use a credential that has them, or "gatehouse credentials" on the command line.`,
    { details: { required_scope: lacking.join(' ') } },
  );
}

function mayGive(caller: Caller, scope: CredentialScope): boolean {
  return (caller.kind === 'operator' && caller.source !== 'dashboard') || hasScope(caller.scopes, scope);
}

function textViolations(field: keyof typeof MAX_LENGTH, value: unknown): FieldViolation[] {
  const max = MAX_LENGTH[field];
  if (value === undefined) return [violation(field, 'This field is required.', 'required')];
  if (typeof value !== 'string') return [violation(field, 'Must be a text.', 'type')];
  if (value.trim() === '') return [violation(field, 'Must not be empty.', 'min_length')];
  if (value.length > max) return [violation(field, `Must have at most ${max} characters.`, 'max_length')];
  if (!value.isWellFormed() || CONTROL.test(value)) {
    return [violation(field, 'Must not contain control characters or broken Unicode.', 'characters')];
  }
  return [];
}

/** @param grantable the scopes that the caller may give */
function scopeViolations(scopes: unknown, grantable: readonly CredentialScope[]): FieldViolation[] {
  const known = grantable.join(', ');
  if (scopes === undefined)
    return [violation('scopes', `This field is required. Choose from ${known}.`, 'required')];
  if (!Array.isArray(scopes)) return [violation('scopes', 'Must be a list of texts.', 'type')];
  if (scopes.length === 0)
    return [violation('scopes', `Name at least one of these scopes: ${known}.`, 'min_items')];
  return unknownScopes(scopes);
}

/** A violation for each scope that does not exist. */
export function unknownScopes(scopes: readonly unknown[]): FieldViolation[] {
  return scopes.flatMap((scope, index) =>
    SCOPES.some((ours) => ours === scope)
      ? []
      : [violation(`scopes.${index}`, `There is no such scope. Choose from ${SCOPES.join(', ')}.`, 'enum')],
  );
}

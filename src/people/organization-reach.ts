/**
 * Rights in an organization. API credentials with `admin`, operators and the command line may do everything, as may
 * a credential bound to the organization. Users may do what their role allows, and never more than an admin through
 * an app. To everybody else it does not exist.
 */
import { boundOrganizationOf, requireScope, type Caller, type Role } from '../core/caller.ts';
import { notFound, ServiceError } from '../core/errors.ts';
import type { Readable } from '../store/engine/database.ts';
import { membershipIn } from '../store/people/membership-store.ts';
import { ROLES } from './people-rules.ts';

/** A user's role, or `operator`, which ranks above every role. */
export type Authority = Role | 'operator';

/**
 * Returns the caller's authority in an organization. Roles are read from the database, not from the token: rights
 * end the moment a membership changes. Through an app nobody has more than an admin's, not even an operator: an app
 * must not be able to take an organization over (docs/security.md#consent-names-organization).
 *
 * @throws ServiceError RESOURCE_NOT_FOUND if the caller has none; PERMISSION_DENIED for a machine without `admin`
 */
export async function authorityIn(db: Readable, caller: Caller, organizationId: string): Promise<Authority> {
  const only = organizationReach(caller);
  if (only !== undefined && only !== organizationId) throw noOrganization();
  if (caller.kind !== 'person') return 'operator';
  if (caller.scopes.has('admin')) return caller.isApp ? 'admin' : 'operator';
  const { userId } = caller.person;
  const membership = await membershipIn(db, caller.environmentId, organizationId, userId);
  if (membership === undefined) throw noOrganization();
  return caller.isApp && membership.role === 'owner' ? 'admin' : membership.role;
}

/**
 * The only organization that a caller reaches; `undefined` means all, and '' means none.
 *
 * @throws ServiceError PERMISSION_DENIED for a machine without `admin`
 */
export function organizationReach(caller: Caller): string | undefined {
  if (caller.kind === 'person' && !caller.scopes.has('admin')) return caller.person.organizationId;
  requireScope(caller, 'admin');
  return boundOrganizationOf(caller);
}

/** @throws ServiceError PERMISSION_DENIED below the role */
export function requireRole(caller: Caller, authority: Authority, least: Role): void {
  if (hasRole(authority, least)) return;
  const isApp = caller.kind === 'person' && caller.isApp;
  const noApp = isApp && least === 'owner' ? ' A token of an app never has it: use an API credential.' : '';
  throw new ServiceError('PERMISSION_DENIED', `This needs the role ${least} in the organization.${noApp}`, {
    details: { required_role: least },
  });
}

/** Whether the authority includes what this role may do. */
export function hasRole(authority: Authority, least: Role): boolean {
  return authority === 'operator' || ROLES.indexOf(authority) >= ROLES.indexOf(least);
}

/** Organizations out of the caller's reach look as if they did not exist. */
export function noOrganization(): ServiceError {
  return notFound('organization');
}

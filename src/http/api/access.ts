/** Access rules of routes. The scopes of our own routes are those of docs/contract.md#scopes-of-routes. */
import {
  boundOrganizationOf,
  onlyOwnerOf,
  requireOrganizationScope,
  requireScope,
  type Caller,
  type Scope,
} from '../../core/caller.ts';
import { ServiceError } from '../../core/errors.ts';

/**
 * Access rule of a route: `public`, or a scope that the token needs. `unbound` concerns the whole environment and
 * refuses tokens bound to an organization. `machine` concerns an application's statements about its users and refuses
 * people's tokens. `inOrganization` takes `admin`, or a person's token within what their role allows: an app's needs
 * the organization scope of this right, the others the scope of accounts.
 * `unlessLocal` needs no token from this machine if the base URL is on loopback too; otherwise it is like `unbound`, and
 * `admin` is enough as well.
 */
export type Access =
  | 'public'
  | Scope
  | { unbound: Scope }
  | { machine: Scope }
  | { inOrganization: 'read' | 'write' }
  | { unlessLocal: Scope };

/** The caller of a route that needs no token. Reaches nothing. */
export const NOBODY: Caller = {
  kind: 'machine',
  environmentId: '',
  actor: '',
  scopes: new Set(),
  source: 'api',
  ip: '',
};

/** @throws ServiceError PERMISSION_DENIED */
export function requireAccess(caller: Caller, access: Exclude<Access, 'public'>): void {
  if (typeof access === 'object' && 'inOrganization' in access && caller.kind === 'person') {
    if (caller.scopes.has('admin')) return;
    if (caller.isApp) requireOrganizationScope(caller, access.inOrganization);
    else requireScope(caller, `accounts:${access.inOrganization}`);
    return;
  }
  if (typeof access === 'string' || !('unlessLocal' in access) || !caller.scopes.has('admin'))
    requireScope(caller, scopeOf(access));
  if (typeof access === 'string' || 'inOrganization' in access) return;
  if ('machine' in access) requireMachine(caller);
  else requireUnbound(caller);
}

/** The scope that an access rule requires of a machine. */
export function scopeOf(access: Exclude<Access, 'public'>): Scope {
  if (typeof access === 'string') return access;
  if ('machine' in access) return access.machine;
  if ('inOrganization' in access) return 'admin';
  return 'unbound' in access ? access.unbound : access.unlessLocal;
}

function requireMachine(caller: Caller): void {
  if (onlyOwnerOf(caller) === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This needs an API credential. The token of a person cannot do it.',
  );
}

function requireUnbound(caller: Caller): void {
  if (boundOrganizationOf(caller) === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This credential belongs to one organization, and this concerns the whole environment. Use another credential.',
  );
}

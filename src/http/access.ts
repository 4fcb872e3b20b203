/** Who may call a route. Scopes of our own routes are those of contract section 13. */
import { requireScope, type Caller, type Scope } from '../core/caller.ts';
import { ServiceError } from '../core/errors.ts';

/**
 * Who may call: anybody; a token with a scope; one that is not bound to an organization, for what concerns the
 * environment as a whole; or this machine without a token and others with such a one.
 */
export type Access = 'public' | Scope | { unbound: Scope } | { unlessLocal: Scope };

/** The caller of a route that asks for no token. Reaches nothing. */
export const NOBODY: Caller = { environmentId: '', actor: '', scopes: new Set(), source: 'api', ip: '' };

/** @throws ServiceError PERMISSION_DENIED */
export function requireAccess(caller: Caller, access: Exclude<Access, 'public'>): void {
  requireScope(caller, scopeOf(access));
  if (typeof access === 'object') requireUnbound(caller);
}

/** The scope an access rule asks for. */
export function scopeOf(access: Exclude<Access, 'public'>): Scope {
  if (typeof access === 'string') return access;
  return 'unbound' in access ? access.unbound : access.unlessLocal;
}

function requireUnbound(caller: Caller): void {
  if (caller.boundOrganizationId === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This credential belongs to one organization, and this concerns the whole environment. Use another credential.',
  );
}

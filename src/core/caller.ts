/** Who calls, and how far they may reach. Made by the faces (REST, MCP, command line), read by every rule. */
import { ServiceError } from './errors.ts';

/** Permissions of API credentials (contract section 4). */
export const SCOPES = [
  'accounts:read',
  'accounts:write',
  'accounts:credentials',
  'tools:execute',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Whose accounts a caller works with: a user, an organization, never both. */
export interface Owner {
  /** '' when the owner is an organization. */
  userId: string;
  /** '' when the owner is a user. */
  organizationId: string;
}

export interface Caller {
  environmentId: string;
  /** Who acts, for events and the audit log: `cred_…`, `usr_…`, or `local` for the command line and stdio. */
  actor: string;
  scopes: ReadonlySet<Scope>;
  source: 'api' | 'mcp' | 'cli' | 'proxy';
  /** MCP: the user or organization whose accounts are used. REST names the owner per request. */
  owner?: Owner;
  /** A credential bound to an organization reaches that organization's accounts only. */
  boundOrganizationId?: string;
  /** Network address of the peer, for the audit log; '' when there is none. */
  ip: string;
}

/** @throws ServiceError PERMISSION_DENIED naming the scope that is missing */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope)) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      `This call needs the scope ${scope}. Use a credential that has it.`,
      {
        details: { required_scope: scope },
      },
    );
  }
}

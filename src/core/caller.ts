/**
 * The caller of an operation, and what they may reach. Built by the entry points (REST, MCP, command line),
 * read by every rule.
 */
import { ServiceError } from './errors.ts';
import type { CALL_SOURCES } from './stored-words.ts';

/** Permissions of API credentials (docs/contract.md#scopes). */
export const SCOPES = [
  'accounts:read',
  'accounts:write',
  'accounts:credentials',
  'tools:execute',
  'metrics:read',
  'admin',
] as const;

/** A scope that an API credential can have. */
export type CredentialScope = (typeof SCOPES)[number];

/**
 * Scopes with which an app's token reaches the organization of its person. No default contains them: the person
 * grants them on a page that names the organization (docs/contract.md#whose-accounts-a-token-reaches).
 */
export const ORGANIZATION_SCOPES = ['organization:read', 'organization:write'] as const;

/** A scope that some token can have. */
export type Scope = CredentialScope | (typeof ORGANIZATION_SCOPES)[number];

/** Scopes of a person's token that asks for none. */
export const PERSON_SCOPES = ['accounts:read', 'accounts:write', 'tools:execute'] as const;

/** A scope that changes something includes the one that reads it. */
const INCLUDED_IN: Readonly<Partial<Record<Scope, Scope>>> = {
  'accounts:read': 'accounts:write',
  'organization:read': 'organization:write',
};

/** Owner of the accounts that a caller works with: a user, an organization, never both. */
export interface Owner {
  /** '' when the owner is an organization. */
  userId: string;
  /** '' when the owner is a user. */
  organizationId: string;
}

/**
 * Role of a person in an organization. A member manages their own accounts. An admin also manages the
 * organization's accounts, members and invitations. An owner also manages roles, the identity provider and
 * deletion.
 */
export type Role = 'member' | 'admin' | 'owner';

/** The signed-in person that a token stands for. */
export interface Person {
  userId: string;
  /** `ses_…` */
  sessionId: string;
  /** Organization of the session; '' without one. */
  organizationId: string;
  /** Role in that organization; absent without one. */
  role?: Role;
}

interface CallerBase {
  environmentId: string;
  /**
   * The actor, for events and the audit log: `cred_…`, `usr_…`, or `local` for the command line and stdio.
   */
  actor: string;
  scopes: ReadonlySet<Scope>;
  source: (typeof CALL_SOURCES)[number];
  /** OAuth client or API credential (`client_id`) whose token it is; absent without a token. */
  clientId?: string;
  /** MCP: the virtual server at whose address it calls, `mcp_…`; absent at the others. */
  virtualServerId?: string;
  /** MCP: the user or organization whose accounts are used. REST names the owner per request. */
  owner?: Owner;
  /** Network address of the peer, for the audit log; '' without a network request. */
  ip: string;
}

/** The person at this machine: the command line and stdio. */
interface OperatorCaller extends CallerBase {
  kind: 'operator';
}

/** A program with an API credential. */
export interface MachineCaller extends CallerBase {
  kind: 'machine';
  /** A credential bound to an organization reaches that organization's accounts only. */
  boundOrganizationId?: string;
}

/** A signed-in person with a token of their own. */
export interface PersonCaller extends CallerBase {
  kind: 'person';
  person: Person;
  /** The token reaches the accounts of this owner and nothing else, whatever its scopes. */
  onlyOwner: Owner;
  /** An app holds the token, with what the person granted on the consent page. */
  isApp: boolean;
}

/** A user of an application, who is known here only by what the application says: a token for one virtual server. */
interface VouchedUserCaller extends CallerBase {
  kind: 'vouched_user';
  /** The token reaches the accounts of this owner and nothing else, whatever its scopes. */
  onlyOwner: Owner;
}

/** The caller of a service: always one of these four kinds. */
export type Caller = OperatorCaller | MachineCaller | PersonCaller | VouchedUserCaller;

/** Returns the organization that a machine's credential is bound to, or `undefined` for every other caller. */
export function boundOrganizationOf(caller: Caller): string | undefined {
  return caller.kind === 'machine' ? caller.boundOrganizationId : undefined;
}

/** Returns the owner that a token stands for, or `undefined` for callers that may name any owner. */
export function onlyOwnerOf(caller: Caller): Owner | undefined {
  return caller.kind === 'person' || caller.kind === 'vouched_user' ? caller.onlyOwner : undefined;
}

/** Whether scopes contain a scope, or one that includes it. */
export function hasScope(scopes: ReadonlySet<Scope>, scope: Scope): boolean {
  const wider = INCLUDED_IN[scope];
  return scopes.has(scope) || (wider !== undefined && scopes.has(wider));
}

/** @throws ServiceError PERMISSION_DENIED naming the scope that is missing */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller.scopes, scope)) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      `This call needs the scope ${scope}. Use a credential that has it.`,
      {
        details: { required_scope: scope },
      },
    );
  }
}

/**
 * Checks that a caller may use what belongs to an organization: an app's token needs the person's consent for it, all
 * other callers only their usual scopes.
 *
 * @throws ServiceError PERMISSION_DENIED with `required_scopes`
 */
export function requireOrganizationScope(caller: Caller, right: 'read' | 'write'): void {
  const scope: Scope = `organization:${right}`;
  if (caller.kind !== 'person' || !caller.isApp || hasScope(caller.scopes, scope)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `The person has not allowed this app the scope ${scope}. Ask for it in a new authorization request.`,
    { details: { required_scope: scope, required_scopes: [scope] } },
  );
}

/**
 * Refuses what would let an app act as somebody else afterwards, with more than its person can allow it: its scope
 * `admin` is less than that of the operator it stands for.
 *
 * @throws ServiceError PERMISSION_DENIED for a token of an app
 */
export function requireNoApp(caller: Caller): void {
  if (caller.kind === 'person' && caller.isApp)
    throw new ServiceError('PERMISSION_DENIED', 'A token of an app cannot do this. Use an API credential.');
}

/** Facts about the browser or program behind a request, for interceptors and the audit log. */
export interface Visitor {
  /** Network address; '' without a network request. */
  ip: string;
  /** As sent, at most 1,024 characters; '' when not sent. */
  userAgent: string;
  /** ISO 3166-1 alpha-2, from the operator's header; '' if unknown. */
  region: string;
  /** From the operator's header; '' if unknown. */
  city: string;
}

/** Visitor of calls without a request: from the command line and from the program itself. */
export const NO_VISITOR: Visitor = { ip: '', userAgent: '', region: '', city: '' };

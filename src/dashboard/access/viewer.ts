/** The person who uses the dashboard, with exactly the rights that services check. Pure. */
import { ORGANIZATION_SCOPES, PERSON_SCOPES, SCOPES, type Caller } from '../../core/caller.ts';
import { ServiceError } from '../../core/errors.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { isFreshSession } from '../../people/session-rules.ts';
import type { Viewer } from '../frame/dashboard-context.ts';

/**
 * The viewer: an operator of the environment, or an owner or admin of the session's organization.
 *
 * @returns `undefined` for everybody else, who has only their own accounts
 */
export function viewerOf(person: SignedInPerson, ip: string, now: number): Viewer | undefined {
  const { userId, email, name, isOperator, session, organizations } = person;
  const base = { userId, email, name, isOperator, isFresh: isFreshSession(session, now) };
  if (isOperator) return { ...base, organization: undefined, caller: operatorCaller(person, ip) };
  const organization = organizations.find(({ id }) => id === session.organizationId);
  if (organization === undefined || organization.role === 'member') return undefined;
  return { ...base, organization, caller: organizationCaller(person, organization, ip) };
}

/** Protects parts of a page that only operators may use. @throws ServiceError PERMISSION_DENIED */
export function requireOperator({ isOperator }: Viewer): void {
  if (!isOperator)
    throw new ServiceError('PERMISSION_DENIED', 'Only an operator of this Gatehouse can do this. Ask one.');
}

/**
 * Caller of an operator. It may do what the command line may, except reading credentials of providers or granting a
 * right to read them: an attacker in the browser must not get them. Events and the audit log name the person.
 */
function operatorCaller({ userId, session }: SignedInPerson, ip: string): Caller {
  return {
    kind: 'operator',
    environmentId: session.environmentId,
    actor: userId,
    scopes: new Set(SCOPES.filter((scope) => scope !== 'accounts:credentials')),
    source: 'dashboard',
    ip,
  };
}

/** Caller of an owner or admin. It reaches the organization's accounts, never those of its members. */
function organizationCaller(
  { userId, session }: SignedInPerson,
  { id, role }: SignedInPerson['organizations'][number],
  ip: string,
): Caller {
  const owner = { userId: '', organizationId: id };
  return {
    kind: 'person',
    person: { userId, sessionId: session.id, organizationId: id, role },
    isApp: false,
    environmentId: session.environmentId,
    actor: userId,
    scopes: new Set([...PERSON_SCOPES, ...ORGANIZATION_SCOPES]),
    source: 'dashboard',
    owner,
    onlyOwner: owner,
    ip,
  };
}

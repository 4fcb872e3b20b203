/** A signed-in person as the caller of services, with only what belongs to them. */
import { PERSON_SCOPES, type PersonCaller } from '../../core/caller.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import type { PageContext } from '../frame/page-response.ts';

/** The person in the organization of their session. The role is read from the database with each use. */
export function personCaller(c: PageContext, { userId, session }: SignedInPerson): PersonCaller {
  const own = { userId, organizationId: '' };
  return {
    kind: 'person',
    isApp: false,
    environmentId: c.get('environment').id,
    actor: userId,
    scopes: new Set(PERSON_SCOPES),
    source: 'api',
    owner: own,
    onlyOwner: own,
    person: { userId, sessionId: session.id, organizationId: session.organizationId },
    ip: c.get('visitor').ip,
  };
}

/** A user as interceptors see them (`user` in docs/contract.md#what-an-interceptor-is-asked). Pure. */
import { toTimestamp } from '../core/clock.ts';
import type { PolicyUser } from '../interceptors/policy.ts';
import { fullName } from './people-rules.ts';
import type { Membership, User } from '../store/tables/people-tables.ts';

/** @param memberships of this user, in any order */
export function toPolicyUser(
  user: User,
  memberships: readonly Pick<Membership, 'organization_id'>[],
): PolicyUser {
  const name = fullName(user);
  return {
    id: user.id,
    name: name === '' ? user.email : name,
    email: user.email,
    email_verified: user.email_verified,
    created_at: toTimestamp(user.created_at),
    updated_at: toTimestamp(user.updated_at),
    given_name: user.given_name,
    family_name: user.family_name,
    memberships: memberships.map(({ organization_id }) => ({ organization_id, status: 'ACTIVE' })),
  };
}

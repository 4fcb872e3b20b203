/** Memberships of users in organizations, beyond what engine/rows.ts does. */
import type { Readable } from '../engine/database.ts';
import { rows } from '../engine/rows.ts';
import type { Membership } from '../tables/people-tables.ts';

/** The membership of a user in an organization. */
export async function membershipIn(
  db: Readable,
  environmentId: string,
  organizationId: string,
  userId: string,
): Promise<Membership | undefined> {
  return rows(db, 'memberships').findBy(environmentId, { organization_id: organizationId, user_id: userId });
}

/** Memberships of these users, oldest first. */
export async function membershipsOf(
  db: Readable,
  environmentId: string,
  userIds: readonly string[],
): Promise<Membership[]> {
  if (userIds.length === 0) return [];
  return rows(db, 'memberships').list(environmentId, {
    where: (e) => e('user_id', 'in', userIds),
    orderBy: ['created_at', 'id'],
  });
}

/** Organizations that have this user as their only owner. */
export async function organizationsOwnedAlone(
  db: Readable,
  environmentId: string,
  userId: string,
): Promise<string[]> {
  const owned = await db
    .selectFrom('memberships as mine')
    .select('mine.organization_id')
    .where('mine.environment_id', '=', environmentId)
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'owner')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('memberships as other')
            .select('other.id')
            .where('other.environment_id', '=', environmentId)
            .whereRef('other.organization_id', '=', 'mine.organization_id')
            .where('other.role', '=', 'owner')
            .where('other.user_id', '!=', userId),
        ),
      ),
    )
    .execute();
  return owned.map((row) => row.organization_id);
}

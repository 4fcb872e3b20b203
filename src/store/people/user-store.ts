/** Users, beyond what engine/rows.ts does. */
import type { Readable } from '../engine/database.ts';

/** Counts the users without an organization that has an OpenID provider. */
export async function countUsersWithoutProvider(db: Readable, environmentId: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('environment_id', '=', environmentId)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('memberships')
            .innerJoin('organization_providers', (join) =>
              join
                .onRef('organization_providers.organization_id', '=', 'memberships.organization_id')
                .onRef('organization_providers.environment_id', '=', 'memberships.environment_id'),
            )
            .select('memberships.id')
            .whereRef('memberships.environment_id', '=', 'users.environment_id')
            .whereRef('memberships.user_id', '=', 'users.id'),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return row.total;
}

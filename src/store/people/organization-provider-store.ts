/** Organizations' OpenID providers, beyond what engine/rows.ts does. */
import { sql } from 'kysely';
import type { Readable } from '../engine/database.ts';
import type { IdentityProvider } from '../tables/people-tables.ts';

/** The provider that has claimed a domain. @param domain lower-case letters, digits, hyphens and dots only: no wildcard of `like` */
export async function identityProviderOfDomain(
  db: Readable,
  environmentId: string,
  domain: string,
): Promise<IdentityProvider | undefined> {
  return db
    .selectFrom('organization_providers')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where(sql<boolean>`domains like ${`%"${domain}"%`}`)
    .executeTakeFirst();
}

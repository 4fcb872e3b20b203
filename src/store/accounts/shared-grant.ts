/** Checks whether a provider's grant may serve more than one account, as far as stored accounts show. */
import type { Kysely } from 'kysely';
import type { Account } from './account.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * True if another account of the same client has credentials, live or waiting. A provider that gives one grant per
 * user and app may have given both accounts the same one.
 */
export async function isGrantShared(
  db: Kysely<Tables>,
  { id, environmentId, connection }: Account,
): Promise<boolean> {
  const other = await db
    .selectFrom('accounts')
    .innerJoin('connections', 'connections.id', 'accounts.connection_id')
    .innerJoin('connections as own', (join) =>
      join
        .onRef('own.connector', '=', 'connections.connector')
        .onRef('own.client_id', 'is not distinct from', 'connections.client_id'),
    )
    .select('accounts.id')
    .where('accounts.environment_id', '=', environmentId)
    .where('own.environment_id', '=', environmentId)
    .where('own.id', '=', connection.id)
    .where('accounts.id', '!=', id)
    .where((e) =>
      e.or([
        e('accounts.credentials_sealed', 'is not', null),
        e.exists(
          e
            .selectFrom('auth_requests')
            .select('auth_requests.id')
            .whereRef('auth_requests.account_id', '=', 'accounts.id')
            .where('auth_requests.environment_id', '=', environmentId)
            .where('auth_requests.ended_at', 'is', null),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

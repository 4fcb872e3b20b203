/** Rows of accounts with their connections, limited to what a caller may see. */
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { AccountRow } from './account.ts';

/** The accounts that a caller may see: of its environment, of one organization, or of one user. */
export interface Reach {
  environmentId: string;
  organizationId?: string | undefined;
  /** '' for accounts of no user; `undefined` for those of all users. */
  userId?: string | undefined;
}

type AccountRows = SelectQueryBuilder<Tables, 'accounts' | 'connections', AccountRow>;

/** Columns of an account's connection that a call needs. */
export const CONNECTION_OF_ACCOUNT = [
  'connections.name as connection_name',
  'connections.connector as connector',
  'connections.authorization_type as authorization_type',
  'connections.params as connection_params',
  'connections.overrides as connection_overrides',
  'connections.paused_until as connection_paused_until',
  'connections.updated_at as connection_updated_at',
] as const;

/** Accounts within a reach, each with what a call needs of its connection. */
export function accountRows(db: Kysely<Tables>, reach: Reach): AccountRows {
  const { environmentId, organizationId, userId } = reach;
  let query = db
    .selectFrom('accounts')
    // SQLite keeps the order of a cross join. It would begin an inner one with the connections and sort all accounts.
    .crossJoin('connections')
    .whereRef('connections.id', '=', 'accounts.connection_id')
    .selectAll('accounts')
    .select(CONNECTION_OF_ACCOUNT)
    .where('accounts.environment_id', '=', environmentId);
  if (organizationId !== undefined) query = query.where('accounts.organization_id', '=', organizationId);
  if (userId !== undefined) query = query.where('accounts.user_id', '=', userId);
  return query;
}

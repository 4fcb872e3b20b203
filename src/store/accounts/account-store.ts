/**
 * Connected accounts. Knows SQL and nothing else: no rules, no encryption, no clock.
 *
 * Every statement filters on the environment, and on organization and user if the caller's reach is limited to them.
 */
import type { Kysely, SelectQueryBuilder, Updateable } from 'kysely';
import type { AccountStatus } from '../../core/stored-words.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { StoredForm } from '../tables/column-types.ts';
import type { AccountTable, Tables } from '../tables/tables.ts';
import type { PagePosition } from '../../core/page-token.ts';
import { accountOf, grantOf, type Account, type AccountRow, type StoredGrant } from './account.ts';

/** The accounts that a caller may see: of its environment, of one organization, or of one user. */
export interface Reach {
  environmentId: string;
  organizationId?: string | undefined;
  /** '' for accounts of no user; `undefined` for those of all users. */
  userId?: string | undefined;
}

/** Exact filters of a list; absent members do not filter. */
export interface AccountFilter {
  organizationId?: string | undefined;
  userId?: string | undefined;
  /** Name of the connection. */
  connection?: string | undefined;
  /** Names of connections. */
  connections?: readonly string[] | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  /** Prefix of the identifier. */
  identifierPrefix?: string | undefined;
  status?: AccountStatus | undefined;
}

/** The unique key of an account inside its environment. '' stands for an absent owner. */
export interface AccountKey {
  connectionId: string;
  organizationId: string;
  userId: string;
  identifier: string;
}

export class AccountStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async find(reach: Reach, id: string): Promise<Account | undefined> {
    const row = await accountRows(this.#db, reach).where('accounts.id', '=', id).executeTakeFirst();
    return row && accountOf(row);
  }

  /** The account with the columns that only renewals and refusals need. */
  async findGrant(reach: Reach, id: string): Promise<StoredGrant | undefined> {
    const row = await accountRows(this.#db, reach).where('accounts.id', '=', id).executeTakeFirst();
    return row && grantOf(row);
  }

  async findByKey(reach: Reach, key: AccountKey): Promise<Account | undefined> {
    const row = await accountRows(this.#db, reach)
      .where('accounts.connection_id', '=', key.connectionId)
      .where('accounts.organization_id', '=', key.organizationId)
      .where('accounts.user_id', '=', key.userId)
      .where('accounts.identifier', '=', key.identifier)
      .executeTakeFirst();
    return row && accountOf(row);
  }

  /** Accounts of one owner at one connection, oldest first. */
  async findByOwner(
    reach: Reach,
    connectionId: string,
    owner: { userId: string; organizationId: string },
  ): Promise<Account[]> {
    const rows = await accountRows(this.#db, reach)
      .where('accounts.connection_id', '=', connectionId)
      .where('accounts.organization_id', '=', owner.organizationId)
      .where('accounts.user_id', '=', owner.userId)
      .orderBy('accounts.created_at')
      .orderBy('accounts.id')
      .execute();
    return rows.map(accountOf);
  }

  /** All accounts of one owner, oldest first. */
  async listOfOwner(
    environmentId: string,
    { userId, organizationId }: { userId: string; organizationId: string },
  ): Promise<Account[]> {
    const rows = await accountsOfOwner(this.#db, { environmentId, userId, organizationId });
    return rows.map(accountOf);
  }

  /** Up to `limit` accounts from a position, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    reach: Reach,
    filter: AccountFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<Account[]> {
    let query = filtered(accountRows(this.#db, reach), filter);
    const backwards = position?.direction === 'prev';
    if (position !== undefined) {
      const { createdAt, id } = position;
      query = query.where((e) =>
        e.or([
          e('accounts.created_at', backwards ? '>' : '<', createdAt),
          e.and([e('accounts.created_at', '=', createdAt), e('accounts.id', backwards ? '>' : '<', id)]),
        ]),
      );
    }
    const order = backwards ? 'asc' : 'desc';
    const ordered = query.orderBy('accounts.created_at', order).orderBy('accounts.id', order);
    return (await ordered.limit(limit).execute()).map(accountOf);
  }

  async count(reach: Reach, filter: AccountFilter): Promise<number> {
    const { total } = await filtered(accountRows(this.#db, reach), filter)
      .clearSelect()
      .select((e) => e.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  /** Catalog connectors that have an account or a connection made by the operator. */
  async connectorsInUse(environmentId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('connections')
      .select('connector')
      .distinct()
      .where('environment_id', '=', environmentId)
      .where((e) =>
        e.or([
          e('managed_by', '!=', 'catalog'),
          e.exists(
            e
              .selectFrom('accounts')
              .select('accounts.id')
              .whereRef('accounts.connection_id', '=', 'connections.id')
              .where('accounts.environment_id', '=', environmentId),
          ),
        ]),
      )
      .execute();
    return rows.map((row) => row.connector);
  }

  async countOfConnection(environmentId: string, connectionId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('accounts')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where('connection_id', '=', connectionId)
      .executeTakeFirstOrThrow();
    return total;
  }

  /** Returns false if an account with the same key exists. */
  async insert(row: StoredForm<AccountTable>): Promise<boolean> {
    const result = await this.#db
      .insertInto('accounts')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }

  /**
   * Returns false if the account is gone, or if its generation is no longer `generation`.
   *
   * @param generation `undefined` accepts any
   */
  async update(
    environmentId: string,
    id: string,
    change: Updateable<AccountTable>,
    generation?: number,
  ): Promise<boolean> {
    let query = this.#db
      .updateTable('accounts')
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id);
    if (generation !== undefined) query = query.where('generation', '=', generation);
    return (await query.executeTakeFirst()).numUpdatedRows === 1n;
  }

  /**
   * Records the time of a successful call, to the second, so that a busy row is not written with every call.
   *
   * `updated_at` stays: neither credentials nor configuration have changed.
   */
  async touch(environmentId: string, id: string, at: number): Promise<void> {
    await noteUse(this.#db, { environmentId, id, at, aSecondBefore: at - 1_000 });
  }

  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('accounts')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

type Rows = SelectQueryBuilder<Tables, 'accounts' | 'connections', AccountRow>;

function accountRows(db: Kysely<Tables>, reach: Reach): Rows {
  const { environmentId, organizationId, userId } = reach;
  let query = db
    .selectFrom('accounts')
    .innerJoin('connections', 'connections.id', 'accounts.connection_id')
    .selectAll('accounts')
    .select([
      'connections.name as connection_name',
      'connections.connector as connector',
      'connections.authorization_type as authorization_type',
      'connections.params as connection_params',
      'connections.overrides as connection_overrides',
      'connections.updated_at as connection_updated_at',
    ])
    .where('accounts.environment_id', '=', environmentId);
  if (organizationId !== undefined) query = query.where('accounts.organization_id', '=', organizationId);
  if (userId !== undefined) query = query.where('accounts.user_id', '=', userId);
  return query;
}

const accountsOfOwner = preparedQuery(
  (db, owner: { environmentId: string; userId: string; organizationId: string }) =>
    accountRows(db, owner).orderBy('accounts.created_at').orderBy('accounts.id'),
);

const noteUse = preparedQuery(
  (db, use: { environmentId: string; id: string; at: number; aSecondBefore: number }) =>
    db
      .updateTable('accounts')
      .set({ last_used_at: use.at, refusals: 0 })
      .where('environment_id', '=', use.environmentId)
      .where('id', '=', use.id)
      .where((e) =>
        e.or([
          e('refusals', '>', 0),
          e('last_used_at', 'is', null),
          e('last_used_at', '<=', use.aSecondBefore),
        ]),
      ),
);

function filtered(query: Rows, filter: AccountFilter): Rows {
  let out = query;
  if (filter.organizationId !== undefined)
    out = out.where('accounts.organization_id', '=', filter.organizationId);
  if (filter.userId !== undefined) out = out.where('accounts.user_id', '=', filter.userId);
  if (filter.connection !== undefined) out = out.where('connections.name', '=', filter.connection);
  if (filter.connections !== undefined) out = out.where('connections.name', 'in', filter.connections);
  if (filter.connector !== undefined) out = out.where('connections.connector', '=', filter.connector);
  if (filter.identifier !== undefined) out = out.where('accounts.identifier', '=', filter.identifier);
  if (filter.status !== undefined) out = out.where('accounts.status', '=', filter.status);
  if (filter.identifierPrefix !== undefined) {
    const prefix = filter.identifierPrefix;
    out = out.where((e) =>
      e(
        e.fn<string>('substr', ['accounts.identifier', e.lit(1), e.val(Array.from(prefix).length)]),
        '=',
        prefix,
      ),
    );
  }
  return out;
}

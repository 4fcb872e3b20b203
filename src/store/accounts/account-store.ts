/**
 * Connected accounts. Knows SQL and nothing else: no rules, no encryption, no clock.
 *
 * Every statement filters on the environment, and on organization and user if the caller's reach is limited to them.
 */
import type { Kysely } from 'kysely';
import { rows, type Change } from '../engine/rows.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { StoredForm } from '../tables/column-types.ts';
import type { AccountTable, Tables } from '../tables/tables.ts';
import type { PagePosition } from '../../core/page-token.ts';
import { AccountListQuery, type AccountFilter, type AccountGroup } from './account-list-query.ts';
import { accountRows, type Reach } from './account-rows.ts';
import { accountOf, grantOf, type Account, type StoredGrant } from './account.ts';

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
    const found = await accountRows(this.#db, reach)
      .where('accounts.connection_id', '=', connectionId)
      .where('accounts.organization_id', '=', owner.organizationId)
      .where('accounts.user_id', '=', owner.userId)
      .orderBy('accounts.created_at')
      .orderBy('accounts.id')
      .execute();
    return found.map(accountOf);
  }

  /** Up to `limit` accounts of all owners with an identifier at one connection. */
  async listNamed(reach: Reach, connectionId: string, identifier: string, limit: number): Promise<Account[]> {
    const found = await accountRows(this.#db, reach)
      .where('accounts.connection_id', '=', connectionId)
      .where('accounts.identifier', '=', identifier)
      .limit(limit)
      .execute();
    return found.map(accountOf);
  }

  /** All accounts of one owner, oldest first. */
  async listOfOwner(
    environmentId: string,
    { userId, organizationId }: { userId: string; organizationId: string },
  ): Promise<Account[]> {
    const found = await accountsOfOwner(this.#db, { environmentId, userId, organizationId });
    return found.map(accountOf);
  }

  /** Up to `limit` accounts from a position, in list order for `next`, in the opposite one for `prev`. */
  async page(
    reach: Reach,
    filter: AccountFilter,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<Account[]> {
    const list = await AccountListQuery.of(this.#db, reach, filter);
    return (await list.page(position, limit)).map(accountOf);
  }

  /** @param atMost counting stops there */
  async count(reach: Reach, filter: AccountFilter, atMost: number): Promise<number> {
    const list = await AccountListQuery.of(this.#db, reach, filter);
    return list.count(atMost);
  }

  /** Counts each group. @param atMost counting stops there @returns in the order of the groups */
  async counts(reach: Reach, groups: readonly AccountGroup[], atMost: number): Promise<number[]> {
    return AccountListQuery.counts(this.#db, reach, groups, atMost);
  }

  /** @see AccountListQuery.expiredSince */
  async expiredSince(
    reach: Reach,
    connectionId: string | undefined,
    lookedAt: number,
  ): Promise<number | undefined> {
    return AccountListQuery.expiredSince(this.#db, reach, connectionId, lookedAt);
  }

  /** Catalog connectors that have an account or a connection made by the operator. */
  async connectorsInUse(environmentId: string): Promise<string[]> {
    const found = await this.#db
      .selectFrom('connections')
      .select('connector')
      .where('environment_id', '=', environmentId)
      .where((e) =>
        e.or([
          e('managed_by', '!=', 'catalog'),
          // Not `exists`, and in an order: Postgres would read all accounts for a connection that has few.
          e(
            e
              .selectFrom('accounts')
              .select('accounts.id')
              .whereRef('accounts.connection_id', '=', 'connections.id')
              .where('accounts.environment_id', '=', environmentId)
              .orderBy('accounts.created_at')
              .limit(1),
            'is not',
            null,
          ),
        ]),
      )
      .execute();
    return [...new Set(found.map((row) => row.connector))];
  }

  /** Catalog connectors at which a user has an ACTIVE account of their own, each once. */
  async connectorsOf(environmentId: string, userId: string): Promise<string[]> {
    const found = await this.#db
      .selectFrom('accounts')
      .innerJoin('connections', 'connections.id', 'accounts.connection_id')
      .select('connections.connector')
      .distinct()
      .where('accounts.environment_id', '=', environmentId)
      .where('connections.environment_id', '=', environmentId)
      .where('accounts.user_id', '=', userId)
      .where('accounts.status', '=', 'ACTIVE')
      .execute();
    return found.map((row) => row.connector);
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
    change: Change<'accounts'>,
    generation?: number,
  ): Promise<boolean> {
    return rows(this.#db, 'accounts').update(environmentId, id, change, { generation });
  }

  /**
   * Records the time of a successful call, to the second, so that a busy row is not written with every call.
   *
   * `updated_at` stays: neither credentials nor configuration have changed.
   */
  async touch(environmentId: string, id: string, at: number): Promise<void> {
    await noteUse(this.#db, { environmentId, id, at, aSecondBefore: at - 1_000 });
  }
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

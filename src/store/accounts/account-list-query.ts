/** Lists of accounts: which rows a filter means, and how a page of them is read without looking at all of them. */
import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { PagePosition } from '../../core/page-token.ts';
import {
  BY_IDENTIFIER,
  byAge,
  countingUpTo,
  countUpTo,
  rowsFrom,
  type Among,
  type KeysetList,
} from '../engine/keyset.ts';
import { endOfPrefix } from '../engine/text-range.ts';
import type { Tables } from '../tables/tables.ts';
import { accountRows, type Reach } from './account-rows.ts';
import type { AccountRow } from './account.ts';

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
  /** Beginning of the identifier. Such a list is in order of identifiers: no index has accounts of a range by age. */
  identifierPrefix?: string | undefined;
  status?: AccountStatus | undefined;
}

/** Accounts of a connection, in a status; absent members do not filter. */
export interface AccountGroup {
  connectionId?: string | undefined;
  status?: AccountStatus | undefined;
}

/** One list of accounts, with the ids of the connections that its filter names. */
export class AccountListQuery {
  readonly #db: Kysely<Tables>;
  readonly #reach: Reach;
  readonly #filter: AccountFilter;
  readonly #among: Among | undefined;

  private constructor(db: Kysely<Tables>, reach: Reach, filter: AccountFilter, among: Among | undefined) {
    this.#db = db;
    this.#reach = reach;
    this.#filter = filter;
    this.#among = among;
  }

  static async of(db: Kysely<Tables>, reach: Reach, filter: AccountFilter): Promise<AccountListQuery> {
    return new AccountListQuery(db, reach, filter, await connectionsOf(db, reach.environmentId, filter));
  }

  /** Counts several groups of accounts in one statement, each up to `atMost`. @returns in the order of the groups */
  static async counts(
    db: Kysely<Tables>,
    reach: Reach,
    groups: readonly AccountGroup[],
    atMost: number,
  ): Promise<number[]> {
    if (groups.length === 0) return [];
    const counted = groups.map(({ connectionId, status }, place) => {
      const among =
        connectionId === undefined ? undefined : { column: 'connection_id', values: [connectionId] };
      const list = new AccountListQuery(db, reach, { status }, among).#list();
      return sql`(${countingUpTo(list, atMost)}) as ${sql.ref(`n${place}`)}`;
    });
    const { rows } = await sql<Readonly<Record<string, number>>>`select ${sql.join(counted)}`.execute(db);
    return groups.map((_, place) => rows[0]?.[`n${place}`] ?? 0);
  }

  /**
   * When the first of the expired accounts, or of the newest `lookedAt` of them, lost its access: Unix milliseconds;
   * `undefined` where none has. A later expiry of one that was connected again counts.
   */
  static async expiredSince(
    db: Kysely<Tables>,
    reach: Reach,
    connectionId: string | undefined,
    lookedAt: number,
  ): Promise<number | undefined> {
    const lost = db
      .selectFrom('accounts')
      .select((e) =>
        e
          .selectFrom('account_events')
          .select((of) => of.fn.max('account_events.at').as('last'))
          .where('account_events.environment_id', '=', reach.environmentId)
          .whereRef('account_events.account_id', '=', 'accounts.id')
          .where('account_events.to_status', '=', 'EXPIRED')
          .where((of) =>
            of.or([
              of('account_events.from_status', 'is', null),
              of('account_events.from_status', '!=', 'EXPIRED'),
            ]),
          )
          .as('at'),
      )
      .where('accounts.environment_id', '=', reach.environmentId)
      .where((e) => e.and(limitsOf(e, reach, { status: 'EXPIRED' })))
      .where((e) => e.and(connectionId === undefined ? [] : [e('accounts.connection_id', '=', connectionId)]))
      .orderBy('accounts.created_at', 'desc')
      .orderBy('accounts.id', 'desc')
      .limit(lookedAt);
    const { rows } = await sql<{
      at: number | null;
    }>`select min(lost.at) as at from (${lost}) as lost`.execute(db);
    return rows[0]?.at ?? undefined;
  }

  /** Up to `limit` rows from a position, in list order for `next`, in the opposite one for `prev`. */
  async page(position: PagePosition | undefined, limit: number): Promise<AccountRow[]> {
    const rows = accountRows(this.#db, this.#reach).where((e) =>
      e.and(limitsOf(e, this.#reach, this.#filter)),
    );
    return rowsFrom(rows, this.#list(), { position, limit });
  }

  /** Counts the accounts, but no more than `atMost` of them. */
  async count(atMost: number): Promise<number> {
    return countUpTo(this.#list(), atMost);
  }

  #list(): KeysetList<Tables, 'accounts'> {
    const { identifierPrefix: prefix = '' } = this.#filter;
    const range = { from: prefix, until: endOfPrefix(prefix) };
    return {
      db: this.#db,
      table: 'accounts',
      ...(prefix === '' ? { order: byAge('created_at') } : { order: BY_IDENTIFIER, range }),
      matches: () =>
        this.#db
          .selectFrom('accounts')
          .where('accounts.environment_id', '=', this.#reach.environmentId)
          .where((e) => e.and(limitsOf(e, this.#reach, this.#filter))),
      among: this.#among,
    };
  }
}

/** Whether a list is one of accounts whose identifiers begin with a text, in their order. */
export function hasPrefix({ identifierPrefix = '' }: AccountFilter): boolean {
  return identifierPrefix !== '';
}

/** Ids of the connections that a filter names; `undefined` where it names none. */
async function connectionsOf(
  db: Kysely<Tables>,
  environmentId: string,
  { connection, connections, connector }: AccountFilter,
): Promise<Among | undefined> {
  if (connection === undefined && connections === undefined && connector === undefined) return undefined;
  const found = await db
    .selectFrom('connections')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where((e) =>
      e.and([
        ...(connection === undefined ? [] : [e('name', '=', connection)]),
        ...(connections === undefined ? [] : [e('name', 'in', connections)]),
        ...(connector === undefined ? [] : [e('connector', '=', connector)]),
      ]),
    )
    .execute();
  return { column: 'connection_id', values: found.map(({ id }) => id) };
}

/** Conditions on one value each. */
function limitsOf(
  e: ExpressionBuilder<Tables, 'accounts'>,
  reach: Reach,
  filter: AccountFilter,
): Expression<SqlBool>[] {
  const { users, organizations } = ownersOf(reach, filter);
  const { identifier, status } = filter;
  return [
    ...users.map((userId) => e('accounts.user_id', '=', userId)),
    ...organizations.map((organizationId) => e('accounts.organization_id', '=', organizationId)),
    ...(identifier === undefined ? [] : [e('accounts.identifier', '=', identifier)]),
    ...(status === undefined ? [] : [e('accounts.status', '=', status)]),
  ];
}

/**
 * Users and organizations that reach and filter name. Who names one of the two gets the other one as absent: no account
 * belongs to both, and the indexes have both.
 */
function ownersOf(reach: Reach, filter: AccountFilter): { users: string[]; organizations: string[] } {
  const users = distinct(reach.userId, filter.userId);
  const organizations = distinct(reach.organizationId, filter.organizationId);
  const isNamed = (id: string): boolean => id !== '';
  if (organizations.length === 0 && users.some(isNamed)) organizations.push('');
  else if (users.length === 0 && organizations.some(isNamed)) users.push('');
  return { users, organizations };
}

function distinct(...ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== undefined);
}

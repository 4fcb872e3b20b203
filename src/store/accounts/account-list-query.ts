/** Lists of accounts: which rows a filter means, and how a page of them is read without looking at all of them. */
import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { PagePosition } from '../../core/page-token.ts';
import { beyond, countOf, rowsFrom, type Among, type TimeRange } from '../engine/keyset.ts';
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
  /** Prefix of the identifier. */
  identifierPrefix?: string | undefined;
  status?: AccountStatus | undefined;
}

/** So many accounts are put in order after they were found by their identifiers. */
const MAX_SORTED = 5_000;

/** So many accounts are looked at by age for identifiers that begin with a text. */
const MAX_LOOKED_AT = 5_000;

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

  /** Up to `limit` rows from a position, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(position: PagePosition | undefined, limit: number): Promise<AccountRow[]> {
    const { identifierPrefix: prefix = '' } = this.#filter;
    if (prefix === '') return this.#inOrder(position, limit);
    // No index orders by time what begins with a text. Few such accounts are sorted; many are usually met soon by age.
    if ((await this.count(MAX_SORTED + 1)) > MAX_SORTED) {
      const range = await this.#nearest(position);
      const found = await this.#inOrder(position, limit, { prefix, range });
      if (found.length === limit || range === undefined) return found;
    }
    return this.#sorted(position, limit);
  }

  /** Counts the accounts, but no more than `atMost` of them. */
  async count(atMost?: number): Promise<number> {
    const matches = this.#ofConnections();
    return countOf(this.#db, atMost === undefined ? matches : matches.limit(atMost));
  }

  /** The time of the accounts next to a position, as many as are looked at; `undefined` if no more are left. */
  async #nearest(position: PagePosition | undefined): Promise<TimeRange | undefined> {
    const isBackwards = position?.direction === 'prev';
    const order = isBackwards ? 'asc' : 'desc';
    let all = this.#db
      .selectFrom('accounts')
      .select('created_at')
      .where('environment_id', '=', this.#reach.environmentId);
    if (position !== undefined) all = all.where(beyond(sql`(accounts.created_at, accounts.id)`, position));
    const ordered = all.orderBy('created_at', order).orderBy('id', order);
    const last = await ordered.limit(1).offset(MAX_LOOKED_AT).executeTakeFirst();
    if (last === undefined) return undefined;
    return isBackwards ? { until: last.created_at + 1 } : { from: last.created_at };
  }

  async #inOrder(
    position: PagePosition | undefined,
    limit: number,
    { prefix, range }: { prefix?: string; range?: TimeRange | undefined } = {},
  ): Promise<AccountRow[]> {
    const rows = accountRows(this.#db, this.#reach).where((e) => {
      const limits = limitsOf(e, this.#reach, this.#filter);
      // The form keeps both databases from searching by the prefix, which would end in sorting all matches.
      if (prefix !== undefined)
        limits.push(sql<SqlBool>`substr(accounts.identifier, 1, ${Array.from(prefix).length}) = ${prefix}`);
      return e.and(limits);
    });
    return rowsFrom(rows, {
      table: 'accounts',
      timeColumn: 'created_at',
      among: this.#among,
      range,
      position,
      limit,
    });
  }

  async #sorted(position: PagePosition | undefined, limit: number): Promise<AccountRow[]> {
    const order = position?.direction === 'prev' ? 'asc' : 'desc';
    // An expression, so that the databases search by the prefix and not by age.
    const age = sql`accounts.created_at + 0`;
    let matches = this.#ofConnections().orderBy(age, order).orderBy('accounts.id', order).limit(limit);
    if (position !== undefined) matches = matches.where(beyond(sql`(${age}, accounts.id)`, position));
    const ids = (await matches.execute()).map(({ id }) => id);
    if (ids.length === 0) return [];
    const found = await accountRows(this.#db, this.#reach).where('accounts.id', 'in', ids).execute();
    const rows = new Map(found.map((row) => [row.id, row]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  #ofConnections() {
    const matches = this.#db
      .selectFrom('accounts')
      .select('accounts.id')
      .where('accounts.environment_id', '=', this.#reach.environmentId)
      .where((e) => e.and([...limitsOf(e, this.#reach, this.#filter), ...rangeOf(e, this.#filter)]));
    const ids = this.#among?.values;
    if (ids === undefined) return matches;
    return ids.length === 0
      ? matches.where(sql<SqlBool>`false`)
      : matches.where('accounts.connection_id', 'in', ids);
  }
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

function rangeOf(
  e: ExpressionBuilder<Tables, 'accounts'>,
  { identifierPrefix: prefix = '' }: AccountFilter,
): Expression<SqlBool>[] {
  if (prefix === '') return [];
  const end = endOfPrefix(prefix);
  return [
    e('accounts.identifier', '>=', prefix),
    ...(end === undefined ? [] : [e('accounts.identifier', '<', end)]),
  ];
}

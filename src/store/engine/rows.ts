/**
 * Statements that all tables share: find, list, count, insert, change and delete rows.
 *
 * Each statement names the environment, so that no method reaches a row of another one. Leases, joins and prepared
 * queries are not here; each has a place next to its table.
 */
import {
  expressionBuilder,
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  type UpdateType,
} from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import type { Readable } from './database.ts';
import {
  byAge,
  countOf,
  countUpTo,
  rowsFrom,
  timeOf,
  type Among,
  type Keyed,
  type KeyRange,
  type KeysetPage,
} from './keyset.ts';
import type { ReadForm, StoredForm } from '../tables/column-types.ts';
import type { Tables } from '../tables/tables.ts';

/** Tables whose rows have an id, an environment and a time of creation. */
export type RowTable = {
  [T in keyof Tables]: Tables[T] extends { id: string; environment_id: string } ? T : never;
}[keyof Tables];

/** Tables that call the time of creation `at` instead of `created_at`. */
const TIMED_BY_AT: { readonly [T in RowTable as 'at' extends keyof Tables[T] ? T : never]: true } = {
  account_events: true,
  audit: true,
  executions: true,
  interceptor_logs: true,
};

/** Stored values that columns have. `null` matches rows without a value. */
export type Values<T extends RowTable> = {
  readonly [C in keyof Tables[T]]?: StoredForm<Tables[T]>[C];
};

/** A choice among the rows of an environment: values, or a condition. A column that is `undefined` does not limit anything. */
export type Where<T extends RowTable> =
  | { readonly [C in keyof Tables[T]]?: StoredForm<Tables[T]>[C] | undefined }
  | ((e: ExpressionBuilder<Tables, T>) => Expression<SqlBool>);

/** Columns to write, in their stored form. A row keeps its id and its environment. */
export type Change<T extends RowTable> = {
  readonly [C in Exclude<keyof Tables[T], 'id' | 'environment_id'>]?: UpdateType<Tables[T][C]>;
};

/** The columns that the statements below use. The types above check the names that callers give. */
interface AnyTable {
  id: string;
  environment_id: string;
  [column: string]: unknown;
}

/** The rows of one table in `db`, which is a transaction or `Database.read`. */
export function rows<T extends RowTable>(db: Readable, table: T): Rows<T> {
  return new Rows(db, table);
}

class Rows<T extends RowTable> {
  readonly #db: Kysely<Record<string, AnyTable>>;
  readonly #table: string;

  constructor(db: Readable, table: T) {
    this.#db = db as Kysely<Record<string, AnyTable>>;
    this.#table = table;
  }

  async find(environmentId: string, id: string): Promise<ReadForm<Tables[T]> | undefined> {
    return this.#select(environmentId).where('id', '=', id).executeTakeFirst();
  }

  /** A row by other columns than its id. At most one row should match. */
  async findBy(environmentId: string, values: Values<T>): Promise<ReadForm<Tables[T]> | undefined> {
    return this.#select(environmentId, values).executeTakeFirst();
  }

  /** The rows with these ids, in any order. Ids without a row are left out. */
  async findAll(environmentId: string, ids: readonly string[]): Promise<ReadForm<Tables[T]>[]> {
    if (ids.length === 0) return [];
    return this.#select(environmentId).where('id', 'in', ids).execute();
  }

  /** All matching rows, or the first `limit` of them. Without `orderBy` in any order. */
  async list(
    environmentId: string,
    { where, orderBy = [], direction = 'asc', limit }: ListOptions<T> = {},
  ): Promise<ReadForm<Tables[T]>[]> {
    let query = this.#select(environmentId, where);
    for (const column of orderBy) query = query.orderBy(sql.ref(column), direction);
    if (limit !== undefined) query = query.limit(limit);
    return query.execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    { position, limit, ...list }: ListedRows<T> & KeysetPage,
  ): Promise<ReadForm<Tables[T]>[]> {
    const query = this.#select(environmentId, list.where).$castTo<ReadForm<Tables[T]> & Keyed>();
    return rowsFrom(query, this.#list(environmentId, list), { position, limit });
  }

  /** The part of a list that `newestFirst` needs. */
  pages(environmentId: string, where?: Where<T>) {
    return {
      read: async (position: PagePosition | undefined, limit: number) =>
        this.page(environmentId, { where, position, limit }),
      count: async (atMost: number) => this.countUpTo(environmentId, { where }, atMost),
      timeOf,
    };
  }

  /** Counts the rows of a list, but no more than `atMost` of them. */
  async countUpTo(environmentId: string, list: ListedRows<T>, atMost: number): Promise<number> {
    return countUpTo(this.#list(environmentId, list), atMost);
  }

  /** @param atMost counting stops there */
  async count(environmentId: string, where?: Where<T>, atMost?: number): Promise<number> {
    const matches = this.#matches(environmentId, where).select('id');
    return countOf(this.#db, atMost === undefined ? matches : matches.limit(atMost));
  }

  /** Rows in their stored form. A value that has to be unique and is taken fails with an error that `isUniqueViolation` knows. */
  async insert(...stored: readonly StoredForm<Tables[T]>[]): Promise<void> {
    if (stored.length > 0) await this.#db.insertInto(this.#table).values(stored).execute();
  }

  /** Returns false when there is no such row, or when it does not match. A taken value fails as in `insert`. */
  async update(environmentId: string, id: string, change: Change<T>, where?: Where<T>): Promise<boolean> {
    const row = this.#db
      .updateTable(this.#table)
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id);
    const changed = await (where === undefined ? row : row.where(matching(where))).executeTakeFirst();
    return changed.numUpdatedRows === 1n;
  }

  /** Removes a row with everything that belongs to it. Returns false when there is no such row. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom(this.#table)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  #select(environmentId: string, where?: Where<T>) {
    return this.#matches(environmentId, where).selectAll().$castTo<ReadForm<Tables[T]>>();
  }

  #matches(environmentId: string, where?: Where<T>) {
    const all = this.#db.selectFrom(this.#table).where('environment_id', '=', environmentId);
    return where === undefined ? all : all.where(matching(where));
  }

  #list(environmentId: string, { where, among, range }: ListedRows<T>) {
    return {
      db: this.#db,
      table: this.#table,
      order: byAge(this.#table in TIMED_BY_AT ? 'at' : 'created_at'),
      matches: () => this.#matches(environmentId, where),
      among,
      range,
    };
  }
}

interface ListOptions<T extends RowTable> {
  where?: Where<T> | undefined;
  orderBy?: readonly (string & keyof Tables[T])[];
  direction?: 'asc' | 'desc';
  limit?: number;
}

/** The rows of a list that is read in pages. */
interface ListedRows<T extends RowTable> {
  where?: Where<T> | undefined;
  among?: Among | undefined;
  /** Of the time of creation. */
  range?: KeyRange | undefined;
}

function matching<T extends RowTable>(where: Where<T>): Expression<SqlBool> {
  if (typeof where === 'function') return where(expressionBuilder<Tables, T>());
  const e = expressionBuilder<Record<string, AnyTable>, string>();
  const values: [column: string, value: unknown][] = Object.entries(where);
  return e.and(
    values
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => e(column, value === null ? 'is' : '=', value)),
  );
}

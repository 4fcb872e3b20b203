/**
 * The tables of the stand-in warehouse, in an in-memory SQLite database that runs the statements.
 *
 * Every table is an SQLite table under its full name, `SALES.PUBLIC.ORDERS`. Keys are not declared there: the
 * real provider does not enforce them either.
 */
import SqliteHandle from 'better-sqlite3';
import type { Clock } from '../../src/core/clock.ts';
import { CREATED_AT } from './account.ts';
import { FUNCTIONS } from './functions.ts';
import { inProviderWords } from './engine-failure.ts';
import { SqlFailure, unsupported } from './refusal.ts';
import { seedRows } from './seed-rows.ts';
import { MONTHLY_REVENUE_SQL, TABLES, type TableDefinition } from './tables.ts';
import { quoted } from './translate.ts';
import { declaredType, toWire, typeOfValues, type ResultColumn, type StoredValue } from './types.ts';

/** Result of a query. */
export interface ResultTable {
  columns: readonly ResultColumn[];
  /** Values in the form of answers. */
  rows: readonly (readonly (string | null)[])[];
}

/** An existing table. */
export interface StoredTable extends TableDefinition {
  /** Name in SQLite. */
  id: string;
  /** `YYYY-MM-DD HH:MM:SS.mmm`, the stored form of timestamps. */
  createdAt: string;
  changedAt: string;
}

/** Maximum number of rows. */
const MAX_ROWS = 100_000;

/** Tables by their full names, and the database engine that holds them. */
export class WarehouseDatabase {
  readonly #sqlite = new SqliteHandle(':memory:');
  readonly #clock: Clock;
  readonly #tables = new Map<string, StoredTable>();

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const { name, arity, call } of FUNCTIONS)
      this.#sqlite.function(name, { deterministic: true }, withArity(arity, call));
    for (const name of ['SF_CURRENT_TIMESTAMP', 'SYSDATE', 'GETDATE']) this.define(name, () => this.now());
    this.define('SF_CURRENT_DATE', () => this.now().slice(0, 10));
    this.define('SF_CURRENT_TIME', () => this.now().slice(11));
    const rows = seedRows();
    this.#sqlite.transaction(() => {
      for (const table of TABLES) {
        this.add(table, CREATED_AT);
        const id = idOf(table);
        const marks = table.columns.map(() => '?').join(', ');
        if (rows[id] === undefined) continue;
        const insert = this.#sqlite.prepare(`INSERT INTO ${quoted(id)} VALUES (${marks})`);
        for (const row of rows[id]) insert.run(row);
      }
    })();
  }

  /** Defines a function without arguments that depends on the caller; the last definition counts. */
  define(name: string, call: () => string): void {
    this.#sqlite.function(name, call);
  }

  /** Sorted by full name. */
  tables(): StoredTable[] {
    return [...this.#tables.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** The table with a full name. */
  find(database: string, schema: string, name: string): StoredTable | undefined {
    return this.#tables.get(idOf({ database, schema, name }));
  }

  /** @param at `YYYY-MM-DD HH:MM:SS.mmm`; default: now */
  add(table: TableDefinition, at: string = this.now()): StoredTable {
    const id = idOf(table);
    if (table.kind === 'VIEW') this.#sqlite.exec(`CREATE VIEW ${quoted(id)} AS ${MONTHLY_REVENUE_SQL}`);
    else this.#sqlite.exec(`CREATE TABLE ${quoted(id)} (${table.columns.map(columnSql).join(', ')})`);
    const stored = { ...table, id, createdAt: at, changedAt: at };
    this.#tables.set(id, stored);
    return stored;
  }

  /** Drops it with its content. */
  drop({ id, kind }: StoredTable): void {
    this.#sqlite.exec(`DROP ${kind} ${quoted(id)}`);
    this.#tables.delete(id);
  }

  /** Marks a table as changed now. */
  touch(table: StoredTable): void {
    this.#tables.set(table.id, { ...table, changedAt: this.now() });
  }

  /** Number of rows in a table; null for a view. */
  rowCount({ id, kind }: StoredTable): number | null {
    if (kind === 'VIEW') return null;
    return (
      this.#sqlite
        .prepare<[], number>(`SELECT count(*) FROM ${quoted(id)}`)
        .pluck()
        .get() ?? 0
    );
  }

  /** Stores generated rows under a name that queries can read, and replaces earlier ones. */
  publish(
    id: string,
    columns: readonly string[],
    rows: readonly (readonly (string | number | null)[])[],
  ): void {
    this.#sqlite.exec(
      `DROP TABLE IF EXISTS ${quoted(id)}; CREATE TABLE ${quoted(id)} (${columns.join(', ')})`,
    );
    const insert = this.#sqlite.prepare(
      `INSERT INTO ${quoted(id)} VALUES (${columns.map(() => '?').join(', ')})`,
    );
    this.#sqlite.transaction(() => rows.forEach((row) => insert.run(row)))();
  }

  /** @param source the text as sent, for positions in messages. @throws SqlFailure */
  query(sql: string, values: readonly StoredValue[], source: string): ResultTable {
    return this.#attempt(source, () => {
      const statement = this.#sqlite.prepare<StoredValue[], StoredValue[]>(sql);
      if (!statement.reader) throw unsupported('statement without rows');
      const rows: StoredValue[][] = [];
      for (const row of statement
        .raw()
        .safeIntegers()
        .iterate(...values)) {
        rows.push(row);
        if (rows.length > MAX_ROWS) throw unsupported(`result of more than ${MAX_ROWS} rows`);
      }
      const columns = statement.columns().map((column, i): ResultColumn => {
        const table = this.#tables.get(column.table ?? '');
        const type =
          column.type === null ? typeOfValues(rows.map((row) => row[i] ?? null)) : declaredType(column.type);
        return {
          name: inProviderName(column.name),
          ...type,
          nullable: table?.columns.find(({ name }) => name === column.column)?.isNullable ?? true,
          database: table?.database ?? '',
          schema: table?.schema ?? '',
          table: table?.name ?? '',
          collation: null,
        };
      });
      return {
        columns,
        rows: rows.map((row) => columns.map((column, i) => toWire(row[i] ?? null, column))),
      };
    });
  }

  /** Checks a statement without running it. @param source as in `query`. @throws SqlFailure */
  compile(sql: string, source: string): void {
    this.#attempt(source, () => this.#sqlite.prepare(sql));
  }

  /**
   * @param runs values of each run; usually one run without values. @returns number of changed rows. @throws
   * SqlFailure
   */
  change(sql: string, runs: readonly (readonly StoredValue[])[], source: string): number {
    return this.#attempt(source, () => {
      const statement = this.#sqlite.prepare<StoredValue[]>(sql);
      if (statement.reader) throw unsupported('RETURNING');
      let changed = 0;
      for (const values of runs) changed += statement.run(...values).changes;
      return changed;
    });
  }

  /** Runs `BEGIN`, `COMMIT` or `ROLLBACK`; does nothing if there is no transaction to end, or already one. */
  transaction(verb: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): void {
    if (this.#sqlite.inTransaction === (verb === 'BEGIN')) return;
    this.#sqlite.exec(verb);
  }

  /** The current time as `YYYY-MM-DD HH:MM:SS.mmm`. */
  now(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 23).replace('T', ' ');
  }

  #attempt<Result>(source: string, action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw error instanceof SqlFailure ? error : inProviderWords(error, source);
    }
  }
}

function idOf({ database, schema, name }: Pick<TableDefinition, 'database' | 'schema' | 'name'>): string {
  return `${database}.${schema}.${name}`;
}

function columnSql({ name, type, isNullable, defaultValue }: TableDefinition['columns'][number]): string {
  const byDefault = defaultValue === null ? '' : ` DEFAULT ${defaultValue}`;
  return `${quoted(name)} ${type}${isNullable ? '' : ' NOT NULL'}${byDefault}`;
}

/** The name of a computed column is its text, as sent. */
function inProviderName(name: string): string {
  return (
    name
      .replaceAll('* 1.0 /', '/')
      .replaceAll(/\bSF_(?=[A-Z])/g, '')
      .replaceAll(' MATCH ', ' ILIKE ')
      // Columns of VALUES.
      .replace(/^column(?=\d+$)/, 'COLUMN')
      .replaceAll('GROUP_CONCAT', 'LISTAGG')
  );
}

/** better-sqlite3 takes the number of a function's arguments from its parameter list. */
function withArity(arity: number, call: (...values: StoredValue[]) => StoredValue) {
  type Value = StoredValue;
  if (arity === 1) return (a: Value) => call(a);
  if (arity === 2) return (a: Value, b: Value) => call(a, b);
  if (arity === 3) return (a: Value, b: Value, c: Value) => call(a, b, c);
  throw new Error(`no function takes ${arity} arguments`);
}

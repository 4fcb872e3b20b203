/**
 * Queries of the call path, built and compiled once: kysely takes longer to build them than SQLite to run
 * them.
 *
 * Use it for queries that every tool call makes; elsewhere a plain query reads better.
 */
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

type Value = string | number | null;

/** Placeholder in the compiled query for a value that is supplied when it runs. */
class Parameter {
  readonly row: number;
  readonly name: string;

  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

function parametersOf<V extends object>(row: number): V {
  return new Proxy({} as V, { get: (_target, name) => new Parameter(row, String(name)) });
}

/**
 * Returns a function that runs the query with the given values, on a database or in a transaction.
 *
 * @param build builds the query, once per dialect; it may place the values but not look at them
 */
export function preparedQuery<V extends Readonly<Record<keyof V, Value>>, R>(
  build: (db: Kysely<Tables>, values: V) => Compilable<R>,
): (db: Kysely<Tables>, values: V) => Promise<R[]> {
  const run = preparedForRows<V, R>(1, (db) => build(db, parametersOf(0)));
  return async (db, values) => run(db, [values]);
}

/**
 * The same for a query that takes the values of several rows.
 *
 * @param count number of rows that the query takes, always the same
 */
export function preparedForRows<V extends Readonly<Record<keyof V, Value>>, R>(
  count: number,
  build: (db: Kysely<Tables>, rows: readonly V[]) => Compilable<R>,
): (db: Kysely<Tables>, rows: readonly V[]) => Promise<R[]> {
  const compiled = new WeakMap<object, CompiledQuery<R>>();
  return async (db, rows) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(
        db,
        Array.from({ length: count }, (_, row) => parametersOf<V>(row)),
      ).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Parameter ? rows[parameter.row]?.[parameter.name as keyof V] : parameter,
    );
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}

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
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const PARAMETERS = new Proxy({}, { get: (_target, name) => new Parameter(String(name)) });

/**
 * Returns a function that runs the query with the given values, on a database or in a transaction.
 *
 * @param build builds the query, once per dialect; it may place the values but not look at them
 */
export function preparedQuery<V extends Readonly<Record<keyof V, Value>>, R>(
  build: (db: Kysely<Tables>, values: V) => Compilable<R>,
): (db: Kysely<Tables>, values: V) => Promise<R[]> {
  const compiled = new WeakMap<object, CompiledQuery<R>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(db, PARAMETERS as V).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Parameter ? values[parameter.name as keyof V] : parameter,
    );
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}

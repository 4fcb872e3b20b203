/**
 * Decodes flags and JSON in the rows that queries return. Runs on every connection that open.ts makes.
 *
 * A column is decoded by its table and name, never by its value: `scopes` is JSON in `connections` and text
 * in `credentials`. Statements in plain SQL and computed columns are not decoded.
 */
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  SelectAllNode,
  TableNode,
  sql,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RawBuilder,
  type RootOperationNode,
  type SelectType,
  type SelectionNode,
  type UnknownRow,
} from 'kysely';
import { DECODED_COLUMNS, type StoredAs } from '../tables/decoded-columns.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { DatabaseError } from './database-errors.ts';
import type { Tables } from '../tables/tables.ts';

/** Decoded columns by table. */
const COLUMNS: ReadonlyMap<string, Readonly<Record<string, StoredAs>>> = new Map(
  Object.entries(DECODED_COLUMNS),
);

/** Columns of a result that are decoded: the name they have there, and the table and column they come from. */
type Decoded = readonly (readonly [name: string, as: StoredAs, table: string, column: string])[];

/** Tables of a query, by their name in the query. */
type Sources = ReadonlyMap<string, string>;

class RowReader implements KyselyPlugin {
  /** By query. The entry of a prepared query lives as long as the query. */
  readonly #decoded = new WeakMap<object, Decoded>();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const decoded = decodedColumns(node);
    const before = this.#decoded.get(queryId);
    // Queries built from one builder share an id in kysely, so their decoded columns must be the same.
    if (before !== undefined && !isSame(before, decoded))
      throw new Error('two queries with different columns were built from one: begin each with selectFrom');
    this.#decoded.set(queryId, decoded);
    return node;
  }

  async transformResult({ result, queryId }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const decoded = this.#decoded.get(queryId);
    if (decoded === undefined || decoded.length === 0) return result;
    // Rows are fresh from the driver, so they are changed in place.
    for (const row of result.rows)
      for (const [name, as, table, column] of decoded) {
        try {
          row[name] = decodedValue(as, row[name]);
        } catch {
          throw unreadable(table, column, row['id']);
        }
      }
    return result;
  }
}

/** The row reader of all connections. */
export const ROW_READER: KyselyPlugin = new RowReader();

/**
 * Stored columns in the form in which they are read, for answers that show what was just written.
 *
 * @param columns in their stored form
 */
export function asRead<T extends keyof Tables, Columns extends Partial<StoredForm<Tables[T]>>>(
  table: T,
  columns: Columns,
): { [C in keyof Columns]: C extends keyof Tables[T] ? SelectType<Tables[T][C]> : Columns[C] };
export function asRead(table: string, columns: Readonly<Record<string, unknown>>): unknown {
  const decoded = COLUMNS.get(table) ?? {};
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => {
      const as = decoded[name];
      return [name, as === undefined ? value : decodedValue(as, value)];
    }),
  );
}

/** The wanted columns, in their stored form, that differ from the row. */
export function changedColumns<Columns extends object>(
  table: keyof Tables,
  row: Readonly<Partial<Record<keyof Columns, unknown>>>,
  wanted: Columns,
): Partial<Columns> {
  const decoded = COLUMNS.get(table) ?? {};
  const changed: Partial<Columns> = {};
  for (const name in wanted)
    if (storedValue(decoded[name], row[name]) !== wanted[name]) changed[name] = wanted[name];
  return changed;
}

/** A flag in a `where`, in its stored form: SQLite binds no booleans. */
export function storedFlag(flag: boolean): RawBuilder<boolean> {
  return sql<boolean>`${flag ? 1 : 0}`;
}

/**
 * The error of a read whose JSON cannot be parsed. Only a damaged or hand-edited database holds such a value.
 *
 * The whole read fails, a list with all its rows. A list without the row would look complete: a webhook would not be
 * called, a restriction would not hold, and the next change could overwrite what is left. The parser's own error is
 * dropped, because it quotes the content.
 *
 * @param id of the row as read; in a join it may be that of another table's row
 */
function unreadable(table: string, column: string, id: unknown): DatabaseError {
  const row = typeof id === 'string' ? ` (row read with id ${id})` : '';
  return new DatabaseError(
    `The column ${column} of the table ${table} holds a value that is not JSON${row}. Correct it, or restore a backup.`,
  );
}

/** null comes from an outer join without a matching row. */
function decodedValue(as: StoredAs, value: unknown): unknown {
  if (as === 'flag') return value === null ? null : value === 1;
  return typeof value === 'string' ? JSON.parse(value) : value;
}

function storedValue(as: StoredAs | undefined, value: unknown): unknown {
  if (as === undefined) return value;
  return as === 'flag' ? Number(value) : JSON.stringify(value);
}

function isSame(one: Decoded, other: Decoded): boolean {
  return (
    one.length === other.length &&
    one.every((column, i) => column.every((member, at) => member === other[i]?.[at]))
  );
}

/** Columns of a query's result that are decoded; none for statements that return no rows. */
function decodedColumns(node: RootOperationNode): Decoded {
  switch (node.kind) {
    case 'SelectQueryNode':
      return decodedIn(
        [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)],
        node.selections,
      );
    case 'InsertQueryNode':
      return decodedIn(node.into === undefined ? [] : [node.into], node.returning?.selections);
    case 'UpdateQueryNode':
      return decodedIn(node.table === undefined ? [] : [node.table], node.returning?.selections);
    case 'DeleteQueryNode':
      return decodedIn(node.from.froms, node.returning?.selections);
    default:
      return [];
  }
}

function decodedIn(tables: readonly OperationNode[], selections: readonly SelectionNode[] = []): Decoded {
  if (selections.length === 0) return [];
  const sources = new Map(tables.map(sourceOf));
  return selections.flatMap(({ selection }) => decodedSelection(selection, sources));
}

/** A table with the name it has in the query. */
function sourceOf(node: OperationNode): [name: string, table: string] {
  if (TableNode.is(node)) return [tableName(node), tableName(node)];
  if (AliasNode.is(node) && TableNode.is(node.node) && IdentifierNode.is(node.alias))
    return [node.alias.name, tableName(node.node)];
  throw new Error('a query returns columns of something other than a table: they could not be decoded');
}

function tableName({ table }: TableNode): string {
  return table.identifier.name;
}

function decodedSelection(selection: OperationNode, sources: Sources): Decoded {
  if (SelectAllNode.is(selection)) return [...sources.values()].flatMap(allOf);
  if (AliasNode.is(selection)) {
    const { node, alias } = selection;
    return ReferenceNode.is(node) && IdentifierNode.is(alias) ? decodedAs(node, sources, alias.name) : [];
  }
  if (!ReferenceNode.is(selection)) return [];
  const { column, table } = selection;
  if (!ColumnNode.is(column)) return table === undefined ? [] : allOf(sources.get(tableName(table)) ?? '');
  return decodedAs(selection, sources, column.column.name);
}

function allOf(table: string): Decoded {
  return Object.entries(COLUMNS.get(table) ?? {}).map(([name, as]) => [name, as, table, name]);
}

/**
 * A column with its name in the result. A column name without a table belongs to only one table, otherwise the
 * database refuses the statement.
 */
function decodedAs({ column, table }: ReferenceNode, sources: Sources, as: string): Decoded {
  if (!ColumnNode.is(column)) return [];
  const { name } = column.column;
  for (const source of table === undefined ? sources.values() : [sources.get(tableName(table)) ?? '']) {
    const stored = COLUMNS.get(source)?.[name];
    if (stored !== undefined) return [[as, stored, source, name]];
  }
  return [];
}

/** Shared parts of all SHOW commands: their context, and the table they return. */
import { declaredType, toWire } from './types.ts';
import type { ResultTable, WarehouseDatabase } from './database.ts';
import type { Session } from './session.ts';

/** Context of a SHOW command. */
export interface ShowContext {
  warehouse: WarehouseDatabase;
  session: Session;
  /** The text as sent, for positions in messages. */
  source: string;
}

/** A value in the result of a SHOW. */
export type Cell = string | null;

/**
 * Rows with columns spelled as by the provider; a column that ends in `_on` is a time, all others are text.
 */
export function table(columns: string, rows: readonly (readonly Cell[])[]): ResultTable {
  const types = columns.split(' ').map((name) => {
    const isTime = name.endsWith('_on') && !name.startsWith('granted');
    return [name, isTime ? 'TIMESTAMP_LTZ(9)' : 'VARCHAR(16777216)'] as const;
  });
  return typedTable(types, rows);
}

/** Rows with columns of their own types. */
export function typedTable(
  columns: readonly (readonly [name: string, type: string])[],
  rows: readonly (readonly Cell[])[],
): ResultTable {
  const types = columns.map(([name, type]) => ({ name, ...declaredType(type) }));
  const place = { nullable: true, database: '', schema: '', table: '', collation: null };
  return {
    columns: types.map((type) => ({ ...type, ...place })),
    rows: rows.map((row) => types.map((type, i) => toWire(row[i] ?? null, type))),
  };
}

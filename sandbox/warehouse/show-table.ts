/** What all SHOW commands share: what they need, and the table they answer with. */
import { declaredType, toWire } from './types.ts';
import type { ResultTable, WarehouseDatabase } from './database.ts';
import type { Session } from './session.ts';

/** What a SHOW needs beside its words. */
export interface ShowContext {
  warehouse: WarehouseDatabase;
  session: Session;
  /** For places in messages. */
  source: string;
}

/** A value of a SHOW. */
export type Cell = string | null;

/** Rows with columns in the provider's spelling; one that ends in `_on` is a time, all others are text. */
export function table(columns: string, rows: readonly (readonly Cell[])[]): ResultTable {
  const types = columns.split(' ').map((name) => {
    const isTime = name.endsWith('_on') && !name.startsWith('granted');
    return { name, ...declaredType(isTime ? 'TIMESTAMP_LTZ(9)' : 'VARCHAR(16777216)') };
  });
  const place = { nullable: true, database: '', schema: '', table: '', collation: null };
  return {
    columns: types.map((type) => ({ ...type, ...place })),
    rows: rows.map((row) => types.map((type, i) => toWire(row[i] ?? null, type))),
  };
}

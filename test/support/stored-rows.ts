/** Rows that were read, in the form in which they are stored: for tests that insert copies of them. */
import type { ReadForm, StoredForm } from '../../src/store/tables/column-types.ts';
import { DECODED_COLUMNS } from '../../src/store/tables/decoded-columns.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

export function storedForm<T extends keyof Tables>(table: T, row: ReadForm<Tables[T]>): StoredForm<Tables[T]>;
export function storedForm(table: string, row: Readonly<Record<string, unknown>>): unknown {
  const decoded = new Map<string, string>(
    Object.entries(DECODED_COLUMNS).flatMap(([name, columns]) =>
      name === table ? Object.entries(columns) : [],
    ),
  );
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const as = decoded.get(name);
      if (as === undefined) return [name, value];
      return [name, as === 'flag' ? Number(value) : JSON.stringify(value)];
    }),
  );
}

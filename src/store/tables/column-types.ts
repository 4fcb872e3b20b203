/**
 * Columns whose stored form differs from the form in which they are read: flags and JSON. decoded-columns.ts
 * lists them.
 */
import type { ColumnType, InsertType, Selectable } from 'kysely';

/** True or false, stored as 1 or 0. */
export type Flag = ColumnType<boolean, 0 | 1, 0 | 1>;

/** A value stored as JSON text. */
export type Json<T> = ColumnType<T, string, string>;

/** A whole row as read: flags are booleans, JSON is parsed. */
export type ReadForm<Table> = Selectable<Table>;

/** A whole row in its stored form: flags as 0 or 1, JSON as text. */
export type StoredForm<Table> = { [Column in keyof Table]: InsertType<Table[Column]> };

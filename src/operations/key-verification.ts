/** Opens every sealed value of a database. Reports the place and the key of each, never its content. */
import type { Database, Readable } from '../store/engine/database.ts';
import {
  KEY_CHECK,
  SEALED_COLUMNS,
  SealedValueStore,
  type SealedColumn,
  type SealedValue,
} from '../store/installation/sealed-value-store.ts';
import { keyIdOf, UnreadableSecret, type UnreadableReason, type Vault } from '../vault/vault.ts';

/** Rows per page. */
const PAGE_ROWS = 100;

/** A value that does not open. */
export interface UnreadableValue {
  table: string;
  id: string;
  column: string;
  reason: UnreadableReason;
  /** The key it names; null if it is too damaged to name one. */
  key_id: string | null;
}

/** Output of `keys verify`. */
export interface KeyReport {
  /** The key that currently seals. */
  first_key: string;
  /** Number of values by the key they name, highest first. */
  keys: { id: string; values: number }[];
  unreadable: UnreadableValue[];
}

/**
 * Opens every value. Changes nothing; values written meanwhile may be missed. @throws ServiceError
 * UNAVAILABLE
 */
export async function verifyKeys(db: Pick<Database, 'longRead'>, vault: Vault): Promise<KeyReport> {
  const counts = new Map<string, number>();
  const unreadable: UnreadableValue[] = [];
  for await (const { column, values } of sealedPages(db.longRead)) {
    for (const value of values) {
      const keyId = keyIdOf(value.sealed);
      if (keyId !== null) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
      const opened = await openValue(vault, column, value);
      if (typeof opened !== 'string') unreadable.push(opened);
    }
  }
  return {
    first_key: await vault.sealingKeyId(),
    keys: [...counts]
      .map(([id, values]) => ({ id, values }))
      .toSorted((a, b) => b.values - a.values || a.id.localeCompare(b.id)),
    unreadable,
  };
}

/** Every sealed value in pages, the key check value last. */
export async function* sealedPages(
  db: Readable,
  columns: readonly SealedColumn[] = [...SEALED_COLUMNS, KEY_CHECK],
): AsyncGenerator<{ column: SealedColumn; values: SealedValue[] }> {
  const store = new SealedValueStore(db);
  for (const column of columns) {
    let values = await store.page(column, '', PAGE_ROWS);
    while (values.length > 0) {
      yield { column, values };
      values = await store.page(column, values.at(-1)?.id ?? '', PAGE_ROWS);
    }
  }
}

/** The text of a value, or the reason why it does not open. */
export async function openValue(
  vault: Vault,
  { table, column, sealedFor }: SealedColumn,
  { id, sealed }: SealedValue,
): Promise<string | UnreadableValue> {
  try {
    return await vault.open({ table, row: id, column: sealedFor }, sealed);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return { table, id, column, reason: error.reason, key_id: keyIdOf(sealed) };
  }
}

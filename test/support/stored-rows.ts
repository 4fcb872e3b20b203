/** Rows that were read, in the form in which they are stored: for tests that insert copies of them. */
import type { ReadForm, StoredForm } from '../../src/store/tables/column-types.ts';
import { DECODED_COLUMNS } from '../../src/store/tables/decoded-columns.ts';
import type { Execution, Tables } from '../../src/store/tables/tables.ts';

/** A successful call of the given time, on an account of the user ada. */
export function executionRow(change: Partial<Execution> = {}): Execution {
  return {
    id: 'exe_1',
    environment_id: 'env_test',
    tool_name: 'notes_search',
    connected_account_id: 'ca_1',
    source: 'api',
    status: 'ok',
    error_code: null,
    duration_ms: 12,
    at: 1_000,
    user_id: 'ada',
    organization_id: '',
    connector: 'notes',
    error_message: null,
    provider_status: null,
    queue_ms: 1,
    provider_ms: 9,
    attempts: 1,
    renewals: 0,
    client_id: null,
    virtual_server_id: null,
    ...change,
  };
}

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

/** The table function QUERY_HISTORY: the statements of the last seven days, those that still run among them. */
import type { WarehouseDatabase } from '../database.ts';
import { INFORMATION_SCHEMA } from '../information-schema.ts';

/** A statement that was sent. */
export interface SentQuery {
  id: string;
  text: string;
  user: string;
  role: string;
  warehouse: string;
  state: 'running' | 'done' | 'failed';
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds; of a running one, now. */
  endedAt: number;
  /** Rows of the result. */
  rows: number;
  failure: { code: string; message: string } | undefined;
}

const KEPT_MS = 7 * 86_400_000;

const WORDS = { running: 'RUNNING', done: 'SUCCESS', failed: 'FAILED_WITH_ERROR' };

const TEXT = 'VARCHAR(16777216)';
const NUMBER = 'NUMBER(38,0)';
const TIME = 'TIMESTAMP_LTZ(9)';

const COLUMNS = [
  ...['QUERY_ID', 'QUERY_TEXT', 'USER_NAME', 'ROLE_NAME', 'WAREHOUSE_NAME', 'EXECUTION_STATUS'].map(
    (name) => `${name} ${TEXT}`,
  ),
  ...['ERROR_CODE', 'ERROR_MESSAGE'].map((name) => `${name} ${TEXT}`),
  ...['START_TIME', 'END_TIME'].map((name) => `${name} ${TIME}`),
  ...['TOTAL_ELAPSED_TIME', 'BYTES_SCANNED', 'ROWS_PRODUCED'].map((name) => `${name} ${NUMBER}`),
];

/** The name in SQLite of the history as the function of a database gives it. */
export function historyId(database: string): string {
  return `${database}.${INFORMATION_SCHEMA}.QUERY_HISTORY`;
}

/** Fills the history of a database. Call it before a statement reads it. @param now Unix milliseconds */
export function publishHistory(
  warehouse: WarehouseDatabase,
  databases: readonly string[],
  { queries, now }: { queries: readonly SentQuery[]; now: number },
): void {
  const rows = queries
    .filter(({ startedAt }) => now - startedAt < KEPT_MS)
    .map(({ id, text, user, role, warehouse: compute, state, startedAt, endedAt, rows: count, failure }) => [
      id,
      text,
      user,
      role,
      compute,
      WORDS[state],
      failure?.code ?? null,
      failure?.message ?? null,
      timeText(startedAt),
      state === 'running' ? null : timeText(endedAt),
      endedAt - startedAt,
      0,
      state === 'done' ? count : null,
    ]);
  for (const database of databases) warehouse.publish(historyId(database), COLUMNS, rows);
}

/** The stored form of timestamps. */
function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 23).replace('T', ' ');
}

/** Sums of executions by hour: added to with each batch of records, read for `executions:summary`. */
import { randomInt } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Dialect, Readable, WriteTransaction } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { StoredForm } from '../tables/column-types.ts';
import {
  DURATION_CLASSES,
  DURATION_COLUMNS,
  type DurationColumn,
  type ExecutionSumTable,
} from '../tables/execution-sum-table.ts';
import type { Execution } from '../tables/tables.ts';

export const HOUR_MS = 3_600_000;

const BOUNDS = Object.values(DURATION_CLASSES);

/** Parts of a sum on Postgres: so many that processes seldom share one. */
const PARTS = 4_096;

/** The part of each sum that a process adds to. */
export interface SumPart {
  number: number;
}

const TEXTS = ['environment_id', 'connector', 'source', 'status', 'error_code'] as const;
const KEY = [...TEXTS, 'hour', 'part'] as const;
const COLUMNS = [...KEY, ...DURATION_COLUMNS];

type Sum = StoredForm<ExecutionSumTable>;

const NONE = Object.fromEntries(DURATION_COLUMNS.map((column) => [column, 0])) as Record<
  DurationColumn,
  number
>;

/** Columns by which sums can be grouped. */
export type SumGroup = 'connector' | 'source' | 'error_code';

/** Groups by both columns: the group is the code, a blank and the connection, neither of which contains a blank. */
export const CODE_AND_CONNECTION = 'error_code connector';

/** Executions of one group and outcome that ended within a span of time. */
export interface ExecutionSum {
  /** Begin of the span, Unix milliseconds. */
  at: number;
  /** '' without a group. */
  group: string;
  status: Execution['status'];
  /** By class of duration, in the order of `DURATION_COLUMNS`. */
  counts: readonly number[];
}

/** The wanted sums. */
export interface SumQuery {
  /** Unix milliseconds, whole hours: inclusive, exclusive. */
  from: number;
  to: number;
  /** A whole number of hours. */
  spanMs: number;
  groupBy: SumGroup | typeof CODE_AND_CONNECTION | undefined;
}

/**
 * A part for this process to add to, other than the given one. SQLite has one writer at a time and needs one part. On
 * Postgres, two transactions that add to the same row conflict, and one of them is repeated: it should take another part.
 */
export function otherPart(dialect: Dialect, part = 0): number {
  return dialect === 'sqlite' ? 0 : (part + randomInt(1, PARTS)) % PARTS;
}

/** Adds executions to the sums of their hours, in one row for each kind of execution. */
export async function addToSums(
  tx: WriteTransaction,
  executions: readonly Execution[],
  { dialect, part }: { dialect: Dialect; part: number },
): Promise<void> {
  if (executions.length === 0) return;
  if (dialect === 'postgres') await addition(executions, part).execute(tx);
  else for (const sum of sumsOf(executions, part)) await addOne(tx, sum);
}

function sumsOf(executions: readonly Execution[], part: number): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { environment_id, connector, source, status, error_code, at, duration_ms: ms } of executions) {
    const hour = at - (at % HOUR_MS);
    const key = `${hour} ${environment_id} ${source} ${status} ${error_code} ${connector}`;
    let sum = sums.get(key);
    if (sum === undefined) {
      const kind = { connector: connector ?? '', source, status, error_code: error_code ?? '' };
      sum = { environment_id, ...kind, hour, part, ...NONE };
      sums.set(key, sum);
    }
    sum[DURATION_COLUMNS[BOUNDS.findIndex((bound) => ms <= bound)] ?? 'longer'] += 1;
  }
  return [...sums.values()];
}

/** The statement that adds to the sums, with the additions instead of `rows`. */
function adding(rows: RawBuilder<unknown>, counted: readonly DurationColumn[]): RawBuilder<unknown> {
  const [, ...key] = KEY;
  const columns = [...key, ...counted].join(',');
  const sums = counted.map((column) => `${column}=s.${column}+excluded.${column}`).join(',');
  return sql`insert into execution_sums as s (environment_id,${sql.raw(columns)}) ${rows} on conflict (environment_id,${sql.raw(key.join(','))}) do update set ${sql.raw(sums)}`;
}

/** For SQLite, where a statement costs less than to take many sums out of one value. */
const addOne = preparedQuery((db, sum: Sum) => ({
  compile: () =>
    adding(sql`values (${sql.join(COLUMNS.map((column) => sum[column]))})`, DURATION_COLUMNS).compile(db),
}));

/**
 * For Postgres, where each statement is a round trip to the server and is planned each time: one statement for all,
 * with the columns that count something. It can be a part of another statement.
 */
export function addition(executions: readonly Execution[], part: number): RawBuilder<unknown> {
  const sums = sumsOf(executions, part);
  const counted = DURATION_COLUMNS.filter((column) => sums.some((sum) => sum[column] > 0));
  const columns = [...KEY, ...counted];
  const values = columns.map((_, i) => (i < TEXTS.length ? `value->>${i}` : `cast(value->>${i} as bigint)`));
  const given = JSON.stringify(sums.map((sum) => columns.map((column) => sum[column])));
  const rows = sql`select ${sql.raw(values.join(','))} from json_array_elements(cast(${given} as json))`;
  return adding(rows, counted);
}

/** The sums of an environment by span, group and outcome, in this order. */
export async function readSums(
  db: Readable,
  environmentId: string,
  { from, to, spanMs, groupBy }: SumQuery,
): Promise<ExecutionSum[]> {
  const span = sql.lit(spanMs);
  const group = groupOf(groupBy);
  const counts = sql.raw(DURATION_COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', '));
  const { rows } = await sql<Omit<ExecutionSum, 'counts'> & Readonly<Record<string, number>>>`
    select hour / ${span} * ${span} as at, ${group} as "group", status, ${counts} from execution_sums
    where environment_id = ${environmentId} and hour >= ${from} and hour < ${to}
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows.map(({ at, group: name, status, ...row }) => ({
    at,
    group: name,
    status,
    counts: DURATION_COLUMNS.map((column) => row[column] ?? 0),
  }));
}

function groupOf(groupBy: SumQuery['groupBy']): RawBuilder<unknown> {
  if (groupBy === undefined) return sql.lit('');
  return groupBy === CODE_AND_CONNECTION ? sql`error_code || ' ' || connector` : sql.ref(groupBy);
}

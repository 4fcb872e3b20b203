/** The table of sums of executions, and the 20 classes of durations in which it counts. */
import { keysOf } from '../../core/json.ts';
import type { Caller } from '../../core/caller.ts';

/** Upper bound, in milliseconds, of the class that each column counts; the last class has none. */
export const DURATION_CLASSES = {
  up_to_5: 5,
  up_to_10: 10,
  up_to_20: 20,
  up_to_35: 35,
  up_to_60: 60,
  up_to_100: 100,
  up_to_150: 150,
  up_to_250: 250,
  up_to_400: 400,
  up_to_600: 600,
  up_to_1000: 1_000,
  up_to_1500: 1_500,
  up_to_2500: 2_500,
  up_to_4000: 4_000,
  up_to_6000: 6_000,
  up_to_10000: 10_000,
  up_to_15000: 15_000,
  up_to_30000: 30_000,
  up_to_60000: 60_000,
  longer: Number.POSITIVE_INFINITY,
} as const;

/** A column that counts the executions of one class of durations. */
export type DurationColumn = keyof typeof DURATION_CLASSES;

/** These columns, the shortest durations first. */
export const DURATION_COLUMNS = keysOf(DURATION_CLASSES);

/**
 * Number of executions of one kind that ended within an hour, by duration. Their total is the sum of these columns.
 */
export interface ExecutionSumTable extends Record<DurationColumn, number> {
  environment_id: string;
  /** Begin of the hour, Unix milliseconds. */
  hour: number;
  /** Name of the connection; '' for none. */
  connector: string;
  source: Caller['source'];
  status: 'ok' | 'error';
  /** '' for a success. */
  error_code: string;
  /** Processes add to different parts, so that none waits for another. */
  part: number;
}

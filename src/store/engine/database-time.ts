/**
 * The present as a value of SQL, for times that several processes compare: leases and what is due.
 *
 * On Postgres the database's own clock, because processes on several machines disagree about the time; on
 * SQLite all processes are on one machine, and the process clock does.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from './database.ts';

/** Unix milliseconds when the statement runs. Make it anew for each statement. */
export function databaseTime(db: Pick<Database, 'dialect'>, clock: Clock): RawBuilder<number> {
  return db.dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : fixedTime(clock.now());
}

/** A time as a value of SQL that can be calculated with. */
export function fixedTime(unixMs: number): RawBuilder<number> {
  return sql<number>`cast(${unixMs} as bigint)`;
}

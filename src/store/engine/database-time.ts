/**
 * The current time as an SQL value, for times that several processes compare: leases and due times.
 *
 * On Postgres it is the database's own clock, because the clocks of several machines differ. On SQLite all
 * processes are on one machine, so the process clock is enough.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from './database.ts';

/** Unix milliseconds when the statement runs. Call it again for each statement. */
export function databaseTime(db: Pick<Database, 'dialect'>, clock: Clock): RawBuilder<number> {
  return db.dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : fixedTime(clock.now());
}

/** A time as an SQL value that can be calculated with. */
export function fixedTime(unixMs: number): RawBuilder<number> {
  return sql<number>`cast(${unixMs} as bigint)`;
}

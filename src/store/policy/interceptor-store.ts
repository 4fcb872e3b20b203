/** Interceptors, beyond what engine/rows.ts does. */
import type { Readable } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import { storedFlag } from '../engine/row-reader.ts';
import type { TriggerPoint } from '../../core/stored-words.ts';
import type { InterceptorLogEntry } from '../tables/policy-tables.ts';

/** The interceptors of a trigger point, in the order in which they are called. Read for every token of a machine. */
export const enabledInterceptors = preparedQuery(
  (db, of: { environmentId: string; triggerPoint: TriggerPoint }) =>
    db
      .selectFrom('interceptors')
      .selectAll()
      .where('environment_id', '=', of.environmentId)
      .where('trigger_point', '=', of.triggerPoint)
      .where('enabled', '=', storedFlag(true))
      .orderBy('created_at')
      .orderBy('id'),
);

/** Decisions of an interceptor since a time, newest first. */
export async function recentDecisions(
  db: Readable,
  of: { environmentId: string; interceptorId: string; since: number; atMost: number },
): Promise<Pick<InterceptorLogEntry, 'decision' | 'failure'>[]> {
  return db
    .selectFrom('interceptor_logs')
    .select(['decision', 'failure'])
    .where('environment_id', '=', of.environmentId)
    .where('interceptor_id', '=', of.interceptorId)
    .where('at', '>=', of.since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(of.atMost)
    .execute();
}

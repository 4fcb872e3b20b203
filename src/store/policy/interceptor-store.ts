/** Interceptors, beyond what engine/rows.ts does. */
import { preparedQuery } from '../engine/prepared-query.ts';
import { storedFlag } from '../engine/row-reader.ts';
import type { TriggerPoint } from '../../core/stored-words.ts';

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

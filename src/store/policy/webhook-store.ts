/** Webhooks, beyond what engine/rows.ts does. */
import { preparedQuery } from '../engine/prepared-query.ts';
import { storedFlag } from '../engine/row-reader.ts';

/** The webhooks that receive events, oldest first. Read for every change of an account. */
export const enabledWebhooks = preparedQuery((db, of: { environmentId: string }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('environment_id', '=', of.environmentId)
    .where('enabled', '=', storedFlag(true))
    .orderBy('created_at')
    .orderBy('id'),
);

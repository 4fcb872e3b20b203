/**
 * The start of an environment: its webhooks become what gatehouse.yaml declares (contract section 2).
 *
 * A start that changes nothing writes nothing.
 */
import { newId } from '../core/ids.ts';
import type { Database } from '../store/database.ts';
import { WebhookStore, type WebhookRow } from '../store/webhook-store.ts';
import { newWebhookRow, webhookColumns, type WebhookInput } from './webhook-rules.ts';

interface Plan {
  insert: WebhookInput[];
  update: { id: string; change: Partial<WebhookRow> }[];
}

/**
 * For declarations without violations. What is no longer declared stays, for the operator to change or delete.
 *
 * @param now Unix milliseconds
 */
export async function synchronizeWebhooks(
  db: Database,
  environmentId: string,
  declared: readonly WebhookInput[],
  now: number,
): Promise<void> {
  const planned = planOf(await new WebhookStore(db.read).list(environmentId), declared);
  if (planned.insert.length + planned.update.length === 0) return;
  await db.transaction(async (tx) => {
    const store = new WebhookStore(tx);
    const plan = planOf(await store.list(environmentId), declared);
    for (const { id, change } of plan.update)
      await store.update(environmentId, id, { ...change, updated_at: now });
    for (const input of plan.insert) {
      const id = newId('whk', now);
      await store.insert(
        newWebhookRow(input, { id, environment_id: environmentId, managed_by: 'file', now }),
      );
    }
  });
}

function planOf(stored: readonly WebhookRow[], declared: readonly WebhookInput[]): Plan {
  const plan: Plan = { insert: [], update: [] };
  const names = new Set<string>();
  for (const input of declared) {
    const wanted = { ...webhookColumns({ enabled: true, ...input }), managed_by: 'file' };
    const row = stored.find(({ name }) => name === wanted.name);
    names.add(wanted.name ?? '');
    if (row === undefined) plan.insert.push(input);
    else if (Object.entries(wanted).some(([column, value]) => row[column as keyof WebhookRow] !== value))
      plan.update.push({ id: row.id, change: wanted });
  }
  for (const row of stored) {
    if (row.managed_by === 'file' && !names.has(row.name))
      plan.update.push({ id: row.id, change: { managed_by: 'operator' } });
  }
  return plan;
}

/**
 * crm_create_webhook and crm_update_webhook: Attio requires a filter in each subscription. It is null if every
 * event of the kind is meant.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/webhooks/create-a-webhook
 * @see https://docs.attio.com/rest-api/endpoint-reference/webhooks/update-a-webhook
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { given, patch, post } from '../provider-call.ts';

export const createWebhook: ToolHandler<ToolInputs['crm_create_webhook']> = {
  call: async ({ input, http }) => http.send(post('/v2/webhooks', { data: webhookOf(input) })),
};

export const updateWebhook: ToolHandler<ToolInputs['crm_update_webhook']> = {
  call: async ({ input: { webhook_id, ...changes }, http }) =>
    http.send(patch(`/v2/webhooks/${encodeURIComponent(webhook_id)}`, { data: webhookOf(changes) })),
};

function webhookOf({
  target_url,
  events,
  subscriptions = events?.map((event_type) => ({ event_type })),
}: Omit<ToolInputs['crm_update_webhook'], 'webhook_id'>): JsonObject {
  return given({
    target_url,
    subscriptions: subscriptions?.map((subscription) => ({ filter: null, ...subscription })),
  });
}

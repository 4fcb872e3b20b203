/** Webhooks and their deliveries over REST (docs/contract.md#10-webhooks). */
import { z } from '@hono/zod-openapi';
import { WEBHOOK_EVENTS } from '../../core/webhook-events.ts';
import { type DeliveryLog } from '../../webhooks/delivery-log.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { ResourceRoutes } from '../api/resource-routes.ts';
import {
  anyObject,
  createdAt,
  idParams,
  listed,
  managedByFile,
  pageAnswerShape,
  pageOf,
  pageShape,
  resourceId,
  shown,
  text,
  timestamp,
  updatedAt,
  timeFilter,
} from '../api/schemas.ts';
import { DELIVERY_STATUSES } from '../../core/stored-words.ts';

const path = '/api/v1/webhooks';
const tag = 'Webhooks';
const access = { unbound: 'admin' } as const;

const webhookShape = {
  name: text(200, 'What it is for, for people. Unique in the environment.'),
  url: text(2_048, 'Where events are posted: https, without user name, password and fragment.'),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .openapi({ description: 'The events to send.' }),
};

const enabled = z.boolean().optional().openapi({ description: 'Whether events are sent. Default: true.' });

const webhook = z
  .object({
    id: resourceId('whk_'),
    name: shown('What it is for, for people.'),
    url: shown('Where events are posted.'),
    events: z.array(z.string()).openapi({ description: 'The events that are sent.' }),
    enabled: z.boolean().openapi({ description: 'Whether events are sent.' }),
    managed_by_file: managedByFile,
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('Webhook', {
    description: 'An address that is told what happens to accounts and remote MCP servers.',
  });

const delivery = z
  .object({
    id: resourceId('whd_'),
    webhook_id: shown('The webhook, `whk_…`.'),
    event_id: z.string().openapi({ description: 'The same in every delivery of one event.' }),
    type: shown('The event.'),
    status: z.enum(DELIVERY_STATUSES).openapi({ description: 'What has become of it.' }),
    attempts: z.number().int().openapi({ description: 'How often it was sent.' }),
    next_attempt_at: timestamp.nullable().openapi({ description: 'When it is sent again; null: never.' }),
    last_status: z.number().int().nullable().openapi({ description: 'HTTP status of the last attempt.' }),
    last_failure: z
      .string()
      .nullable()
      .openapi({ description: 'Why the last attempt failed; null: it did not.' }),
    body: anyObject.openapi({ description: 'The event as it is sent.' }),
    at: timestamp.openapi({ description: 'When the event happened.' }),
    finished_at: timestamp
      .nullable()
      .openapi({ description: 'When it was given up or accepted; null: not yet.' }),
  })
  .openapi('WebhookDelivery', { description: 'One event for one webhook.' });

export interface WebhookServices {
  pageTokens: PageTokens;
  webhooks: Pick<Webhooks, 'list' | 'get' | 'create' | 'update' | 'remove'>;
  deliveryLog: Pick<DeliveryLog, 'list' | 'redeliver' | 'redeliverAll'>;
}

/** Adds the routes of webhooks. */
export function addWebhookRoutes(
  endpoints: Endpoints,
  { webhooks, deliveryLog, pageTokens }: WebhookServices,
): void {
  const routes = new ResourceRoutes(endpoints, { name: 'webhook', item: webhook, path, tag, access });
  routes.wholeList('List webhooks.', pageTokens, async ({ environmentId }) => webhooks.list(environmentId));
  routes.create(
    'Create a webhook.',
    { body: z.strictObject({ ...webhookShape, enabled }), refusals: [409] },
    async ({ caller, body }) => webhooks.create(caller, body),
  );
  routes.get('Get a webhook.', async ({ environmentId }, id) => webhooks.get(environmentId, id));
  routes.update(
    'Change what is given of a webhook.',
    { body: z.strictObject({ ...z.object(webhookShape).partial().shape, enabled }), refusals: [404, 409] },
    async (caller, id, body) => webhooks.update(caller, id, body),
  );
  routes.remove('Delete a webhook and its deliveries.', async (caller, id) => webhooks.remove(caller, id));
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}/deliveries`,
      tag,
      summary: 'List the deliveries of a webhook, newest first.',
      access,
      params: idParams,
      query: z.strictObject({
        status: z.enum(DELIVERY_STATUSES).optional().openapi({ description: 'What has become of it.' }),
        ...pageShape,
      }),
      answer: z.object({ deliveries: listed(delivery), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, params, query }) =>
      deliveryLog.list(caller.environmentId, params.id, {
        status: query.status,
        ...pageOf(query),
      }),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/deliveries/{id}:redeliver`,
      tag,
      summary: 'Send an event again. Answers with the delivery that is on its way.',
      access,
      params: idParams,
      answer: z.object({ delivery }),
      refusals: [404],
    },
    async ({ caller, params }) => ({ delivery: await deliveryLog.redeliver(caller, params.id) }),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:redeliver`,
      tag,
      summary: 'Send many events of a webhook again, the oldest first. An event is sent once.',
      access,
      params: idParams,
      body: z.strictObject({
        from: timeFilter('Deliveries made not before this time. Default: from the first one on.'),
        to: timeFilter('Deliveries made before this time. Default: until now.'),
        status: z
          .enum(DELIVERY_STATUSES)
          .optional()
          .openapi({ description: 'Deliveries in this state. Default: failed.' }),
      }),
      answer: z.object({
        redelivered: z.number().int().openapi({ description: 'How many events are on their way.' }),
      }),
      refusals: [404],
    },
    async ({ caller, params, body }) => ({
      redelivered: await deliveryLog.redeliverAll(caller, params.id, body),
    }),
  );
}

/** Webhooks and their deliveries over REST (docs/contract.md#10-webhooks). */
import { z } from '@hono/zod-openapi';
import { ACCOUNT_EVENTS } from '../../core/account-events.ts';
import { type DeliveryLog } from '../../webhooks/delivery-log.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { Endpoints } from '../api/endpoint.ts';
import {
  anyObject,
  emptyAnswer,
  idParams,
  onlyPage,
  pageAnswerShape,
  pageOf,
  pageShape,
  text,
  timestamp,
} from '../api/schemas.ts';
import { DELIVERY_STATUSES } from '../../core/stored-words.ts';

const path = '/api/v1/webhooks';
const tag = 'Webhooks';
const access = { unbound: 'admin' } as const;

const webhookShape = {
  name: text(200, 'What it is for, for people. Unique in the environment.'),
  url: text(2_048, 'Where events are posted: https, without user name, password and fragment.'),
  events: z.array(z.enum(ACCOUNT_EVENTS)).min(1).max(ACCOUNT_EVENTS.length),
};

const enabled = z.boolean().optional().openapi({ description: 'Whether events are sent. Default: true.' });

const webhook = z
  .object({
    id: z.string().openapi({ example: 'whk_01kaghg4w0v8j3d9c2n5r7t1xz' }),
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    enabled: z.boolean(),
    managed_by_file: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Webhook');

const delivery = z
  .object({
    id: z.string().openapi({ example: 'whd_01kaghg4w0v8j3d9c2n5r7t1xz' }),
    webhook_id: z.string(),
    event_id: z.string().openapi({ description: 'The same in every delivery of one event.' }),
    type: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.number().int(),
    next_attempt_at: timestamp.nullable(),
    last_status: z.number().int().nullable().openapi({ description: 'HTTP status of the last attempt.' }),
    last_failure: z.string().nullable(),
    body: anyObject.openapi({ description: 'The event as it is sent.' }),
    at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .openapi('WebhookDelivery');

const webhookAnswer = z.object({ webhook });

export interface WebhookServices {
  webhooks: Pick<Webhooks, 'list' | 'get' | 'create' | 'update' | 'remove'>;
  deliveryLog: Pick<DeliveryLog, 'list' | 'redeliver'>;
}

/** Adds the routes of webhooks. */
export function addWebhookRoutes(endpoints: Endpoints, { webhooks, deliveryLog }: WebhookServices): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List webhooks.',
      access,
      answer: z.object({ webhooks: z.array(webhook), ...pageAnswerShape }),
    },
    async ({ caller }) => {
      const found = await webhooks.list(caller.environmentId);
      return { webhooks: found, ...onlyPage(found) };
    },
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create a webhook.',
      access,
      body: z.strictObject({ ...webhookShape, enabled }),
      status: 201,
      answer: webhookAnswer,
      refusals: [409],
    },
    async ({ caller, body }) => ({ webhook: await webhooks.create(caller, body) }),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}`,
      tag,
      summary: 'Get a webhook.',
      access,
      params: idParams,
      answer: webhookAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => ({ webhook: await webhooks.get(caller.environmentId, params.id) }),
  );
  endpoints.add(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tag,
      summary: 'Change what is given of a webhook.',
      access,
      params: idParams,
      body: z.strictObject({
        name: webhookShape.name.optional(),
        url: webhookShape.url.optional(),
        events: webhookShape.events.optional(),
        enabled,
      }),
      answer: webhookAnswer,
      refusals: [404, 409],
    },
    async ({ caller, params, body }) => ({ webhook: await webhooks.update(caller, params.id, body) }),
  );
  endpoints.add(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tag,
      summary: 'Delete a webhook and its deliveries.',
      access,
      params: idParams,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => {
      await webhooks.remove(caller, params.id);
      return {};
    },
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}/deliveries`,
      tag,
      summary: 'List the deliveries of a webhook, newest first.',
      access,
      params: idParams,
      query: z.strictObject({ status: z.enum(DELIVERY_STATUSES).optional(), ...pageShape }),
      answer: z.object({ deliveries: z.array(delivery), ...pageAnswerShape }),
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
}

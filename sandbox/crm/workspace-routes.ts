/** Workspace members, webhooks, meetings. */
import { Hono } from 'hono';
import { z } from 'zod';
import {
  dataOf,
  needs,
  pageAfter,
  pageOf,
  queryNumber,
  readBody,
  readQuery,
  type CrmEnv,
} from './exchange.ts';
import { stableUuid, WEBHOOK_EVENTS, WORKSPACE, type Meeting, type Webhook } from './model.ts';
import { invalid, notFound } from './refusal.ts';
import type { Workspace } from './workspace.ts';

const webhooksShape = z.strictObject({
  limit: queryNumber.pipe(z.int().min(10).max(100)).default(10),
  offset: queryNumber.default(0),
});

const conditions = z.array(
  z.strictObject({ field: z.string(), operator: z.enum(['equals', 'not_equals']), value: z.string() }),
);
const webhookMembers = z.strictObject({
  target_url: z.url({ protocol: /^https$/ }),
  subscriptions: z.array(
    z.strictObject({
      event_type: z.enum(WEBHOOK_EVENTS),
      filter: z.union([z.strictObject({ $or: conditions }), z.strictObject({ $and: conditions }), z.null()]),
    }),
  ),
});
const webhookShape = dataOf(webhookMembers);
const webhookUpdateShape = dataOf(webhookMembers.partial());

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'is no time');
const meetingsShape = z
  .strictObject({
    limit: queryNumber.pipe(z.int().min(1).max(200)).default(50),
    cursor: z
      .string()
      .regex(/^after-\d+$/, 'was not given out by this list')
      .optional(),
    participants: z.string().default(''),
    linked_object: z.string().min(1).optional(),
    linked_record_id: z.uuid().optional(),
    sort: z.enum(['start_asc', 'start_desc']).default('start_asc'),
    ends_from: time.optional(),
    starts_before: time.optional(),
    timezone: z.string().default('UTC'),
  })
  .refine((query) => (query.linked_object === undefined) === (query.linked_record_id === undefined), {
    message: 'linked_object and linked_record_id go together',
  });

/** `/v2/workspace_members…`, `/v2/webhooks…`, `/v2/meetings` */
export function workspaceRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();

  routes.get('/v2/workspace_members', needs('user_management:read'), (c) => {
    if (Object.keys(c.req.query()).length > 0) throw invalid('This list takes no parameters.');
    return c.json({ data: workspace.members });
  });
  routes.get('/v2/workspace_members/:member', needs('user_management:read'), (c) => {
    const id = c.req.param('member');
    const member = workspace.members.find((one) => one.id.workspace_member_id === id);
    if (member === undefined) throw notFound('workspace member', id);
    return c.json({ data: member });
  });

  routes.get('/v2/webhooks', needs('webhook:read'), (c) =>
    c.json({ data: pageOf([...workspace.webhooks.values()], readQuery(c, webhooksShape)) }),
  );
  routes.post('/v2/webhooks', needs('webhook:read-write'), async (c) => {
    const { data } = await readBody(c, webhookShape);
    const webhook: Webhook = {
      id: { workspace_id: WORKSPACE.id, webhook_id: workspace.newId() },
      ...data,
      status: 'active',
      created_at: workspace.now(),
    };
    workspace.webhooks.set(webhook.id.webhook_id, webhook);
    return c.json({ data: { ...webhook, secret: stableUuid('webhook secret', webhook.id.webhook_id) } });
  });
  routes.patch('/v2/webhooks/:webhook', needs('webhook:read-write'), async (c) => {
    const webhook = webhookOf(workspace, c.req.param('webhook'));
    const { data } = await readBody(c, webhookUpdateShape);
    Object.assign(webhook, data);
    return c.json({ data: webhook });
  });
  routes.get('/v2/webhooks/:webhook', needs('webhook:read'), (c) =>
    c.json({ data: webhookOf(workspace, c.req.param('webhook')) }),
  );
  routes.delete('/v2/webhooks/:webhook', needs('webhook:read-write'), (c) => {
    workspace.webhooks.delete(webhookOf(workspace, c.req.param('webhook')).id.webhook_id);
    return c.json({});
  });

  routes.get('/v2/meetings/:meeting', needs('meeting:read', 'record_permission:read'), (c) =>
    c.json({ data: meetingOf(workspace, c.req.param('meeting')) }),
  );
  routes.get('/v2/meetings', needs('meeting:read', 'record_permission:read'), (c) => {
    const query = readQuery(c, meetingsShape);
    const found = workspace.meetings.filter(isWanted(query)).sort(byStart(query.sort));
    return c.json(pageAfter(found, query.cursor, query.limit));
  });
  return routes;
}

/** @throws CrmRefusal 404 */
export function meetingOf(workspace: Workspace, id: string): Meeting {
  const meeting = workspace.meetings.find((one) => one.id.meeting_id === id);
  if (meeting === undefined) throw notFound('meeting', id);
  return meeting;
}

function webhookOf(workspace: Workspace, id: string): Webhook {
  const webhook = workspace.webhooks.get(id);
  if (webhook === undefined) throw notFound('webhook', id);
  return webhook;
}

/** Participants and linked record are combined with OR; the times narrow the result. */
function isWanted(query: z.infer<typeof meetingsShape>): (meeting: Meeting) => boolean {
  const addresses = query.participants
    .toLowerCase()
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const isForAnybody = addresses.length === 0 && query.linked_record_id === undefined;
  const endsFrom = query.ends_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.ends_from);
  const startsBefore =
    query.starts_before === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.starts_before);
  return (meeting) =>
    (isForAnybody ||
      meeting.participants.some(({ email_address }) => addresses.includes(email_address)) ||
      meeting.linked_records.some(({ record_id }) => record_id === query.linked_record_id)) &&
    Date.parse(meeting.end.datetime) >= endsFrom &&
    Date.parse(meeting.start.datetime) < startsBefore;
}

function byStart(sort: 'start_asc' | 'start_desc'): (one: Meeting, other: Meeting) => number {
  const sign = sort === 'start_asc' ? 1 : -1;
  return (one, other) => sign * (Date.parse(one.start.datetime) - Date.parse(other.start.datetime));
}

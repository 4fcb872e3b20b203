/** `gatehouse webhooks`: endpoints that receive events of connected accounts, and what was delivered to them. */
import { DELIVERY_STATUSES } from '../../../core/stored-words.ts';
import type { Admin } from '../../terminal/app.ts';
import { deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../../terminal/command.ts';
import { findByIdOrName } from '../../terminal/did-you-mean.ts';
import { UsageError } from '../../terminal/failure.ts';
import { commaList, oneOf, PAGE_OPTIONS, pageOf, timeOf, YES_OPTION } from '../../terminal/options.ts';

type Webhook = Awaited<ReturnType<Admin['webhooks']['get']>>;

const WEBHOOK = { webhook: 'id or name' };

const EVENTS = { about: 'events to send, separated by commas', parse: commaList };

const list = adminCommand({
  name: 'list',
  description: 'Lists webhooks by name.',
  example: 'gatehouse webhooks list',
  run: async ({ admin, caller, out }) => {
    const webhooks = await admin.webhooks.list(caller.environmentId);
    out.list({
      answer: { webhooks },
      rows: webhooks,
      columns: ['id', 'name', 'url', 'events', 'enabled', 'managed_by_file'],
      empty: 'There is no webhook. "gatehouse webhooks create" creates one.',
    });
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a webhook.',
  args: WEBHOOK,
  example: 'gatehouse webhooks show "Account events"',
  run: async ({ args, out, ...operator }) => out.fields(await named(operator, args.webhook)),
});

const create = adminCommand({
  name: 'create',
  description: 'Makes a webhook. Events are sent from then on, unless it is made disabled.',
  options: {
    '--name <text>': { about: 'what it is for', required: true },
    '--url <url>': { about: 'where events are posted', required: true },
    '--events <names>': { ...EVENTS, required: true },
    '--disabled': 'no event is sent until it is enabled',
  },
  example:
    'gatehouse webhooks create --name "Account events" --url https://hooks.example.test/accounts --events connected_account.created,connected_account.deleted',
  run: async ({ admin, caller, options: { name, url, events, disabled }, out }) =>
    out.fields(await admin.webhooks.create(caller, { name, url, events, enabled: disabled !== true })),
});

const update = adminCommand({
  name: 'update',
  description: 'Changes what is given and leaves the rest. Deliveries that wait go to the new address.',
  args: WEBHOOK,
  options: {
    '--name <text>': 'what it is for',
    '--url <url>': 'where events are posted',
    '--events <names>': EVENTS,
    '--enabled': 'send events',
    '--no-enabled': 'send no events; those that wait are kept',
  },
  example: 'gatehouse webhooks update "Account events" --no-enabled',
  input: async ({ options: { name, url, events, enabled } }) => {
    const change = { name, url, events, enabled };
    if (Object.values(change).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --url.');
    return change;
  },
  run: async ({ args, input, out, ...operator }) => {
    const { id } = await named(operator, args.webhook);
    out.fields(await operator.admin.webhooks.update(operator.caller, id, input));
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes a webhook and its delivery log. Nothing more is sent.',
  args: WEBHOOK,
  options: YES_OPTION,
  example: 'gatehouse webhooks delete "Account events"',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id, name } = await named(context, args.webhook);
    await deleteConfirmed(context, {
      question: `Delete the webhook ${name} and its delivery log?`,
      name,
      remove: async () => admin.webhooks.remove(caller, id),
    });
  },
});

const deliveries = adminCommand({
  name: 'deliveries',
  description: 'Lists deliveries of a webhook, newest first.',
  args: WEBHOOK,
  options: { '--status <status>': oneOf(...DELIVERY_STATUSES), ...PAGE_OPTIONS },
  example: 'gatehouse webhooks deliveries "Account events" --status failed',
  run: async ({ args, options, out, ...operator }) => {
    const { id } = await named(operator, args.webhook);
    const { admin, caller } = operator;
    const page = await admin.deliveryLog.list(caller.environmentId, id, {
      status: options.status,
      ...pageOf(options),
    });
    out.list({
      answer: page,
      rows: page.deliveries,
      columns: ['id', 'type', 'status', 'attempts', 'last_status', 'last_failure', 'at'],
      empty: 'Nothing was sent to this webhook, or nothing that matches.',
    });
    out.nextPage(page);
  },
});

const redeliver = adminCommand({
  name: 'redeliver',
  description: 'Sends one event again, or many events of a webhook. A running server delivers them.',
  args: { delivery: 'whd_…, or id or name of a webhook' },
  options: {
    '--from <time>': {
      about: 'deliveries of a webhook not before this time, such as 2026-01-31T12:00:00Z',
      parse: timeOf,
    },
    '--to <time>': { about: 'deliveries before this time', parse: timeOf },
    '--status <status>': oneOf(...DELIVERY_STATUSES),
  },
  example: 'gatehouse webhooks redeliver "Account events" --status failed --from 2026-01-31T12:00:00Z',
  run: async ({ args, options: { from, to, status }, out, ...operator }) => {
    const { admin, caller } = operator;
    if (!args.delivery.startsWith('whd_')) {
      const { id } = await named(operator, args.delivery);
      const redelivered = await admin.deliveryLog.redeliverAll(caller, id, { from, to, status });
      return out.fields({ redelivered });
    }
    if ([from, to, status].some((value) => value !== undefined))
      throw new UsageError('--from, --to and --status choose deliveries of a webhook: name the webhook.');
    return out.fields(await admin.deliveryLog.redeliver(caller, args.delivery));
  },
});

/** The command `webhooks` with its subcommands. */
export const webhooksCommand = commandGroup({
  name: 'webhooks',
  description:
    'Manages webhooks and their delivery logs. Those that gatehouse.yaml declares are changed there.',
  commands: [list, show, create, update, remove, deliveries, redeliver],
});

/** Finds a webhook by its id or its name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(operator: Operator, idOrName: string): Promise<Webhook> {
  const { admin, caller } = operator;
  return findByIdOrName(operator, idOrName, {
    command: 'webhooks list',
    known: async () => admin.webhooks.list(caller.environmentId),
    get: async () => admin.webhooks.get(caller.environmentId, idOrName),
  });
}

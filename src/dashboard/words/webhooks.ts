/** Words of the pages of webhooks. */
import type { WebhookEventType } from '../../core/webhook-events.ts';
import type { DeliveryStatus } from '../../core/stored-words.ts';

const EVENTS: Readonly<Record<WebhookEventType, string>> = {
  'connected_account.created': 'An account was created',
  'connected_account.updated': 'Credentials or configuration of an account were replaced',
  'connected_account.status_updated': 'The status of an account changed',
  'connected_account.deleted': 'An account was deleted',
  'connected_account.token_refresh_failed': 'A provider did not renew the credentials of an account',
  'upstream.tools_changed': 'A remote MCP server lists other tools, or changed ones',
  'upstream.unavailable': 'A remote MCP server fails, and gets no calls for a while',
  'upstream.recovered': 'A remote MCP server answers again',
  'upstream.client_replaced': 'Another client was registered for a remote MCP server',
  'upstream.authorization_server_changed': 'A remote MCP server names another authorization server',
};

const STATUSES: Readonly<Record<DeliveryStatus, string>> = {
  delivered: 'Delivered',
  pending: 'On its way',
  failed: 'Given up',
};

/** Words and sentences. */
export const webhooks = {
  title: 'Webhooks',
  lead: 'A webhook tells an address of yours what happens to connected accounts and remote MCP servers.',
  heading: 'Of this environment',
  add: 'Add a webhook',
  none: 'There is no webhook. Nobody is told what happens to accounts and servers.',
  columns: { name: 'Name', events: 'Events', state: 'State', changed: 'Last change' },
  count: (events: number, all: number) => (events === all ? 'All' : `${events} of ${all}`),
  eventNames: EVENTS,
  statuses: STATUSES,
  enabled: 'Enabled',
  disabled: 'Disabled',
  declared: 'In gatehouse.yaml',
  declaredNote:
    'This webhook is declared in gatehouse.yaml. Change it there; the next start takes the change over.',
  actions: { change: 'Change', enable: 'Enable', disable: 'Disable', delete: 'Delete' },
  facts: {
    heading: 'Webhook',
    id: 'Id',
    url: 'Address',
    events: 'Events',
    secret: 'Signed with',
    secretOf: 'The signing secret',
    changed: 'Last change',
  },
  form: {
    add: 'Add a webhook',
    change: (name: string) => `Change ${name}`,
    heading: 'Webhook',
    create: 'Create',
    save: 'Save',
    cancel: 'Cancel',
    name: 'Name',
    nameHint: 'What it is for.',
    url: 'Address',
    urlHint: 'An https URL. Events are posted to it, signed, until it answers with a status below 300.',
    events: 'Events',
    enabledNow: 'Enabled: events are sent from now on',
    created: (name: string) => `The webhook ${name} was created.`,
    changed: (name: string) => `The webhook ${name} was changed.`,
    enabled: (name: string) => `Events are sent to ${name} from now on.`,
    disabled: (name: string) => `Events for ${name} wait until it is enabled again.`,
  },
  deliveries: {
    heading: 'Deliveries',
    none: 'Nothing was sent yet.',
    noneSuch: 'No delivery has this status.',
    status: 'Status',
    every: 'All',
    attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
    answered: (status: number) => `Status ${status}`,
    next: 'Next attempt',
    event: 'Event as it is sent',
    again: 'Send again',
    allAgain: 'Send all given up again',
    sent: 'The event is on its way.',
    allSent: (events: string) =>
      events === '1' ? '1 event is on its way.' : `${events} events are on their way.`,
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    goes: [
      'The webhook and the list of its deliveries go.',
      'Events that are on their way are not sent any more.',
    ],
    stays: ['The signing secret stays: other webhooks and interceptors use it.'],
    button: 'Delete the webhook',
    done: (name: string) => `The webhook ${name} was deleted.`,
  },
} as const;

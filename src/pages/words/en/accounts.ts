/** English words of `/accounts`: what a person connected, and who may use it. */
import { html } from 'hono/html';
import { breakable, type Text } from '../html.ts';

const USED_BY: Readonly<Record<string, string>> = {
  mcp: 'by an agent',
  api: 'by an application',
  proxy: 'by an application',
  cli: 'by an operator',
  dashboard: 'by an operator',
};

/** Words of `src/pages/accounts`. */
export const accounts = {
  title: 'Your accounts',
  lead: 'Agents that act for you use these accounts. Their keys stay here: no agent sees them.',
  none: 'You have not connected an account yet.',
  statuses: {
    ACTIVE: 'Active',
    EXPIRED: 'Expired: connect it again',
    PENDING_AUTH: 'Not connected yet',
    PENDING_VERIFICATION: 'Waits for your confirmation',
    DISCONNECTED: 'Disconnected',
  },
  since: (time: Text) => html`added ${time}`,
  neverUsed: 'never used',
  lastUsed: (time: Text, by: Text) => html`last used ${time}${by === '' ? '' : html`, ${by}`}`,
  by: (client: string) => html`by <bdi>${breakable(client)}</bdi>`,
  /** Texts by source of an execution, if no app or credential is known. */
  usedBy: USED_BY,
  connect: 'Connect',
  reconnect: 'Reconnect',
  reconnectOne: (app: string) => `Reconnect ${app}`,
  disconnect: 'Disconnect',
  disconnectOne: (app: string) => `Disconnect ${app}`,
  connectApp: 'Connect an app',

  clients: 'Allowed to act for you',
  clientsLead:
    'These apps and applications use your accounts until you end it. Their sign-ins stand under Sessions.',
  noClients: 'No app may act for you.',
  signIns: (count: number) => (count === 1 ? '1 sign-in' : `${count} sign-ins`),
  clientSince: (time: Text) => html`first allowed ${time}`,
  end: 'End',
  endOne: (app: string) => `End ${app}`,

  disconnecting: {
    title: (app: string) => `Disconnect ${app}?`,
    what: (app: string) =>
      `Its keys are erased here. They are also revoked at ${app} where it allows that, unless another account may need them. Agents cannot use this account any more.`,
    stays: 'The account stays in your list, so that you can connect it again.',
  },
  connecting: {
    title: 'Connect an app',
    lead: 'Choose an app. The next page says what it asks for.',
    none: 'There is no app to connect here yet. The operator of this Gatehouse sets them up.',
    has: 'in your list already',
    second: (app: string) => `Another account of ${app}`,
    secondLead:
      'This app is in your list already. Give the new account a name, by which you and your agents tell it from others.',
    name: 'Name',
    taken: 'You have an account of this name already. Choose another name.',
  },
};

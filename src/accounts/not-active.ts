/** Error of a call whose account cannot be used yet or any more. Carries the facts that a prompt needs. */
import { ServiceError } from '../core/errors.ts';
import type { AccountStatus } from '../core/stored-words.ts';

/** A link that the owner of the account can open, or why there is no link. */
export type ConnectLink = { link: string; expiry: string } | { unavailable: string; declinedAt?: string };

/** Facts about the account that a prompt shows. */
export interface NotActiveAccount {
  id: string;
  /** Name of its connection. */
  connection: string;
  connectorTitle: string;
  identifier: string;
  status: AccountStatus;
  everConnected: boolean;
  /** The call itself made the account, because its owner had none. */
  isNew?: boolean;
}

/** CONNECTED_ACCOUNT_NOT_ACTIVE with the account's status and, if possible, a link (docs/contract.md#8-errors). */
export class AccountNotActive extends ServiceError {
  readonly account: NotActiveAccount;
  readonly connect: ConnectLink;

  constructor(account: NotActiveAccount, connect: ConnectLink) {
    super('CONNECTED_ACCOUNT_NOT_ACTIVE', `${sentence(account)} ${advice(connect)}`, {
      details: {
        status: account.isNew === true ? 'NOT_CONNECTED' : account.status,
        connected_account_id: account.id,
        connector: account.connection,
        identifier: account.identifier,
        ...('link' in connect && { authorization_link: connect.link, expiry: connect.expiry }),
        ...('declinedAt' in connect && { declined_at: connect.declinedAt }),
      },
    });
    this.account = account;
    this.connect = connect;
  }
}

/** The message, worded by status. */
function sentence({ connectorTitle, identifier, status, everConnected }: NotActiveAccount): string {
  const who = `${connectorTitle} for ${identifier}`;
  switch (status) {
    case 'EXPIRED':
      return `The connection to ${who} has expired: the provider no longer accepts its credentials.`;
    case 'DISCONNECTED':
      return `The connection to ${who} was disconnected.`;
    case 'PENDING_VERIFICATION':
      return `The connection to ${who} is waiting for verification: consent was given, but it is not confirmed yet who gave it.`;
    default:
      return everConnected ? `${who} is not connected.` : `${who} has not been connected yet.`;
  }
}

function advice(connect: ConnectLink): string {
  return 'link' in connect
    ? 'Its owner can connect it by opening the authorization link.'
    : connect.unavailable;
}

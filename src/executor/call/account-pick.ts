/** Picks one of several accounts, and words the error if none or several fit. No database, no clock. */
import type { Effect } from '../../catalog/model/types.ts';
import { invalidField, type ServiceError } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';

/** The purpose of an account: a tool, or with `connector` undefined a request to any connector. */
export interface AccountUse {
  /** For messages. */
  name: string;
  /** Connector of the account; `undefined` means that of the connection in the reference. */
  connector: string | undefined;
  /** Absent for a request that is no tool's: it may change anything. */
  effect?: Effect;
}

/** Most names that an error lists. */
const MAX_NAMES = 20;

/**
 * The account with a name, which is `<connection>/<identifier>` or an identifier. An identifier means the account at
 * the connection that the tool would use, or otherwise at the only connection that has it.
 *
 * @param accounts the owner's accounts to choose from
 * @param connections the tool's connections
 * @throws ServiceError INVALID_ARGUMENT with the existing names
 */
export function accountNamed(
  accounts: readonly Account[],
  wanted: string,
  connections: readonly Pick<Connection, 'id'>[],
): Account {
  const exact = accounts.find((account) => pathOf(account) === wanted);
  if (exact !== undefined) return exact;
  const found = accounts.filter((account) => account.identifier === wanted);
  const [only, ...others] = found;
  if (only === undefined) throw unknownAccount(accounts, false);
  if (others.length === 0) return only;
  const [own, ...more] = connections;
  const atOwn = more.length === 0 ? found.find((account) => account.connection.id === own?.id) : undefined;
  if (atOwn === undefined) throw unknownAccount(accounts, true);
  return atOwn;
}

/** Whether an account has ever been usable: it is now, or its status says that it was. */
export function everConnected(account: Account): boolean {
  if (account.status === 'PENDING_VERIFICATION') return account.credentialsSealed !== null;
  return account.status !== 'PENDING_AUTH';
}

/** The accounts that a call may mean: those that were disconnected only if no other was ever connected. */
export function withoutDisconnected(accounts: readonly Account[]): readonly Account[] {
  const left = accounts.filter((account) => everConnected(account) && account.status !== 'DISCONNECTED');
  return left.length > 0 ? left : accounts;
}

/** Name of an account among those of one connection. */
export const nameOf = (account: Account): string => account.identifier;

/** Name of an account among those of several connections. */
export const pathOf = (account: Account): string => `${account.connection.name}/${account.identifier}`;

/**
 * The only account; `undefined` without accounts. Accounts never connected count only if no other is connected.
 *
 * @param field of the input that would name an account
 * @param label makes the name of an account for the error
 * @throws ServiceError INVALID_ARGUMENT if there are several
 */
export function pick(
  accounts: readonly Account[],
  field: string,
  label: (account: Account) => string,
): Account | undefined {
  const connected = accounts.filter(everConnected);
  const candidates = connected.length > 0 ? connected : accounts;
  if (candidates.length > 1) {
    throw invalidField(
      field,
      `There are several accounts. Name one: ${namesOf(candidates, label)}.`,
      'ambiguous',
    );
  }
  return candidates[0];
}

/** The names for an error, as many as are readable. */
function namesOf(accounts: readonly Account[], label: (account: Account) => string): string {
  const shown = accounts.slice(0, MAX_NAMES).map(label).join(', ');
  return accounts.length > MAX_NAMES ? `${shown} and ${accounts.length - MAX_NAMES} more` : shown;
}

function unknownAccount(accounts: readonly Account[], isAmbiguous: boolean): ServiceError {
  const connected = accounts.filter(everConnected);
  const known =
    connected.length === 0
      ? 'There is none yet: leave account out to get a link.'
      : `There are: ${namesOf(connected, isAmbiguous ? pathOf : nameOf)}.`;
  return invalidField('account', `This names no account of yours for this tool. ${known}`, 'unknown');
}

/**
 * Returns the account if its connector is the tool's.
 *
 * @param field of the input that named the account
 * @throws ServiceError INVALID_ARGUMENT
 */
export function fitting(account: Account, tool: AccountUse, field: string): Account {
  requireConnectorOf(account.connection.connector, tool, field);
  return account;
}

/** The same for an account that is still to be made. @throws ServiceError INVALID_ARGUMENT */
export function requireConnectorOf(connector: string, tool: AccountUse, field: string): void {
  if (tool.connector === undefined || connector === tool.connector) return;
  throw invalidField(
    field,
    `${tool.name} needs an account of ${tool.connector}; this one is of ${connector}.`,
    'connector',
  );
}

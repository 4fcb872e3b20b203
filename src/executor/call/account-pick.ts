/** Which of some accounts is meant, and what a refusal says where none or several are. No database, no clock. */
import { invalidField, type ServiceError } from '../../core/errors.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';
import type { ConnectionRow } from '../../store/accounts/connection-store.ts';

/** What an account is wanted for: a tool, or with `connector` undefined a request to any connector. */
export interface AccountUse {
  /** For messages. */
  name: string;
  /** Whose account it has to be; undefined: of the connection that the reference names. */
  connector: string | undefined;
}

/** Names listed in a refusal. */
const MAX_NAMES = 20;

/**
 * The account that a name means: `<connection>/<identifier>`, or an identifier: at the connection the tool would use, else
 * at the only one that has it.
 *
 * @param rows the owner's accounts that may be meant
 * @param connections those of the tool, asked for where several accounts have the name
 * @throws ServiceError INVALID_ARGUMENT with the names there are
 */
export async function accountNamed(
  rows: readonly AccountRow[],
  wanted: string,
  connections: () => Promise<readonly ConnectionRow[]>,
): Promise<AccountRow> {
  const exact = rows.find((row) => pathOf(row) === wanted);
  if (exact !== undefined) return exact;
  const found = rows.filter((row) => row.identifier === wanted);
  const [only, ...others] = found;
  if (only === undefined) throw unknownAccount(rows, false);
  if (others.length === 0) return only;
  const [own, ...more] = await connections();
  const atOwn = more.length === 0 ? found.find((row) => row.connection_id === own?.id) : undefined;
  if (atOwn === undefined) throw unknownAccount(rows, true);
  return atOwn;
}

/** Whether an account has been usable once: it is, or its status says that it no longer is. */
export function everConnected(row: AccountRow): boolean {
  if (row.status === 'PENDING_VERIFICATION') return row.credentials_sealed !== null;
  return row.status !== 'PENDING_AUTH';
}

/** How an account is called among those of one connection. */
export const nameOf = (row: AccountRow): string => row.identifier;

/** How an account is called among those of several connections. */
export const pathOf = (row: AccountRow): string => `${row.connection_name}/${row.identifier}`;

/**
 * The only account, where accounts never connected do not count beside connected ones; undefined: there is none.
 *
 * @param field of the input that would name one
 * @param label how the accounts are called in the refusal
 * @throws ServiceError INVALID_ARGUMENT where there are several
 */
export function pick(
  rows: readonly AccountRow[],
  field: string,
  label: (row: AccountRow) => string,
): AccountRow | undefined {
  const connected = rows.filter(everConnected);
  const candidates = connected.length > 0 ? connected : rows;
  if (candidates.length > 1) {
    throw invalidField(
      field,
      `There are several accounts. Name one: ${namesOf(candidates, label)}.`,
      'ambiguous',
    );
  }
  return candidates[0];
}

/** For a refusal: as many names as somebody can read. */
function namesOf(rows: readonly AccountRow[], label: (row: AccountRow) => string): string {
  const shown = rows.slice(0, MAX_NAMES).map(label).join(', ');
  return rows.length > MAX_NAMES ? `${shown} and ${rows.length - MAX_NAMES} more` : shown;
}

function unknownAccount(rows: readonly AccountRow[], isAmbiguous: boolean): ServiceError {
  const connected = rows.filter(everConnected);
  const known =
    connected.length === 0
      ? 'There is none yet: leave account out to get a link.'
      : `There are: ${namesOf(connected, isAmbiguous ? pathOf : nameOf)}.`;
  return invalidField('account', `This names no account of yours for this tool. ${known}`, 'unknown');
}

/**
 * Returns the account where its connector is the tool's.
 *
 * @param field of the input that named the account
 * @throws ServiceError INVALID_ARGUMENT
 */
export function fitting(row: AccountRow, tool: AccountUse, field: string): AccountRow {
  if (tool.connector === undefined || row.connector === tool.connector) return row;
  throw invalidField(
    field,
    `${tool.name} needs an account of ${tool.connector}; this one is of ${row.connector}.`,
    'connector',
  );
}

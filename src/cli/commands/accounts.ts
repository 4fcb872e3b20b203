/** `gatehouse accounts`: connected accounts and their history. Shows no credential. */
import type { Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { adminCommand, commandGroup } from '../terminal/command.ts';
import { UsageError } from '../terminal/failure.ts';
import { readJsonObject } from '../terminal/json-input.ts';
import {
  OWNER_OPTIONS,
  PAGE_OPTIONS,
  YES_OPTION,
  type OptionValues,
  type OwnerOptions,
} from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

type ConnectedAccountInput = NonNullable<Parameters<Admin['accounts']['create']>[1]['connected_account']>;

const ACCOUNT = { id: 'ca_…' };

const CHANGE_OPTIONS = {
  '--details <json>':
    'authorization_details: @FILE, or - for stdin; JSON here is seen by other users of the machine',
  '--api-config <json>': 'api_config: JSON, @FILE or -',
  '--expires-at <time>': 'when the access token expires, RFC 3339',
};

const list = adminCommand({
  name: 'list',
  description: 'Lists accounts, newest first.',
  options: {
    '--connector <name>': 'of this connection only',
    '--identifier <text>': 'with this identifier only',
    '--status <status>': 'ACTIVE, EXPIRED, PENDING_AUTH, PENDING_VERIFICATION or DISCONNECTED',
    '--query <text>': 'with an identifier that begins with this',
    ...PAGE_OPTIONS,
    ...OWNER_OPTIONS,
  },
  example: 'gatehouse accounts list --connector websearch --status ACTIVE',
  run: async ({ admin, caller, options, out }) => {
    const page = await admin.accounts.list(caller, {
      connector: options.connector,
      identifier: options.identifier,
      status: options.status,
      query: options.query,
      page_size: options.pageSize,
      page_token: options.pageToken,
      ...owner(options),
    });
    out.list({
      answer: page,
      rows: page.connected_accounts,
      columns: ['id', 'connector', 'identifier', 'status', 'last_used_at'],
      empty: 'No account matches, or there is none yet: "gatehouse connect" creates one.',
    });
    out.nextPage(page);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows an account, without its credentials.',
  args: ACCOUNT,
  example: 'gatehouse accounts show ca_01k9',
  run: async ({ admin, caller, args, out }) => out.fields(await admin.accounts.describe(caller, args)),
});

const create = adminCommand({
  name: 'create',
  description:
    'Creates an account. Without credentials it waits for its owner; "gatehouse connect" asks for them here.',
  options: {
    '--connector <name>': { about: 'the connection', required: true },
    '--identifier <text>': {
      about: "the owner's name for the account, such as an email address",
      required: true,
    },
    ...OWNER_OPTIONS,
    ...CHANGE_OPTIONS,
  },
  example:
    'gatehouse accounts create --connector websearch --identifier alice --user alice --details @key.json',
  input: async ({ terminal, options }) => changes(terminal, options),
  run: async ({ admin, caller, options, input, out }) => {
    const { connector, identifier } = options;
    const account = { connector, identifier, ...owner(options), connected_account: input };
    present(out, admin, caller, await admin.accounts.create(caller, account), input);
  },
});

const update = adminCommand({
  name: 'update',
  description: 'Replaces credentials and merges api_config; leaves what is not given.',
  args: ACCOUNT,
  options: CHANGE_OPTIONS,
  example: 'gatehouse accounts update ca_01k9 --details - < key.json',
  input: async ({ terminal, options }) => {
    const input = await changes(terminal, options);
    if (Object.values(input).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --details.');
    return input;
  },
  run: async ({ admin, caller, args: { id }, input, out }) => {
    const account = await admin.accounts.update(caller, { id, connected_account: input });
    present(out, admin, caller, account, input);
  },
});

const refresh = adminCommand({
  name: 'refresh',
  description: 'Renews the access token of an account at once.',
  args: ACCOUNT,
  example: 'gatehouse accounts refresh ca_01k9',
  run: async ({ terminal, admin, caller, args, out }) =>
    out.fields(
      await withProgress(terminal, 'Refreshing', async () => admin.accountRefresh.refresh(caller, args.id)),
    ),
});

const disconnect = adminCommand({
  name: 'disconnect',
  description: 'Erases the credentials of an account and keeps the account.',
  args: ACCOUNT,
  example: 'gatehouse accounts disconnect ca_01k9',
  run: async ({ terminal, admin, caller, args, out }) =>
    out.fields(
      await withProgress(terminal, 'Disconnecting', async () =>
        admin.disconnection.disconnect(caller, args.id),
      ),
    ),
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes an account and its credentials.',
  args: ACCOUNT,
  options: YES_OPTION,
  example: 'gatehouse accounts delete ca_01k9 --yes',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id } = args;
    const { connector, identifier } = await admin.accounts.describe(caller, { id });
    await deleteConfirmed(context, {
      question: `Delete the ${connector} account of ${identifier}?`,
      name: id,
      remove: async () => admin.disconnection.remove(caller, { id }),
    });
  },
});

const events = adminCommand({
  name: 'events',
  description: 'Shows what happened to an account: every change of its status.',
  args: ACCOUNT,
  example: 'gatehouse accounts events ca_01k9',
  run: async ({ admin, caller, args, out }) => {
    const events = await admin.accounts.events(caller, args.id);
    out.list({
      answer: { events },
      rows: events,
      columns: ['at', 'from', 'to', 'cause', 'actor'],
      empty: 'Nothing has happened to this account yet.',
    });
  },
});

/** The command `accounts` with its subcommands. */
export const accountsCommand = commandGroup({
  name: 'accounts',
  description: 'Manages connected accounts.',
  commands: [list, show, create, update, refresh, disconnect, remove, events],
});

async function changes(
  terminal: Terminal,
  { details, apiConfig, expiresAt }: OptionValues<typeof CHANGE_OPTIONS>,
): Promise<ConnectedAccountInput> {
  return {
    authorization_details:
      details === undefined ? undefined : await readJsonObject(terminal, '--details', details),
    api_config:
      apiConfig === undefined ? undefined : await readJsonObject(terminal, '--api-config', apiConfig),
    token_expires_at: expiresAt,
  };
}

function owner({ user, organization }: OwnerOptions): { user_id?: string; organization_id?: string } {
  return {
    ...(user !== undefined && { user_id: user }),
    ...(organization !== undefined && { organization_id: organization }),
  };
}

/** Prints the account as data; for people also what of its `api_config` has no effect. */
function present(
  out: Output,
  { accounts }: Pick<Admin, 'accounts'>,
  { environmentId }: Caller,
  account: Awaited<ReturnType<Admin['accounts']['create']>>,
  connected_account: ConnectedAccountInput | undefined,
): void {
  out.fields(account);
  if (out.isJson) return;
  for (const warning of accounts.configWarnings(environmentId, account, { connected_account }))
    out.say(`Warning: ${warning}`);
}

/** `gatehouse accounts`: connected accounts, and their history. Shows no credential. */
import { Command } from 'commander';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { readJsonObject } from '../terminal/json-input.ts';
import {
  addCommonOptions,
  addJsonOption,
  addOwnerOptions,
  positiveInteger,
  withAdmin,
  type CommonOptions,
  type OwnerOptions,
} from '../terminal/options.ts';
import { printFields, printList } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

type ConnectedAccountInput = NonNullable<Parameters<Admin['accounts']['create']>[1]['connected_account']>;

interface ListOptions extends CommonOptions, OwnerOptions {
  connector?: string;
  identifier?: string;
  status?: string;
  query?: string;
  pageSize?: number;
  pageToken?: string;
}

interface ChangeOptions extends CommonOptions {
  details?: string;
  apiConfig?: string;
  expiresAt?: string;
}

interface CreateOptions extends ChangeOptions, OwnerOptions {
  connector: string;
  identifier: string;
}

/** The command `accounts` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('accounts')
    .description('Manages connected accounts.')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(createAccountCommand(terminal))
    .addCommand(updateCommand(terminal))
    .addCommand(refreshCommand(terminal))
    .addCommand(disconnectCommand(terminal))
    .addCommand(deleteCommand(terminal))
    .addCommand(eventsCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list')
    .description('Lists accounts, newest first.')
    .option('--connector <name>', 'of this connection only')
    .option('--identifier <text>', 'with this identifier only')
    .option('--status <status>', 'ACTIVE, EXPIRED, PENDING_AUTH, PENDING_VERIFICATION or DISCONNECTED')
    .option('--query <text>', 'with an identifier that begins so')
    .option('--page-size <number>', '1 to 100', positiveInteger)
    .option('--page-token <token>', 'the page that the last one pointed to');
  addJsonOption(addCommonOptions(addOwnerOptions(command))).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts list --connector websearch --status ACTIVE',
  );
  return command.action(async (options: ListOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const page = await admin.accounts.list(caller, {
        connector: options.connector,
        identifier: options.identifier,
        status: options.status,
        query: options.query,
        page_size: options.pageSize,
        page_token: options.pageToken,
        ...owner(options),
      });
      printList(terminal, {
        json: options.json === true,
        answer: page,
        rows: page.connected_accounts.map((account) => ({ ...account })),
        columns: ['id', 'connector', 'identifier', 'status', 'last_used_at'],
        empty: 'No account matches, or there is none yet: "gatehouse connect" makes one.',
      });
      if (options.json !== true && page.next_page_token !== '')
        say(terminal, `${page.total_size} in all. Next page: --page-token ${page.next_page_token}`);
    }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = withId(new Command('show').description('Shows an account, without its credentials.'));
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts show ca_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) =>
      printFields(terminal, options.json === true, { ...(await admin.accounts.describe(caller, { id })) }),
    ),
  );
}

function createAccountCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description(
      'Makes an account. Without credentials it waits for its owner; "gatehouse connect" asks for them here.',
    )
    .requiredOption('--connector <name>', 'the connection')
    .requiredOption('--identifier <text>', "the owner's name for the account, such as an email address");
  addChangeOptions(addOwnerOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts create --connector websearch --identifier alice --user alice --details @key.json',
  );
  return command.action(async (options: CreateOptions) => {
    const connected_account = await changes(terminal, options);
    await withAdmin(terminal, options, async (admin, caller) => {
      const { connector, identifier } = options;
      const account = await admin.accounts.create(caller, {
        connector,
        identifier,
        ...owner(options),
        connected_account,
      });
      printFields(terminal, options.json === true, { ...account });
    });
  });
}

function updateCommand(terminal: Terminal): Command {
  const command = withId(
    new Command('update').description(
      'Replaces credentials and merges api_config; leaves what is not given.',
    ),
  );
  addChangeOptions(command).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts update ca_01k9 --details - < key.json',
  );
  return command.action(async (id: string, options: ChangeOptions) => {
    const connected_account = await changes(terminal, options);
    await withAdmin(terminal, options, async (admin, caller) => {
      const account = await admin.accounts.update(caller, { id, connected_account });
      printFields(terminal, options.json === true, { ...account });
    });
  });
}

function refreshCommand(terminal: Terminal): Command {
  const command = withId(
    new Command('refresh').description('Renews the access token of an account at once.'),
  );
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts refresh ca_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const account = await withProgress(terminal, 'Refreshing', async () =>
        admin.accountRefresh.refresh(caller, id),
      );
      printFields(terminal, options.json === true, { ...account });
    }),
  );
}

function disconnectCommand(terminal: Terminal): Command {
  const command = withId(
    new Command('disconnect').description('Erases the credentials of an account and keeps the account.'),
  );
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts disconnect ca_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const account = await withProgress(terminal, 'Disconnecting', async () =>
        admin.disconnection.disconnect(caller, id),
      );
      printFields(terminal, options.json === true, { ...account });
    }),
  );
}

function deleteCommand(terminal: Terminal): Command {
  const command = withId(new Command('delete').description('Deletes an account and its credentials.')).option(
    '--yes',
    'do not ask',
  );
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts delete ca_01k9 --yes',
  );
  return command.action(async (id: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { connector, identifier } = await admin.accounts.describe(caller, { id });
      await deleteConfirmed(terminal, options, {
        question: `Delete the ${connector} account of ${identifier}?`,
        name: id,
        remove: async () => admin.disconnection.remove(caller, { id }),
      });
    }),
  );
}

function eventsCommand(terminal: Terminal): Command {
  const command = withId(
    new Command('events').description('Shows what happened to an account: every change of its status.'),
  );
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse accounts events ca_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const events = await admin.accounts.events(caller, id);
      printList(terminal, {
        json: options.json === true,
        answer: { events },
        rows: events.map((event) => ({ ...event })),
        columns: ['at', 'from', 'to', 'cause', 'actor'],
        empty: 'Nothing has happened to this account yet.',
      });
    }),
  );
}

function withId(command: Command): Command {
  return command.argument('<id>', 'ca_…');
}

function addChangeOptions(command: Command): Command {
  command
    .option(
      '--details <json>',
      'authorization_details: @FILE, or - for stdin; JSON here is seen by other users of the machine',
    )
    .option('--api-config <json>', 'api_config: JSON, @FILE or -')
    .option('--expires-at <time>', 'when the access token expires, RFC 3339');
  return addJsonOption(addCommonOptions(command));
}

async function changes(
  terminal: Terminal,
  { details, apiConfig, expiresAt }: ChangeOptions,
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

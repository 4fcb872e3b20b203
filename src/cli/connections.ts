/** `gatehouse connections`: how an environment reaches the connectors of the catalog. */
import { Command } from 'commander';
import type { Admin } from './app.ts';
import { askFields, confirmed } from './ask.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { readJsonObject } from './json-input.ts';
import { addCommonOptions, addJsonOption, commaList, withAdmin, type CommonOptions } from './options.ts';
import { printFields, printJson, printList } from './output.ts';
import { say, type Terminal } from './terminal.ts';

type ConnectionPatch = Parameters<Admin['connections']['update']>[2];

interface ChangeOptions extends CommonOptions {
  name?: string;
  authorizationType?: string;
  clientId?: string;
  clientSecret?: true;
  scopes?: string[];
  params?: string;
  overrides?: string;
  redirectUrl?: string;
}

interface CreateOptions extends ChangeOptions {
  id?: string;
}

/** The command `connections` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('connections')
    .description('Manages connections. Those that gatehouse.yaml declares are changed there.')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(createConnectionCommand(terminal))
    .addCommand(updateCommand(terminal))
    .addCommand(deleteCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list').description('Lists connections.');
  addJsonOption(addCommonOptions(command)).addHelpText('after', '\nExample:\n  gatehouse connections list');
  return command.action(async (options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const connections = await admin.connections.list(caller.environmentId);
      printList(terminal, {
        json: options.json === true,
        answer: { connections },
        rows: connections.map((connection) => ({ ...connection })),
        columns: ['id', 'name', 'connector', 'authorization_type', 'managed_by_file'],
        empty: 'There is no connection.',
      });
    }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = new Command('show')
    .description('Shows a connection, without its client secret.')
    .argument('<connection>', 'id or name');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections show websearch',
  );
  return command.action(async (name: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) =>
      printFields(terminal, options.json === true, {
        ...(await admin.connections.get(caller.environmentId, name)),
      }),
    ),
  );
}

function createConnectionCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description('Makes a connection to a connector.')
    .argument('<connector>', 'name of the connector in the catalog')
    .option('--id <id>', 'a fixed id, conn_…, hence a fixed redirect URI');
  addChangeOptions(command).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections create crm --client-id abc --client-secret --scopes note:read-write',
  );
  return command.action(async (connector: string, options: CreateOptions) => {
    const input = await changes(terminal, options);
    await withAdmin(terminal, options, async (admin, caller) => {
      const connection = await admin.connections.create(caller, { ...input, connector, id: options.id });
      printFields(terminal, options.json === true, { ...connection });
    });
  });
}

function updateCommand(terminal: Terminal): Command {
  const command = new Command('update')
    .description('Changes what is given and leaves the rest.')
    .argument('<connection>', 'id or name');
  addChangeOptions(command).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections update crm --scopes note:read-write,task:read-write',
  );
  return command.action(async (name: string, options: ChangeOptions) => {
    const patch = await changes(terminal, options);
    if (Object.values(patch).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --scopes.');
    await withAdmin(terminal, options, async (admin, caller) => {
      const connection = await admin.connections.update(caller, name, patch);
      printFields(terminal, options.json === true, { ...connection });
    });
  });
}

function deleteCommand(terminal: Terminal): Command {
  const command = new Command('delete')
    .description('Deletes a connection that no account uses.')
    .argument('<connection>', 'id or name')
    .option('--yes', 'do not ask');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections delete crm',
  );
  return command.action(async (name: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await admin.connections.get(caller.environmentId, name);
      if (options.yes !== true && !(await confirmed(terminal, `Delete the connection ${name}?`)))
        throw new CommandFailed('Nothing was deleted.');
      await admin.connections.remove(caller, id);
      if (options.json === true) printJson(terminal, {});
      else say(terminal, `Deleted ${name}.`);
    }),
  );
}

function addChangeOptions(command: Command): Command {
  command
    .option('--name <text>', 'the `connector` of requests; default: the name of the connector')
    .option('--authorization-type <type>', 'where the connector accepts several')
    .option('--client-id <id>', 'client id of your app at the provider')
    .option('--client-secret', 'ask for its secret; without a terminal it is a line of stdin')
    .option('--scopes <words>', 'scopes a link asks for, separated by commas', commaList)
    .option('--params <json>', 'what the connector needs: JSON or @FILE')
    .option('--overrides <json>', 'other endpoints: JSON or @FILE')
    .option('--redirect-url <url>', 'where the browser goes after verification');
  return addJsonOption(addCommonOptions(command));
}

async function changes(terminal: Terminal, options: ChangeOptions): Promise<ConnectionPatch> {
  const { params, overrides } = options;
  const [secret] =
    options.clientSecret === true
      ? await askFields(terminal, [{ label: 'Client secret', secret: true, required: true }])
      : [];
  return {
    name: options.name,
    authorization_type: options.authorizationType,
    client_id: options.clientId,
    client_secret: secret,
    scopes: options.scopes,
    params: params === undefined ? undefined : await readJsonObject(terminal, '--params', params),
    overrides:
      overrides === undefined
        ? undefined
        : ((await readJsonObject(terminal, '--overrides', overrides)) as Record<string, string>),
    post_user_verify_redirect_url: options.redirectUrl,
  };
}

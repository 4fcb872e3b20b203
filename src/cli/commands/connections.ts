/** `gatehouse connections`: how an environment reaches the connectors of the catalog. */
import { Command, Option } from 'commander';
import type { Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { askFields, deleteConfirmed } from '../terminal/ask.ts';
import { withHint } from '../terminal/did-you-mean.ts';
import { UsageError } from '../terminal/failure.ts';
import { readJsonObject } from '../terminal/json-input.ts';
import {
  addCommonOptions,
  addJsonOption,
  commaList,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printFields, printJson, printList } from '../terminal/output.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

type ConnectionPatch = Parameters<Admin['connections']['update']>[2];
type Connection = Awaited<ReturnType<Admin['connections']['get']>>;

interface ChangeOptions extends CommonOptions {
  name?: string;
  authorizationType?: string;
  clientId?: string;
  /** false: `--no-client-secret`. */
  clientSecret?: boolean;
  clientSecretEnv?: string;
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
        rows: connections.map((connection) => ({ ...connection, warnings: connection.warnings.length })),
        columns: ['id', 'name', 'connector', 'authorization_type', 'managed_by_file', 'warnings'],
        empty: 'There is no connection.',
      });
    }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = new Command('show')
    .description('Shows a connection, without its client secret, and what is left to do for it.')
    .argument('<connection>', 'id or name');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections show websearch',
  );
  return command.action(async (name: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) =>
      present(terminal, options, admin, await named(admin, caller, name)),
    ),
  );
}

function createConnectionCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description(
      'Makes a connection to a connector and shows the redirect URI to register with the provider. The client id may follow later.',
    )
    .argument('<connector>', 'name of the connector in the catalog')
    .option('--id <id>', 'a fixed id, conn_…, hence a fixed redirect URI');
  addChangeOptions(command).addHelpText(
    'after',
    '\nExample:\n  gatehouse connections create crm --client-id abc --client-secret --scopes note:read-write',
  );
  return command.action(async (connector: string, options: CreateOptions) => {
    const input = await given(terminal, options);
    await withAdmin(terminal, options, async (admin, caller) => {
      const connection = await admin.connections.create(caller, { ...input, connector, id: options.id });
      present(terminal, options, admin, connection);
    });
  });
}

function updateCommand(terminal: Terminal): Command {
  const command = new Command('update')
    .description('Changes what is given and leaves the rest.')
    .argument('<connection>', 'id or name');
  addChangeOptions(command)
    .option('--no-client-secret', 'take the secret away')
    .addHelpText(
      'after',
      '\nExample:\n  gatehouse connections update crm --scopes note:read-write,task:read-write',
    );
  return command.action(async (name: string, options: ChangeOptions) => {
    const patch: ConnectionPatch = {
      ...(await given(terminal, options)),
      ...(options.clientSecret === false && { client_secret: null }),
    };
    if (Object.values(patch).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --scopes.');
    await withAdmin(terminal, options, async (admin, caller) => {
      const update = async () => admin.connections.update(caller, name, patch);
      present(terminal, options, admin, await hinted(admin, caller, name, update));
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
      const { id } = await named(admin, caller, name);
      await deleteConfirmed(terminal, options, {
        question: `Delete the connection ${name}?`,
        name,
        remove: async () => admin.connections.remove(caller, id),
      });
    }),
  );
}

/** By id, else by name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(admin: Admin, caller: Caller, idOrName: string): Promise<Connection> {
  const { environmentId } = caller;
  return hinted(admin, caller, idOrName, async () => admin.connections.get(environmentId, idOrName));
}

async function hinted<T>(
  admin: Admin,
  { environmentId }: Caller,
  idOrName: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = async () => admin.connections.list(environmentId);
  return withHint(idOrName, { command: 'connections list', known, takes: 'name' }, work);
}

function addChangeOptions(command: Command): Command {
  command
    .option('--name <text>', 'the `connector` of requests; default: the name of the connector')
    .option('--authorization-type <type>', 'where the connector accepts several')
    .option('--client-id <id>', 'client id of your app at the provider')
    .option('--client-secret', 'ask for its secret; without a terminal it is a line of stdin')
    .addOption(
      new Option('--client-secret-env <name>', 'take the secret from this environment variable').conflicts(
        'clientSecret',
      ),
    )
    .option('--scopes <words>', 'scopes a link asks for, separated by commas', commaList)
    .option('--params <json>', 'what the connector needs: JSON or @FILE')
    .option('--overrides <json>', 'other endpoints: JSON or @FILE')
    .option('--redirect-url <url>', 'where the browser goes after verification');
  return addJsonOption(addCommonOptions(command));
}

/** What the options say; a secret never stands on the command line, where the shell's history would keep it. */
async function given(terminal: Terminal, options: ChangeOptions) {
  const { params, overrides } = options;
  return {
    name: options.name,
    authorization_type: options.authorizationType,
    client_id: options.clientId,
    client_secret: await clientSecret(terminal, options),
    scopes: options.scopes,
    params: params === undefined ? undefined : await readJsonObject(terminal, '--params', params),
    overrides:
      overrides === undefined
        ? undefined
        : ((await readJsonObject(terminal, '--overrides', overrides)) as Record<string, string>),
    post_user_verify_redirect_url: options.redirectUrl,
  };
}

async function clientSecret(
  terminal: Terminal,
  { clientSecret: isAsked, clientSecretEnv: variable }: ChangeOptions,
): Promise<string | undefined> {
  if (variable !== undefined) {
    const value = terminal.env[variable];
    if (value === undefined || value === '')
      throw new UsageError(`--client-secret-env: there is no environment variable ${variable}.`);
    return value;
  }
  if (isAsked !== true) return undefined;
  const [secret] = await askFields(terminal, [{ label: 'Client secret', secret: true, required: true }]);
  return secret;
}

/** The connection as data; for people also what is to be done with the provider, and what does not work yet. */
function present(terminal: Terminal, options: CommonOptions, admin: Admin, connection: Connection): void {
  if (options.json === true) return printJson(terminal, connection);
  const { warnings, redirect_uri, ...others } = connection;
  const connector = admin.catalog.connectors.get(connection.connector);
  const auth = connector?.auth.find(({ type }) => type === connection.authorization_type);
  const consent = auth?.oauth ?? auth?.smart_fhir ?? auth?.board_oauth1;
  // No provider sends a browser back to the others.
  printFields(terminal, false, consent === undefined ? others : { ...others, redirect_uri });
  if (connector !== undefined && consent !== undefined) {
    if (URL.canParse(redirect_uri))
      say(
        terminal,
        `In the app that you register with ${connector.title}, enter this redirect URI, letter for letter:\n  ${redirect_uri}`,
      );
    if (auth?.oauth?.scope_parameter === false && connection.scopes.length > 0)
      say(terminal, `In the same app, tick these scopes: ${connection.scopes.join(', ')}.`);
  }
  for (const warning of warnings) say(terminal, `Warning: ${warning}`);
}

/** `gatehouse connections`: how an environment reaches the connectors of the catalog. */
import { grantsTickedScopes } from '../../authorization-types/blocks.ts';
import { isByConsent } from '../../authorization-types/index.ts';
import type { Admin } from '../terminal/app.ts';
import { askFields, deleteConfirmed } from '../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../terminal/command.ts';
import { withHint, type Listed } from '../terminal/did-you-mean.ts';
import { UsageError } from '../terminal/failure.ts';
import { readJsonObject } from '../terminal/json-input.ts';
import {
  commaList,
  COMMON_OPTIONS,
  JSON_OPTION,
  YES_OPTION,
  type OptionSpecs,
  type OptionValues,
} from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';

type ConnectionPatch = Parameters<Admin['connections']['update']>[2];
type Connection = Awaited<ReturnType<Admin['connections']['get']>>;

const CONNECTION = { connection: 'id or name' };

const LISTED: Listed = {
  command: 'connections list',
  known: async ({ admin, caller }) => admin.connections.list(caller.environmentId),
  takes: 'name',
};

const CHANGE_OPTIONS = {
  '--name <text>': 'the `connector` of requests; default: the name of the connector',
  '--authorization-type <type>': 'where the connector accepts several',
  '--client-id <id>': 'client id of your app at the provider',
  '--client-secret': 'ask for its secret; without a terminal it is a line of stdin',
  '--client-secret-env <name>': {
    about: 'take the secret from this environment variable',
    conflicts: 'clientSecret',
  },
  '--scopes <words>': { about: 'scopes a link asks for, separated by commas', parse: commaList },
  '--params <json>': 'what the connector needs: JSON or @FILE',
  '--overrides <json>': 'other endpoints: JSON or @FILE',
  '--redirect-url <url>': 'where the browser goes after verification',
} satisfies OptionSpecs;

const UPDATE_OPTIONS = {
  ...CHANGE_OPTIONS,
  ...COMMON_OPTIONS,
  ...JSON_OPTION,
  '--no-client-secret': 'remove the secret',
} satisfies OptionSpecs;

const list = adminCommand({
  name: 'list',
  description: 'Lists connections.',
  example: 'gatehouse connections list',
  run: async ({ admin, caller, out }) => {
    const connections = await admin.connections.list(caller.environmentId);
    out.list({
      answer: { connections },
      rows: connections.map((connection) => ({ ...connection, warnings: connection.warnings.length })),
      columns: ['id', 'name', 'connector', 'authorization_type', 'managed_by_file', 'warnings'],
      empty: 'There is no connection.',
    });
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a connection, without its client secret, and what is left to do for it.',
  args: CONNECTION,
  example: 'gatehouse connections show websearch',
  run: async ({ args, out, ...operator }) => present(out, operator, await named(operator, args.connection)),
});

const create = adminCommand({
  name: 'create',
  description:
    'Creates a connection to a connector and shows the redirect URI to register with the provider. The client id may follow later.',
  args: { connector: 'name of the connector in the catalog' },
  options: { '--id <id>': 'a fixed id, conn_…, hence a fixed redirect URI', ...CHANGE_OPTIONS },
  example: 'gatehouse connections create crm --client-id abc --client-secret --scopes note:read-write',
  input: async ({ terminal, options }) => given(terminal, options),
  run: async ({ admin, caller, args: { connector }, options: { id }, input, out }) =>
    present(out, { admin, caller }, await admin.connections.create(caller, { ...input, connector, id })),
});

const update = adminCommand({
  name: 'update',
  description: 'Changes what is given and leaves the rest.',
  args: CONNECTION,
  options: UPDATE_OPTIONS,
  example: 'gatehouse connections update crm --scopes note:read-write,task:read-write',
  input: async ({ terminal, options }) => {
    const patch: ConnectionPatch = {
      ...(await given(terminal, options)),
      ...(options.clientSecret === false && { client_secret: null }),
    };
    if (Object.values(patch).every((value) => value === undefined))
      throw new UsageError('Nothing to change. Name what is new, such as --scopes.');
    return patch;
  },
  run: async ({ args: { connection }, input, out, ...operator }) => {
    const { admin, caller } = operator;
    const changed = await withHint(operator, connection, LISTED, async () =>
      admin.connections.update(caller, connection, input),
    );
    present(out, { admin, caller }, changed);
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes a connection that no account uses.',
  args: CONNECTION,
  options: YES_OPTION,
  example: 'gatehouse connections delete crm',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id } = await named(context, args.connection);
    await deleteConfirmed(context, {
      question: `Delete the connection ${args.connection}?`,
      name: args.connection,
      remove: async () => admin.connections.remove(caller, id),
    });
  },
});

/** The command `connections` with its subcommands. */
export const connectionsCommand = commandGroup({
  name: 'connections',
  description: 'Manages connections. Those that gatehouse.yaml declares are changed there.',
  commands: [list, show, create, update, remove],
});

/** Finds a connection by its id or its name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(operator: Operator, idOrName: string): Promise<Connection> {
  const { admin, caller } = operator;
  return withHint(operator, idOrName, LISTED, async () =>
    admin.connections.get(caller.environmentId, idOrName),
  );
}

/** Reads the change from the options. A secret is never an argument, because the shell's history would keep it. */
async function given(terminal: Terminal, options: OptionValues<typeof UPDATE_OPTIONS>) {
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
  { clientSecret: isAsked, clientSecretEnv: variable }: OptionValues<typeof UPDATE_OPTIONS>,
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

/** Prints the connection as data; for people also what they have to do at the provider, and the warnings. */
function present(
  out: Output,
  { admin, caller }: Pick<Operator, 'admin' | 'caller'>,
  connection: Connection,
): void {
  if (out.isJson) return out.json(connection);
  const { warnings, redirect_uri, ...others } = connection;
  const connector = admin.catalog.in(caller.environmentId).connectors.get(connection.connector);
  const auth = connector?.auth.find(({ type }) => type === connection.authorization_type);
  const hasRedirect = auth !== undefined && isByConsent(auth);
  out.fields(hasRedirect ? { ...others, redirect_uri } : others);
  if (connector !== undefined && hasRedirect) {
    if (URL.canParse(redirect_uri))
      out.say(
        `In the app that you register with ${connector.title}, enter this redirect URI, letter for letter:\n  ${redirect_uri}`,
      );
    if (grantsTickedScopes(auth) && connection.scopes.length > 0)
      out.say(`In the same app, tick these scopes: ${connection.scopes.join(', ')}.`);
  }
  for (const warning of warnings) out.say(`Warning: ${warning}`);
}

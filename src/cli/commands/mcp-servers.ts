/** `gatehouse mcp-servers`: named selections of connections, toolsets and tools with an address of their own. */
import { listenerOrigin } from '../../core/hosts.ts';
import type { Settings } from '../../settings/settings.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../terminal/command.ts';
import { withHint, type Listed } from '../terminal/did-you-mean.ts';
import { UsageError } from '../terminal/failure.ts';
import {
  commaList,
  COMMON_OPTIONS,
  JSON_OPTION,
  YES_OPTION,
  type CommonOptions,
  type OptionSpecs,
} from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';

const SERVER = { server: 'id or name' };

const LISTED: Listed = {
  command: 'mcp-servers list',
  known: async ({ admin, caller }) => admin.mcpServers.list(caller),
  takes: 'name',
};

const CONNECTIONS = { about: 'whose accounts its calls use, separated by commas', parse: commaList };

const SELECTION_OPTIONS = {
  '--toolsets <names>': {
    about: 'publish these: <connector>.<toolset>, <connector>, or default, core or all',
    parse: commaList,
  },
  '--tools <names>': {
    about: 'publish these tools; without toolsets and tools: all but the unlisted',
    parse: commaList,
  },
  '--read-only': 'publish only tools that change nothing',
} satisfies OptionSpecs;

const list = adminCommand({
  name: 'list',
  description: 'Lists MCP servers.',
  example: 'gatehouse mcp-servers list',
  run: async ({ admin, caller, settings, options, out }) => {
    const servers = await admin.mcpServers.list(caller);
    out.list({
      answer: { mcp_servers: servers },
      rows: servers,
      columns: ['id', 'name', 'connections', 'toolsets', 'tools', 'read_only', 'mcp_url'],
      empty: 'There is no MCP server other than /mcp.',
    });
    if (servers.length > 0) sayWhoseAddress(out, options, settings);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows an MCP server.',
  args: SERVER,
  example: 'gatehouse mcp-servers show support',
  run: async ({ args, options, out, ...operator }) => {
    out.fields(await named(operator, args.server));
    sayWhoseAddress(out, options, operator.settings);
  },
});

const create = adminCommand({
  name: 'create',
  description: 'Creates an MCP server. Its name is the end of its address and never changes.',
  args: { name: 'lower-case letters, digits and hyphens' },
  options: { '--connections <names>': { ...CONNECTIONS, required: true }, ...SELECTION_OPTIONS },
  example:
    'gatehouse mcp-servers create support --connections crm,mail --toolsets crm.tasks,mail --read-only',
  run: async ({ admin, caller, settings, args: { name }, options, out }) => {
    const { connections, toolsets = [], tools = [], readOnly = false } = options;
    out.fields(await admin.mcpServers.create(caller, { name, connections, toolsets, tools, readOnly }));
    sayWhoseAddress(out, options, settings);
  },
});

const update = adminCommand({
  name: 'update',
  description: 'Changes what is given and leaves the rest.',
  args: SERVER,
  options: {
    '--connections <names>': CONNECTIONS,
    ...SELECTION_OPTIONS,
    ...COMMON_OPTIONS,
    ...JSON_OPTION,
    '--no-read-only': 'publish tools that change something too',
  },
  example: 'gatehouse mcp-servers update support --toolsets crm.tasks',
  input: async ({ options: { connections, toolsets, tools, readOnly } }) => {
    const patch = {
      ...(connections !== undefined && { connections }),
      ...(toolsets !== undefined && { toolsets }),
      ...(tools !== undefined && { tools }),
      ...(readOnly !== undefined && { readOnly }),
    };
    if (Object.keys(patch).length === 0)
      throw new UsageError('Nothing to change. Name what is new, such as --tools.');
    return patch;
  },
  run: async ({ args: { server }, options, input, out, ...operator }) => {
    const { admin, caller, settings } = operator;
    const changed = await withHint(operator, server, LISTED, async () =>
      admin.mcpServers.update(caller, server, input),
    );
    out.fields(changed);
    sayWhoseAddress(out, options, settings);
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes an MCP server. Tokens for it end.',
  args: SERVER,
  options: YES_OPTION,
  example: 'gatehouse mcp-servers delete support',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id } = await named(context, args.server);
    await deleteConfirmed(context, {
      question: `Delete the MCP server ${args.server}?`,
      name: args.server,
      remove: async () => admin.mcpServers.remove(caller, id),
    });
  },
});

/** The command `mcp-servers` with its subcommands. */
export const mcpServersCommand = commandGroup({
  name: 'mcp-servers',
  description: 'Manages MCP servers in addition to /mcp: each publishes a selection of tools at /mcp/NAME.',
  commands: [list, show, create, update, remove],
});

/** Finds a server by its id or its name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(operator: Operator, idOrName: string) {
  const { admin, caller } = operator;
  return withHint(operator, idOrName, LISTED, async () => admin.mcpServers.get(caller, idOrName));
}

/**
 * A remark for addresses that follow from host and port of the settings: a server can have another address through
 * its own flags, or a port that only the server knows.
 */
function sayWhoseAddress(out: Output, options: CommonOptions, { environments, host, port }: Settings): void {
  const baseUrl = environments.find(({ name }) => name === options.environment)?.baseUrl;
  if (baseUrl === undefined)
    out.say(
      'With port 0 only the running server knows its port, so mcp_url is a path here. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    );
  else if (baseUrl === listenerOrigin(host, port))
    out.say(
      `${baseUrl} is the address of a server that has these settings. One that was started with --host, --port or --base-url is at that address instead: set port (GATEHOUSE_PORT) or base_url (GATEHOUSE_BASE_URL), and both know it.`,
    );
}

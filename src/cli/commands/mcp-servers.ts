/** `gatehouse mcp-servers`: named selections of connections, toolsets and tools with an address of their own. */
import { Command } from 'commander';
import type { Caller } from '../../core/caller.ts';
import { listenerOrigin } from '../../core/hosts.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { withHint } from '../terminal/did-you-mean.ts';
import { UsageError } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  commaList,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printFields, printList } from '../terminal/output.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

interface ChangeOptions extends CommonOptions {
  connections?: string[];
  toolsets?: string[];
  tools?: string[];
  /** false: `--no-read-only`. */
  readOnly?: boolean;
}

/** The command `mcp-servers` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('mcp-servers')
    .description('Manages MCP servers beside /mcp: each publishes a selection of tools at /mcp/NAME.')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(createServerCommand(terminal))
    .addCommand(updateCommand(terminal))
    .addCommand(deleteCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list').description('Lists MCP servers.');
  addJsonOption(addCommonOptions(command)).addHelpText('after', '\nExample:\n  gatehouse mcp-servers list');
  return command.action(async (options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller, settings) => {
      const servers = await admin.mcpServers.list(caller);
      printList(terminal, {
        json: options.json === true,
        answer: { mcp_servers: servers },
        rows: servers.map((server) => ({ ...server })),
        columns: ['id', 'name', 'connections', 'toolsets', 'tools', 'read_only', 'mcp_url'],
        empty: 'There is no MCP server beside /mcp.',
      });
      if (servers.length > 0) sayWhoseAddress(terminal, options, settings);
    }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = new Command('show').description('Shows an MCP server.').argument('<server>', 'id or name');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse mcp-servers show support',
  );
  return command.action(async (name: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller, settings) => {
      printFields(terminal, options.json === true, { ...(await named(admin, caller, name)) });
      sayWhoseAddress(terminal, options, settings);
    }),
  );
}

function createServerCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description('Makes an MCP server. Its name is the end of its address and never changes.')
    .argument('<name>', 'lower-case letters, digits and hyphens')
    .requiredOption('--connections <names>', 'whose accounts its calls use, separated by commas', commaList);
  addSelectionOptions(command).addHelpText(
    'after',
    '\nExample:\n  gatehouse mcp-servers create support --connections crm,mail --toolsets crm.tasks,mail --read-only',
  );
  return command.action(async (name: string, options: ChangeOptions) =>
    withAdmin(terminal, options, async (admin, caller, settings) => {
      const { connections = [], toolsets = [], tools = [], readOnly = false } = options;
      const input = { name, connections, toolsets, tools, readOnly };
      printFields(terminal, options.json === true, { ...(await admin.mcpServers.create(caller, input)) });
      sayWhoseAddress(terminal, options, settings);
    }),
  );
}

function updateCommand(terminal: Terminal): Command {
  const command = new Command('update')
    .description('Changes what is given and leaves the rest.')
    .argument('<server>', 'id or name')
    .option('--connections <names>', 'whose accounts its calls use, separated by commas', commaList);
  addSelectionOptions(command)
    .option('--no-read-only', 'publish tools that change something too')
    .addHelpText('after', '\nExample:\n  gatehouse mcp-servers update support --toolsets crm.tasks');
  return command.action(async (name: string, options: ChangeOptions) => {
    const { connections, toolsets, tools, readOnly } = options;
    const patch = {
      ...(connections !== undefined && { connections }),
      ...(toolsets !== undefined && { toolsets }),
      ...(tools !== undefined && { tools }),
      ...(readOnly !== undefined && { readOnly }),
    };
    if (Object.keys(patch).length === 0)
      throw new UsageError('Nothing to change. Name what is new, such as --tools.');
    await withAdmin(terminal, options, async (admin, caller, settings) => {
      const update = async () => admin.mcpServers.update(caller, name, patch);
      const server = await hinted(admin, caller, name, update);
      printFields(terminal, options.json === true, { ...server });
      sayWhoseAddress(terminal, options, settings);
    });
  });
}

function deleteCommand(terminal: Terminal): Command {
  const command = new Command('delete')
    .description('Deletes an MCP server. Tokens for it end.')
    .argument('<server>', 'id or name')
    .option('--yes', 'do not ask');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse mcp-servers delete support',
  );
  return command.action(async (name: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await named(admin, caller, name);
      await deleteConfirmed(terminal, options, {
        question: `Delete the MCP server ${name}?`,
        name,
        remove: async () => admin.mcpServers.remove(caller, id),
      });
    }),
  );
}

/** By id, else by name. @throws ServiceError RESOURCE_NOT_FOUND */
async function named(admin: Admin, caller: Caller, idOrName: string): ReturnType<Admin['mcpServers']['get']> {
  return hinted(admin, caller, idOrName, async () => admin.mcpServers.get(caller, idOrName));
}

async function hinted<T>(admin: Admin, caller: Caller, idOrName: string, work: () => Promise<T>): Promise<T> {
  const known = async () => admin.mcpServers.list(caller);
  return withHint(idOrName, { command: 'mcp-servers list', known, takes: 'name' }, work);
}

function addSelectionOptions(command: Command): Command {
  command
    .option('--toolsets <names>', 'publish these: <connector>.<toolset>, or <connector>', commaList)
    .option('--tools <names>', 'publish these tools; without toolsets and tools: all', commaList)
    .option('--read-only', 'publish only tools that change nothing');
  return addJsonOption(addCommonOptions(command));
}

/**
 * Said where the address shown is what host and port of the settings make: a server may have others by its own flags, or
 * a port that nobody else knows.
 */
function sayWhoseAddress(
  terminal: Terminal,
  options: CommonOptions,
  { environments, host, port }: Settings,
): void {
  const baseUrl = environments.find(({ name }) => name === options.environment)?.baseUrl;
  if (baseUrl === undefined)
    say(
      terminal,
      'With port 0 only the running server knows its port, so mcp_url is a path here. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    );
  else if (baseUrl === listenerOrigin(host, port))
    say(
      terminal,
      `${baseUrl} is the address of a server that has these settings. One that was started with --host, --port or --base-url is at that address instead: set port (GATEHOUSE_PORT) or base_url (GATEHOUSE_BASE_URL), and both know it.`,
    );
}

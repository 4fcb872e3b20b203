/** `gatehouse mcp-servers`: named selections of connections, toolsets and tools with an address of their own. */
import { Command } from 'commander';
import { deleteConfirmed } from './ask.ts';
import { UsageError } from './failure.ts';
import { addCommonOptions, addJsonOption, commaList, withAdmin, type CommonOptions } from './options.ts';
import { printFields, printList } from './output.ts';
import type { Terminal } from './terminal.ts';

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
    withAdmin(terminal, options, async (admin, caller) => {
      const servers = await admin.mcpServers.list(caller);
      printList(terminal, {
        json: options.json === true,
        answer: { mcp_servers: servers },
        rows: servers.map((server) => ({ ...server })),
        columns: ['id', 'name', 'connections', 'toolsets', 'tools', 'read_only', 'mcp_url'],
        empty: 'There is no MCP server beside /mcp.',
      });
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
    withAdmin(terminal, options, async (admin, caller) =>
      printFields(terminal, options.json === true, { ...(await admin.mcpServers.get(caller, name)) }),
    ),
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
    withAdmin(terminal, options, async (admin, caller) => {
      const { connections = [], toolsets = [], tools = [], readOnly = false } = options;
      const input = { name, connections, toolsets, tools, readOnly };
      printFields(terminal, options.json === true, { ...(await admin.mcpServers.create(caller, input)) });
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
    await withAdmin(terminal, options, async (admin, caller) =>
      printFields(terminal, options.json === true, {
        ...(await admin.mcpServers.update(caller, name, patch)),
      }),
    );
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
      const { id } = await admin.mcpServers.get(caller, name);
      await deleteConfirmed(terminal, options, {
        question: `Delete the MCP server ${name}?`,
        name,
        remove: async () => admin.mcpServers.remove(caller, id),
      });
    }),
  );
}

function addSelectionOptions(command: Command): Command {
  command
    .option('--toolsets <names>', 'publish these: <connector>.<toolset>, or <connector>', commaList)
    .option('--tools <names>', 'publish these tools; without toolsets and tools: all', commaList)
    .option('--read-only', 'publish only tools that change nothing');
  return addJsonOption(addCommonOptions(command));
}

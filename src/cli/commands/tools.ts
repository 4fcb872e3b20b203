/** `gatehouse tools`: the catalog's tools, and calls of them as an agent would make them. */
import { Command } from 'commander';
import { ServiceError } from '../../core/errors.ts';
import { nearest, shellWord } from '../../core/text.ts';
import { UsageError } from '../terminal/failure.ts';
import type { Admin, App } from '../terminal/app.ts';
import { readJson } from '../terminal/json-input.ts';
import {
  addCommonOptions,
  addJsonOption,
  addOwnerOptions,
  readSettings,
  withAdmin,
  type CommonOptions,
  type OwnerOptions,
} from '../terminal/options.ts';
import { printJson, printList } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

type Tool = Awaited<ReturnType<App['loadCatalog']>>['tools'] extends ReadonlyMap<string, infer T> ? T : never;

type Called = Awaited<ReturnType<Admin['executor']['execute']>>;

interface ListOptions extends CommonOptions {
  connector?: string;
  toolset?: string;
  query?: string;
}

interface CallOptions extends CommonOptions, OwnerOptions {
  input: string;
  account?: string;
  connector?: string;
  identifier?: string;
  dryRun?: boolean;
}

/** The command `tools` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('tools')
    .description('Lists, shows and calls the tools of the catalog.')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(callCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list')
    .description('Lists tools.')
    .option('--connector <name>', 'of this connector only')
    .option('--toolset <name>', 'of this toolset only')
    .option('--query <words>', 'with these words in name, title or description')
    .addHelpText('after', '\nExample:\n  gatehouse tools list --connector websearch');
  addJsonOption(addCommonOptions(command));
  return command.action(async (options: ListOptions) => {
    const { settings } = readSettings(terminal, options);
    const catalog = await terminal.app.loadCatalog(settings.catalogDirs);
    const { connector } = options;
    if (connector !== undefined && !catalog.connectors.has(connector)) {
      const known = [...catalog.connectors.keys()].join(', ');
      throw new UsageError(`There is no connector ${connector}. There are: ${known}.`);
    }
    requireToolset([...catalog.tools.values()], options);
    const tools = [...catalog.tools.values()].filter((tool) => isWanted(tool, options)).map(view);
    printList(terminal, {
      json: options.json === true,
      answer: { tools },
      rows: tools,
      columns: ['name', 'effect', 'toolset', 'title'],
      empty: 'No tool matches.',
    });
  });
}

function showCommand(terminal: Terminal): Command {
  const command = new Command('show')
    .description('Shows a tool: what it does and which input it takes.')
    .argument('<name>', 'name of the tool')
    .addHelpText('after', '\nExample:\n  gatehouse tools show websearch_search');
  addJsonOption(addCommonOptions(command));
  return command.action(async (name: string, options: CommonOptions) => {
    const { settings } = readSettings(terminal, options);
    const catalog = await terminal.app.loadCatalog(settings.catalogDirs);
    const tool = toolNamed(catalog, name);
    if (tool.name !== name) sayRenamed(terminal, [{ kind: 'tool', from: name, to: tool.name }]);
    if (options.json === true) return printJson(terminal, view(tool));
    print(
      terminal,
      `${tool.name} (${tool.effect}, ${tool.connector}.${tool.toolset})\n${tool.title}\n\n${tool.description}\n\nInput:`,
    );
    printJson(terminal, tool.inputSchema);
  });
}

function callCommand(terminal: Terminal): Command {
  const command = new Command('call')
    .description(
      'Calls a tool and prints its result as JSON. Without an account option, the account of mcp.user_id or mcp.organization_id is used.',
    )
    .argument('<name>', 'name of the tool')
    .option('--input <json>', 'the input: JSON, @FILE, or - for stdin', '{}')
    .option('--account <id>', 'the connected account, ca_…')
    .option('--connector <name>', 'the connection, where there are several')
    .option('--identifier <text>', 'which of several accounts')
    .option('--dry-run', 'print the provider request with the credential masked, and send nothing');
  addOwnerOptions(command).addHelpText(
    'after',
    `\nExamples:\n  gatehouse tools call websearch_search --input '{"query":"MCP servers"}'\n  gatehouse tools call websearch_search --user alice --input @query.json`,
  );
  addJsonOption(addCommonOptions(command));
  return command.action(async (name: string, options: CallOptions) => {
    const input = await readJson(terminal, '--input', options.input);
    await withAdmin(terminal, options, async (admin, caller, { mcp }) => {
      const tool = toolNamed(admin.catalog, name);
      const account = {
        id: options.account,
        connector: options.connector,
        identifier: options.identifier,
        ...ownerOf(options, mcp),
      };
      const call = { caller, toolName: name, input, account };
      const isDry = options.dryRun === true;
      let renamed: Called['renamed'];
      const result = await withProgress(
        terminal,
        isDry ? `Preparing ${name}` : `Calling ${name}`,
        async () => {
          try {
            if (isDry) return { dry_run: true, ...(await admin.executor.dryRun(call)) };
            const called = await admin.executor.execute(call);
            renamed = called.renamed;
            return answerOf(called, options.json === true);
          } catch (error) {
            if (!(error instanceof ServiceError) || !MENDED_BY_CONNECTING.has(error.code)) throw error;
            throw withAdvice(error, tool, account, options);
          }
        },
      );
      printJson(terminal, result);
      sayRenamed(terminal, renamed);
    });
  });
}

/** Whoever calls by an old name is told the new one, beside the answer. */
function sayRenamed(terminal: Terminal, renamed: Called['renamed'] = []): void {
  for (const { kind, from, to } of renamed) say(terminal, `The ${kind} ${from} is now called ${to}.`);
}

/** The provider's answer alone, or with what else is known of the call. */
function answerOf({ data, executionId, account }: Called, isWhole: boolean): unknown {
  return isWhole ? { data, execution_id: executionId, account } : data;
}

function toolNamed({ tools }: { tools: ReadonlyMap<string, Tool> }, name: string): Tool {
  const tool = tools.get(name) ?? [...tools.values()].find(({ aliases }) => aliases?.includes(name));
  if (tool !== undefined) return tool;
  const close = nearest(name, tools.keys());
  const hint = close === undefined ? '' : ` Did you mean ${close}?`;
  throw new UsageError(`There is no tool ${name}.${hint} "gatehouse tools list" shows all.`);
}

interface NamedAccount {
  id: string | undefined;
  connector: string | undefined;
  identifier: string | undefined;
  userId?: string;
  organizationId?: string;
}

/** Refusals that `gatehouse connect` mends. */
const MENDED_BY_CONNECTING: ReadonlySet<string> = new Set([
  'RESOURCE_NOT_FOUND',
  'CONNECTED_ACCOUNT_NOT_ACTIVE',
]);

/** The refusal with the command that makes the account, or connects it again. */
function withAdvice(
  error: ServiceError,
  tool: Tool,
  account: NamedAccount,
  options: CallOptions,
): ServiceError {
  const { id, connector = tool.connector, identifier, userId, organizationId } = account;
  const flags = {
    user: userId,
    organization: organizationId,
    identifier,
    environment: options.environment === 'development' ? undefined : options.environment,
    config: options.config,
  };
  const words = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, shellWord(value)],
  );
  const isThere = error.code !== 'RESOURCE_NOT_FOUND';
  const command = `gatehouse connect ${[shellWord(connector), ...words].join(' ')}`;
  const advice =
    id === undefined
      ? `From this terminal: ${command}`
      : isThere
        ? 'The link opens while "gatehouse serve" runs.'
        : '"gatehouse accounts list" shows all.';
  return new ServiceError(error.code, `${error.message} ${advice}`, { details: error.details, cause: error });
}

/** The owner that was named, else the one of stdio sessions, so that a call here is a call of the desktop client. */
function ownerOf(
  options: CallOptions,
  mcp: { userId: string; organizationId?: string },
): { userId?: string; organizationId?: string } {
  if (options.account !== undefined) return {};
  if (options.user !== undefined) return { userId: options.user };
  if (options.organization !== undefined) return { organizationId: options.organization };
  return mcp.organizationId === undefined ? { userId: mcp.userId } : { organizationId: mcp.organizationId };
}

/** @throws UsageError for a toolset that no tool, or none of the connector, is in */
function requireToolset(tools: readonly Tool[], { connector, toolset }: ListOptions): void {
  if (toolset === undefined) return;
  const among = tools.filter((tool) => connector === undefined || tool.connector === connector);
  if (among.some((tool) => isWanted(tool, { toolset }))) return;
  const known = new Set(among.map((tool) => `${tool.connector}.${tool.toolset}`));
  const whose = connector === undefined ? '' : ` of ${connector}`;
  throw new UsageError(`There is no toolset ${toolset}${whose}. There are: ${[...known].join(', ')}.`);
}

function isWanted(
  tool: Tool,
  { connector, toolset, query = '' }: Pick<ListOptions, 'connector' | 'toolset' | 'query'>,
): boolean {
  const text = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
  return (
    (connector === undefined || tool.connector === connector) &&
    (toolset === undefined || tool.toolset === toolset || `${tool.connector}.${tool.toolset}` === toolset) &&
    query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}

/** As REST shows it (docs/contract.md#bodies). */
function view(tool: Tool) {
  const { name, title, description, connector, toolset, effect, inputSchema, scopes } = tool;
  return { name, title, description, connector, toolset, effect, input_schema: inputSchema, scopes };
}

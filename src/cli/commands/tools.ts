/** `gatehouse tools`: the catalog's tools, and calls of them as an agent would make them. */
import { ServiceError } from '../../core/errors.ts';
import { nearest, shellWord } from '../../core/text.ts';
import type { Admin, App } from '../terminal/app.ts';
import { adminCommand, command, commandGroup } from '../terminal/command.ts';
import { UsageError } from '../terminal/failure.ts';
import { readJson } from '../terminal/json-input.ts';
import {
  OWNER_OPTIONS,
  ownerOrDefault,
  readSettings,
  type CommonOptions,
  type OptionValues,
} from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';

type Tool = Awaited<ReturnType<App['loadCatalog']>>['tools'] extends ReadonlyMap<string, infer T> ? T : never;

type Called = Awaited<ReturnType<Admin['executor']['execute']>>;

const TOOL = { name: 'name of the tool' };

const FILTER_OPTIONS = {
  '--connector <name>': 'of this connector only',
  '--toolset <name>': 'of this toolset only',
  '--query <words>': 'with these words in name, title or description',
};

type Filter = Partial<OptionValues<typeof FILTER_OPTIONS>>;

const list = command({
  name: 'list',
  description: 'Lists tools.',
  options: FILTER_OPTIONS,
  example: 'gatehouse tools list --connector websearch',
  run: async ({ terminal, options, out }) => {
    const { settings, environment } = readSettings(terminal, options);
    const catalog = await terminal.app.loadCatalog(settings, environment.name);
    const { connector } = options;
    if (connector !== undefined && !catalog.connectors.has(connector)) {
      const known = [...catalog.connectors.keys()].join(', ');
      throw new UsageError(`There is no connector ${connector}. There are: ${known}.`);
    }
    requireToolset([...catalog.tools.values()], options);
    const tools = [...catalog.tools.values()].filter((tool) => isWanted(tool, options)).map(view);
    out.list({
      answer: { tools },
      rows: tools,
      columns: ['name', 'effect', 'toolset', 'title'],
      empty: 'No tool matches.',
    });
  },
});

const show = command({
  name: 'show',
  description: 'Shows a tool: what it does and which input it takes.',
  args: TOOL,
  example: 'gatehouse tools show websearch_search',
  run: async ({ terminal, args: { name }, options, out }) => {
    const { settings, environment } = readSettings(terminal, options);
    const tool = toolNamed(await terminal.app.loadCatalog(settings, environment.name), name);
    if (tool.name !== name) sayRenamed(out, [{ kind: 'tool', from: name, to: tool.name }]);
    if (out.isJson) return out.json(view(tool));
    const scopes = tool.scopes.map((group) => group.join(' or ')).join(', ');
    out.print(
      `${tool.name} (${tool.effect}, ${tool.connector}.${tool.toolset})\n${tool.title}\n\n${tool.description}\n${scopes === '' ? '' : `Scopes: ${scopes}\n`}\nInput:`,
    );
    out.json(tool.inputSchema);
  },
});

const call = adminCommand({
  name: 'call',
  description:
    'Calls a tool and prints its result as JSON. Without an account option, the account of mcp.user_id or mcp.organization_id is used.',
  args: TOOL,
  options: {
    '--input <json>': { about: 'the input: JSON, @FILE, or - for stdin', fallback: '{}' },
    '--account <id>': 'the connected account, ca_…',
    '--connector <name>': 'the connection, where there are several',
    '--identifier <text>': 'which of several accounts',
    '--dry-run':
      'print the provider request with the credential masked, and send nothing; works without an account where the address is known',
    ...OWNER_OPTIONS,
  },
  example: [
    `gatehouse tools call websearch_search --input '{"query":"MCP servers"}'`,
    'gatehouse tools call websearch_search --user alice --input @query.json',
  ],
  input: async ({ terminal, options }) => readJson(terminal, '--input', options.input),
  run: async ({ terminal, admin, caller, settings, args: { name }, options, input, out }) => {
    const tool = toolNamed(admin.catalog.in(caller.environmentId), name);
    const { account: id, connector, identifier } = options;
    // By default a call uses the owner of stdio sessions, so that it is a call of the desktop client.
    const owner = id === undefined ? ownerOrDefault(options, settings) : {};
    const account = { id, connection: connector, identifier, ...owner };
    const request = { caller, toolName: name, input, account };
    const isDry = options.dryRun === true;
    let notes: Pick<Called, 'renamed' | 'warnings'> = {};
    const result = await withProgress(terminal, isDry ? `Preparing ${name}` : `Calling ${name}`, async () => {
      try {
        if (isDry) return { dry_run: true, ...(await admin.executor.dryRun(request)) };
        const called = await admin.executor.execute(request);
        notes = called;
        return answerOf(called, out.isJson);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const isMissing = FIXED_BY_CONNECTING.has(error.code);
        if (isDry && id === undefined && (isMissing || error.code === 'CONNECTION_MISSING')) {
          const shown = await admin.executor.dryRunWithoutAccount(request);
          if (shown !== undefined) return { dry_run: true, ...shown };
        }
        throw isMissing ? withAdvice(error, tool, account, options) : error;
      }
    });
    out.json(result);
    sayRenamed(out, notes.renamed);
    for (const warning of notes.warnings ?? []) out.say(warning);
  },
});

/** The command `tools` with its subcommands. */
export const toolsCommand = commandGroup({
  name: 'tools',
  description: 'Lists, shows and calls the tools of the catalog.',
  commands: [list, show, call],
});

/** Tells a caller that used an old name the current one, in addition to the answer. */
function sayRenamed(out: Output, renamed: Called['renamed'] = []): void {
  for (const { kind, from, to } of renamed) out.say(`The ${kind} ${from} is now called ${to}.`);
}

/** The provider's answer alone, or with the execution and the account of the call. */
function answerOf({ data, executionId, account, warnings }: Called, isWhole: boolean): unknown {
  const { id, identifier, connection: connector } = account;
  if (!isWhole) return data;
  const about = { execution_id: executionId, account: { id, identifier, connector } };
  return { data, ...about, ...(warnings !== undefined && { warnings }) };
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
  connection: string | undefined;
  identifier: string | undefined;
  userId?: string;
  organizationId?: string;
}

/** Refusals that `gatehouse connect` fixes. */
const FIXED_BY_CONNECTING: ReadonlySet<string> = new Set([
  'RESOURCE_NOT_FOUND',
  'CONNECTED_ACCOUNT_NOT_ACTIVE',
]);

/** Adds the command that makes the account or connects it again. */
function withAdvice(
  error: ServiceError,
  tool: Tool,
  account: NamedAccount,
  options: CommonOptions,
): ServiceError {
  const { id, connection = tool.connector, identifier, userId, organizationId } = account;
  const flags = {
    user: userId,
    organization: organizationId,
    identifier,
    environment: options.environment === 'development' ? undefined : options.environment,
    config: options.config,
  };
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, shellWord(value)],
  );
  const isThere = error.code !== 'RESOURCE_NOT_FOUND';
  const command = `gatehouse connect ${[shellWord(connection), ...given].join(' ')}`;
  const advice =
    id === undefined
      ? `From this terminal: ${command}`
      : isThere
        ? 'The link opens while "gatehouse serve" runs.'
        : '"gatehouse accounts list" shows all.';
  return new ServiceError(error.code, `${error.message} ${advice}`, { details: error.details, cause: error });
}

/** @throws UsageError if the toolset does not exist, or the connector does not have it */
function requireToolset(tools: readonly Tool[], { connector, toolset }: Filter): void {
  if (toolset === undefined) return;
  const among = tools.filter((tool) => connector === undefined || tool.connector === connector);
  if (among.some((tool) => isWanted(tool, { toolset }))) return;
  const known = new Set(among.map((tool) => `${tool.connector}.${tool.toolset}`));
  const whose = connector === undefined ? '' : ` of ${connector}`;
  throw new UsageError(`There is no toolset ${toolset}${whose}. There are: ${[...known].join(', ')}.`);
}

function isWanted(tool: Tool, { connector, toolset, query = '' }: Filter): boolean {
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

/** A tool as REST shows it (docs/contract.md#bodies). */
function view(tool: Tool) {
  const { name, title, description, connector, toolset, effect, inputSchema, scopes } = tool;
  return { name, title, description, connector, toolset, effect, input_schema: inputSchema, scopes };
}

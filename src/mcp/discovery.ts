/**
 * Discovery mode: three tools that find, describe and run the others, for hosts that cannot handle a long
 * list (`--discovery`).
 *
 * Tool names are arguments here, so an unknown one is a tool error that the model can correct.
 */
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import { renamedIn, renamedSentences } from '../catalog/model/aliases.ts';
import { coerced } from '../catalog/call/coercion.ts';
import { invalidArgument, violation, type FieldViolation } from '../core/errors.ts';
import type { Arguments, CallContext, ToolAnswer, WantedTool } from './session.ts';
import { publish, publishWithAccounts } from './published-tools.ts';
import { framed, notice } from './result-blocks.ts';
import { toolErrorResult } from './tool-error.ts';
import { unknownToolAdvice, wantedTool } from './tool-names.ts';

const DEFAULT_HITS = 8;
const MAX_HITS = 30;

const LOOKUP = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const TOOL_NAME = { type: 'string', description: 'Name of a tool, as search_tools gives it.' };

/** The three tools as published. call_tool is marked as dangerous as the most dangerous tool it can run. */
export const DISCOVERY_TOOLS: Readonly<Record<'all' | 'readOnly', readonly McpTool[]>> = {
  all: discoveryTools({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  }),
  readOnly: discoveryTools({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  }),
};

function discoveryTools(callAnnotations: typeof LOOKUP): readonly McpTool[] {
  return Object.freeze([
    {
      name: 'search_tools',
      title: 'Search tools',
      description:
        'Finds tools by words of their names, descriptions and parameters, best match first. ' +
        'Start here; then describe_tool, then call_tool.',
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'What to do and to what, in a few words: "list open tasks".',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_HITS,
            default: DEFAULT_HITS,
            description: 'Most tools to return.',
          },
        },
        required: ['query'],
        additionalProperties: false,
      },
      annotations: LOOKUP,
    },
    {
      name: 'describe_tool',
      title: 'Describe a tool',
      description: 'Full description and input schema of one tool. Read it before the first call_tool.',
      inputSchema: {
        type: 'object',
        properties: { name: TOOL_NAME },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: LOOKUP,
    },
    {
      name: 'call_tool',
      title: 'Call a tool',
      description: 'Runs a tool found with search_tools, with arguments as describe_tool shows them.',
      inputSchema: {
        type: 'object',
        properties: {
          name: TOOL_NAME,
          arguments: {
            type: 'object',
            additionalProperties: true,
            description: 'Arguments of the tool, `account` among them where describe_tool lists it.',
          },
        },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: callAnnotations,
    },
  ]);
}

/**
 * Answers a call of one of the three.
 *
 * @param run runs a catalog tool
 * @returns `undefined` for any other name
 */
export async function callDiscoveryTool(
  call: CallContext,
  name: string,
  args: Arguments,
  run: (call: CallContext, wanted: WantedTool) => Promise<ToolAnswer>,
): Promise<ToolAnswer | undefined> {
  try {
    switch (name) {
      case 'search_tools':
        return await searchTools(call, args);
      case 'describe_tool':
        return await describeTool(call, args);
      case 'call_tool':
        return framed(await run(call, callTarget(call, args)));
      default:
        return undefined;
    }
  } catch (error) {
    const { parts, session } = call;
    return toolErrorResult(error, {
      toolName: name,
      environmentId: session.caller.environmentId,
      log: parts.log,
    });
  }
}

async function searchTools({ parts, session }: CallContext, args: Arguments): Promise<CallToolResult> {
  const { query, limit = DEFAULT_HITS } = args;
  const violations = unknownArguments(args, ['query', 'limit']);
  if (typeof query !== 'string' || query.trim() === '') {
    violations.push(violation('query', 'Say in a few words what the tool should do.', 'required'));
  }
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_HITS) {
    violations.push(violation('limit', `A whole number from 1 to ${MAX_HITS}.`, 'range'));
  }
  if (violations.length > 0) throw invalidArgument(violations);
  const listed = session.publishedTools.listed(await parts.connectorsInUse.of(session.caller.environmentId));
  // Loaded with the first search, so that the start does not pay for it.
  const { rankTools } = await import('./tool-search.ts');
  const hits = rankTools(listed, String(query)).slice(0, Number(limit));
  const tools = hits.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    read_only: tool.annotations.readOnlyHint,
  }));
  const apps = [...new Set(listed.map((tool) => tool.connector))].join(', ');
  return {
    content: [
      notice(JSON.stringify({ tools })),
      ...(tools.length === 0
        ? [notice(`No tool matches. There are tools for: ${apps}. Try other words.`)]
        : []),
    ],
  };
}

async function describeTool({ parts, session }: CallContext, args: Arguments): Promise<CallToolResult> {
  const violations = unknownArguments(args, ['name']);
  const wanted = findTool(session, args.name, violations);
  if (wanted === undefined || violations.length > 0) throw invalidArgument(violations);
  const { tool } = wanted;
  const { caller, connections } = session;
  const choices = caller.owner && (await parts.executor.accountChoices(caller, connections));
  const identifiers = choices?.get(tool.connector);
  const published = identifiers === undefined ? publish(tool) : publishWithAccounts(tool, identifiers);
  const renamed = renamedSentences(renamedIn(tool, wanted.name, {}));
  return {
    content: [notice(JSON.stringify(published)), ...(renamed === '' ? [] : [notice(renamed)])],
  };
}

function callTarget({ session }: CallContext, args: Arguments): WantedTool {
  const violations = unknownArguments(args, ['name', 'arguments']);
  const toolArguments = coerced({ type: 'object' }, args.arguments ?? {});
  const wanted = findTool(session, args.name, violations);
  if (typeof toolArguments !== 'object' || toolArguments === null || Array.isArray(toolArguments)) {
    violations.push(violation('arguments', "An object with the tool's arguments.", 'type'));
  }
  if (wanted === undefined || violations.length > 0) throw invalidArgument(violations);
  return { ...wanted, args: toolArguments as Arguments };
}

function findTool(
  { publishedTools }: CallContext['session'],
  name: unknown,
  violations: FieldViolation[],
): WantedTool | undefined {
  const text = typeof name === 'string' ? name : '';
  const wanted = wantedTool(publishedTools, text, {});
  if (wanted === undefined) {
    const { readOnly, tools } = publishedTools.selected;
    const reason = readOnly
      ? 'There is no such tool, or it changes something and this server is read-only.'
      : 'There is no such tool.';
    const advice = unknownToolAdvice(tools, text) || 'Use a name that search_tools gives.';
    violations.push(violation('name', `${reason} ${advice}`, 'unknown'));
  }
  return wanted;
}

function unknownArguments(args: Arguments, known: readonly string[]): FieldViolation[] {
  return Object.keys(args)
    .filter((name) => !known.includes(name))
    .map((name) => violation(name, `There is no such parameter. There are: ${known.join(', ')}.`, 'unknown'));
}

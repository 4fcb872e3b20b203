/**
 * Discovery: the tools that find, describe and run the others, for hosts that cannot handle a long list
 * (`--discovery`).
 *
 * Tool names are arguments here, so an unknown one is a tool error that the model can correct.
 */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import { formsOf, isKept, shownTools } from './tool-forms.ts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { renamedIn, renamedSentences } from '../catalog/model/aliases.ts';
import { coerced } from '../catalog/call/coercion.ts';
import { namedTools } from '../catalog/model/tool-selection.ts';
import type { Tool } from '../catalog/model/types.ts';
import { invalidArgument, violation, type FieldViolation } from '../core/errors.ts';
import { isList, isObject } from '../core/json.ts';
import type { Arguments, CallContext, ToolAnswer, WantedTool } from './session.ts';
import { DEFAULT_HITS, MAX_DESCRIBED, MAX_HITS } from './discovery-tools.ts';
import { ownToolNamed, unknownArguments } from './own-tools.ts';
import { publish, publishWithAccounts } from './published-tools.ts';
import { COERCED_META_KEY, framed, isQuestion, notice } from './result-blocks.ts';
import { signatureIndex, signatureOf } from './search/signatures.ts';
import { toolErrorResult } from './tool-error.ts';
import { unknownToolAdvice, wantedTool } from './tool-names.ts';

/**
 * Hits with less than this share of the best hit's score are left out, because they usually share a single word
 * with the question.
 */
const WEAK_SHARE = 0.4;

/**
 * Answers a call of one of these tools.
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
        return await runTarget(call, await callTarget(call, args), run);
      case 'call_read_tool':
        return await runTarget(call, await readTarget(call, args), run);
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
  if (query !== undefined && (typeof query !== 'string' || query.trim() === '')) {
    const description = 'Say in a few words what the tool should do, or leave it out to list all tools.';
    violations.push(violation('query', description, 'type'));
  }
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_HITS) {
    violations.push(violation('limit', `A whole number from 1 to ${MAX_HITS}.`, 'range'));
  }
  if (violations.length > 0) throw invalidArgument(violations);
  const inUse = await parts.connectorsInUse.of(session.caller.environmentId);
  const findable = await shownTools(parts, session, session.publishedTools.findable(inUse));
  const catalog = catalogIn(parts.catalog, session.caller.environmentId);
  if (typeof query !== 'string') {
    const all = [...catalog.tools.values()];
    return allSignatures(findable, all, parts.maxResultBytes);
  }
  // Loaded with the first search, so that the start does not pay for it.
  const { rankTools } = await import('./search/tool-search.ts');
  const ranked = rankTools(findable, query, catalog.connectors);
  const [best] = ranked;
  const strong = ranked.filter(({ score }) => score >= WEAK_SHARE * (best?.score ?? 0));
  const hits = strong.slice(0, Number(limit)).map(({ tool }) => ({
    name: tool.name,
    signature: signatureOf(tool),
    description: tool.description,
    read_only: tool.annotations.readOnlyHint,
  }));
  const weak = ranked.length - strong.length;
  const more = strong.length - hits.length;
  const apps = [...new Set(findable.map((tool) => tool.connector))].join(', ');
  const notices = [
    ...(hits.length === 0 ? [`No tool matches. There are tools for: ${apps}. Try other words.`] : []),
    ...(more > 0 ? [`${more} more match as well; a higher limit shows them.`] : []),
    ...(weak > 0 ? [`Left out: ${weak} that match much less. If none of these fits, try other words.`] : []),
  ];
  return {
    content: [
      notice(JSON.stringify({ tools: hits })),
      ...(notices.length === 0 ? [] : [notice(notices.join(' '))]),
    ],
  };
}

/** The index of all tools. If it does not fit, as many tools of each connector's everyday work as fit. */
function allSignatures(tools: readonly Tool[], catalog: readonly Tool[], maxBytes: number): CallToolResult {
  const all = signatureIndex(tools);
  if (Buffer.byteLength(all) <= maxBytes) return { content: [notice(all)] };
  for (const word of ['default', 'core'] as const) {
    const some = namedTools(tools, { toolsets: [word] }, catalog);
    const index = signatureIndex(some);
    const rest = `${tools.length - some.length} more tools are found with a query.`;
    if (Buffer.byteLength(index) <= maxBytes) return { content: [notice(index), notice(rest)] };
  }
  return { content: [notice(`There are ${tools.length} tools, too many to list. Search with a query.`)] };
}

async function describeTool(call: CallContext, args: Arguments): Promise<CallToolResult> {
  const { parts, session } = call;
  const violations = unknownArguments(args, ['name', 'names']);
  const { name, names = name === undefined ? undefined : [name] } = args;
  const list = coerced({ type: 'array', items: { type: 'string' } }, names);
  const all = isList(list) && list.length >= 1 && list.length <= MAX_DESCRIBED ? list : undefined;
  if (all === undefined)
    violations.push(violation('names', `A list of 1 to ${MAX_DESCRIBED} names of tools.`, 'type'));
  const wanted: WantedTool[] = [];
  for (const each of all ?? []) {
    const found = await findTool(call, { field: 'names', name: each }, violations);
    if (found !== undefined) wanted.push(found);
  }
  if (violations.length > 0) throw invalidArgument(violations);
  const { caller, connections } = session;
  const choices = caller.owner && (await parts.executor.accountChoices(caller, connections));
  const formOf = await formsOf(parts, session);
  const published = wanted.map(({ tool: found }) => {
    const tool = formOf?.(found) ?? found;
    const identifiers = choices?.get(tool.connector);
    return identifiers === undefined ? publish(tool) : publishWithAccounts(tool, identifiers);
  });
  const renamed = wanted.flatMap((each) => renamedSentences(renamedIn(each.tool, each.name, {})) || []);
  return {
    content: [
      notice(JSON.stringify(args.names === undefined ? published[0] : { tools: published })),
      ...(renamed.length === 0 ? [] : [notice(renamed.join(' '))]),
    ],
  };
}

/** A tool to run, and whether its arguments were given as text. */
interface Target extends WantedTool {
  isParsed: boolean;
}

async function runTarget(
  call: CallContext,
  { isParsed, ...wanted }: Target,
  run: (call: CallContext, wanted: WantedTool) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const answer = framed(await run(call, wanted));
  if (!isParsed || isQuestion(answer)) return answer;
  const others = answer._meta?.[COERCED_META_KEY];
  const names = ['arguments', ...(isList(others) ? others : [])];
  return { ...answer, _meta: { ...answer._meta, [COERCED_META_KEY]: names } };
}

/** The arguments may be JSON text, unless the tool deletes. */
async function callTarget(call: CallContext, args: Arguments): Promise<Target> {
  const violations = unknownArguments(args, ['name', 'arguments']);
  const wanted = await findTool(call, { field: 'name', name: args.name }, violations);
  const given = args.arguments ?? {};
  const toolArguments = wanted?.tool.effect === 'delete' ? given : coerced({ type: 'object' }, given);
  if (!isObject(toolArguments)) {
    violations.push(violation('arguments', "An object with the tool's arguments.", 'type'));
  }
  if (wanted === undefined || !isObject(toolArguments) || violations.length > 0)
    throw invalidArgument(violations);
  return { ...wanted, args: toolArguments, isParsed: toolArguments !== given };
}

/** Like call_tool, but refuses tools that change something. */
async function readTarget(call: CallContext, args: Arguments): Promise<Target> {
  const target = await callTarget(call, args);
  if (target.tool.effect === 'read') return target;
  const description = `${target.tool.name} changes something. Run it with call_tool.`;
  throw invalidArgument([violation('name', description, 'effect')]);
}

async function findTool(
  { parts, session }: CallContext,
  { field, name }: { field: string; name: unknown },
  violations: FieldViolation[],
): Promise<WantedTool | undefined> {
  const { publishedTools } = session;
  const text = typeof name === 'string' ? name : '';
  const found = wantedTool(publishedTools, text, {});
  const wanted = found && (await isKept(parts, session, found.tool)) ? undefined : found;
  if (wanted === undefined) {
    const { readOnly, tools, own } = publishedTools.selected;
    if (ownToolNamed(own, text) !== undefined) {
      violations.push(violation(field, `Call ${text} itself: it is in the list of tools.`, 'unknown'));
      return undefined;
    }
    const reason = readOnly
      ? 'There is no such tool, or it changes something and this server is read-only.'
      : 'There is no such tool.';
    const advice =
      unknownToolAdvice(await shownTools(parts, session, tools), text) ||
      'Use a name that search_tools gives.';
    violations.push(violation(field, `${reason} ${advice}`, 'unknown'));
  }
  return wanted;
}

/**
 * Turns checked file entries into the catalog's shapes. Everything derived (hints, published schema,
 * sentences) is derived here, once.
 */
import { parseDuration } from '../../core/clock.ts';
import { blockOf, typeOf } from '../../authorization-types/index.ts';
import { authBlocks } from '../grammar/auth-blocks.ts';
import { addressesIn, rulesOf } from '../../authorization-types/blocks.ts';
import { ruleSentence, toldBy } from '../model/constraints.ts';
import { hostsOf, type ConnectorEntry } from '../grammar/connector-schema.ts';
import type { ParameterEntry, ToolEntry } from '../grammar/toolset-schema.ts';
import type { ResultEntry } from '../grammar/result-schema.ts';
import { inputSchema, itemSchema, memberSchemas } from '../model/input-schema.ts';
import type {
  CallLimit,
  Connector,
  ConnectorAuth,
  Constraint,
  Effect,
  InMemory,
  McpServer,
  Parameter,
  Tool,
  ToolAnnotations,
} from '../model/types.ts';
import { joinedRules } from '../model/result-rules.ts';

/** @param entry without faults */
export function toConnector(entry: ConnectorEntry): Connector {
  const limits = Object.entries(entry.limits).map(([group, { per_minute }]) => [group, per_minute] as const);
  const auth = entry.auth.map((way) => toAuth(way, entry));
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    hosts: inMemory(hostsOf(entry)),
    ...(entry.mcp !== undefined && { mcp: toMcpServer(entry.mcp) }),
    ...(entry.tools !== undefined && { tools: inMemory(entry.tools) }),
    ...(entry.headers !== undefined && { headers: entry.headers }),
    ...(entry.proxy_headers !== undefined && { proxy_headers: entry.proxy_headers }),
    ...(entry.prompts !== undefined && { prompts: entry.prompts }),
    ...(entry.search_words !== undefined && { search_words: inMemory(entry.search_words) }),
    ...(entry.settings !== undefined && { settings: inMemory(entry.settings) }),
    auth,
    errors: inMemory(entry.errors),
    limits: Object.fromEntries(limits),
    needsNoOperator: auth.every(needsNoOperator),
    ...(entry.result !== undefined && { result: inMemory(entry.result) }),
  };
}

function toMcpServer({ timeout, idle_timeout, ...entry }: NonNullable<ConnectorEntry['mcp']>): McpServer {
  return {
    ...inMemory(entry),
    timeoutMs: parseDuration(timeout) ?? 0,
    idleTimeoutMs: parseDuration(idle_timeout) ?? 0,
  };
}

/**
 * An entry whose block has the patterns of all placeholders of its addresses, whether the block or a host
 * describes them.
 */
function toAuth(given: ConnectorEntry['auth'][number], connector: ConnectorEntry): ConnectorAuth {
  const block = blockOf(given.type);
  // A block that was left out has its defaults.
  const entry =
    block === undefined || given[block] !== undefined
      ? given
      : { ...given, [block]: authBlocks[block].unwrap().parse({}) };
  const rules = rulesOf(entry);
  const addresses = addressesIn(entry)
    .map(([, url]) => url)
    .join(' ');
  const patterns = [...hostsOf(connector), rules].map((part) => part?.placeholders ?? {});
  const known: Record<string, string> = Object.assign({}, ...patterns);
  const used = Object.entries(known).filter(([name]) => addresses.includes(`{${name}}`));
  // The check of the file has ensured that the entry has the block of its type and no other.
  return {
    ...entry,
    ...(block !== undefined &&
      used.length > 0 && { [block]: { ...rules, placeholders: Object.fromEntries(used) } }),
  } as ConnectorAuth;
}

/** Whether every account of this entry brings its whole credential. */
function needsNoOperator(auth: ConnectorAuth): boolean {
  const rules = rulesOf(auth);
  if (rules === undefined) return true;
  return typeOf(auth).needsNoOperator?.(rules) ?? false;
}

/**
 * @param entry without faults
 * @param toolset name of its file without extension
 * @param fileResult rules of its file for results
 */
export function toTool(
  entry: ToolEntry,
  connector: Connector,
  toolset: string,
  fileResult?: ResultEntry,
): Tool {
  const result = joinedRules(
    [connector.result, inMemory(fileResult), inMemory(entry.result)],
    entry.paging?.list,
  );
  const parameters = Object.fromEntries(
    Object.entries(entry.parameters).map(([name, parameter]) => [name, toParameter(parameter)]),
  );
  const constraints = entry.constraints.map(toConstraint);
  const scopes = entry.scopes.map((scope) => [scope].flat());
  return {
    name: entry.name,
    ...(entry.aliases === undefined ? {} : { aliases: entry.aliases }),
    title: entry.title,
    description: [
      entry.description.trim(),
      ...constraints.filter((rule) => toldBy(rule) === undefined).map(ruleSentence),
    ].join(' '),
    effect: entry.effect,
    ...(entry.everyday === undefined ? {} : { everyday: entry.everyday }),
    ...(entry.unlisted === undefined ? {} : { unlisted: entry.unlisted }),
    connector: connector.name,
    toolset,
    scopes,
    source: entry.source,
    parameters,
    constraints,
    requests: entry.request === undefined ? [] : [entry.request].flat().map(inMemory),
    ...(entry.handler === undefined ? {} : { handler: entry.handler }),
    response: inMemory(entry.response),
    ...(entry.paging === undefined ? {} : { paging: inMemory(entry.paging) }),
    ...(entry.pending === undefined ? {} : { pending: entry.pending }),
    ...(entry.limit === undefined ? {} : { limit: toLimit(entry.limit, connector) }),
    ...(entry.deadline === undefined
      ? {}
      : {
          deadline: {
            headersMs: parseDuration(entry.deadline.headers) ?? 0,
            totalMs: parseDuration(entry.deadline.total) ?? 0,
          },
        }),
    inputSchema: inputSchema(parameters),
    annotations: toAnnotations(entry.effect, entry.idempotent),
    ...(result !== undefined && entry.response.as !== 'text' && { result }),
  };
}

/**
 * All four hints are always set, because the protocol's defaults are pessimistic. An update overwrites the
 * previous value.
 */
function toAnnotations(effect: Effect, isIdempotent: boolean = effect !== 'create'): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'delete',
    idempotentHint: isIdempotent,
    openWorldHint: true,
  };
}

function toParameter({ items, properties, ...entry }: ParameterEntry): Parameter {
  return {
    ...inMemory(entry),
    ...(items === undefined ? {} : { items: itemSchema(items) }),
    ...(properties === undefined ? {} : { members: memberSchemas(properties) }),
  };
}

/** The file's shape allows keys of several kinds of rules together; its check does not. */
function toConstraint(rule: ToolEntry['constraints'][number]): Constraint {
  return rule as Constraint;
}

function toLimit(group: string, connector: Connector): CallLimit {
  return { group, perMinute: connector.limits?.[group] ?? 0 };
}

/**
 * The same value, typed as the catalog holds it: zod omits absent keys but types them as possibly undefined.
 */
function inMemory<T>(entry: T): InMemory<T> {
  return entry as InMemory<T>;
}

/** Turns checked file entries into the catalog's shapes: what is derived (hints, published schema, sentences) is derived here, once. */
import { parseDuration } from '../../core/clock.ts';
import { addressesIn, BLOCK_OF, rulesOf } from '../model/auth-rules.ts';
import { ruleSentence } from '../model/constraints.ts';
import type { ConnectorEntry } from '../grammar/connector-schema.ts';
import type { ParameterEntry, RequestEntry, ToolEntry } from '../grammar/toolset-schema.ts';
import { inputSchema, itemSchema, memberSchemas } from '../grammar/input-schema.ts';
import type { Paging } from '../model/paging.ts';
import type {
  CallLimit,
  Connector,
  ConnectorAuth,
  Constraint,
  Effect,
  Parameter,
  RequestTemplate,
  Tool,
  ToolAnnotations,
} from '../model/types.ts';

/** @param entry without faults */
export function toConnector(entry: ConnectorEntry): Connector {
  const limits = Object.entries(entry.limits).map(([group, { per_minute }]) => [group, per_minute] as const);
  const auth = entry.auth.map((way) => withPlaceholders(defined<ConnectorAuth>(way), entry));
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    hosts: defined<Connector['hosts']>(entry.hosts),
    ...(entry.proxy_headers !== undefined && { proxy_headers: entry.proxy_headers }),
    ...(entry.settings === undefined
      ? {}
      : { settings: defined<NonNullable<Connector['settings']>>(entry.settings) }),
    auth,
    errors: defined<Connector['errors']>(entry.errors),
    limits: Object.fromEntries(limits),
    needsNoOperator: auth.every(bringsAll),
  };
}

/** Every placeholder of the block's addresses with its pattern, whether the block describes it or a host does. */
function withPlaceholders(auth: ConnectorAuth, { hosts }: ConnectorEntry): ConnectorAuth {
  const block = BLOCK_OF[auth.type];
  const rules = rulesOf(auth);
  if (block === undefined || rules === undefined) return auth;
  const addresses = addressesIn(rules)
    .map(([, url]) => url)
    .join(' ');
  const known = Object.assign(
    {},
    ...hosts.map(({ placeholders }) => placeholders),
    rules.placeholders,
  ) as Record<string, string>;
  const used = Object.entries(known).filter(([name]) => addresses.includes(`{${name}}`));
  return used.length === 0
    ? auth
    : { ...auth, [block]: { ...rules, placeholders: Object.fromEntries(used) } };
}

/** Whether every account of this way to authenticate brings all of its credential itself. */
function bringsAll({ type, oauth_m2m }: ConnectorAuth): boolean {
  if (oauth_m2m !== undefined) return oauth_m2m.client_authentication !== 'private_key_jwt';
  return BLOCK_OF[type] === undefined;
}

/**
 * @param entry without faults
 * @param toolset name of its file without ending
 */
export function toTool(entry: ToolEntry, connector: Connector, toolset: string): Tool {
  const parameters = Object.fromEntries(
    Object.entries(entry.parameters).map(([name, parameter]) => [name, toParameter(parameter)]),
  );
  const constraints = entry.constraints.map((rule) => defined<Constraint>(rule));
  const scopes = entry.scopes.map((scope) => [scope].flat());
  return {
    name: entry.name,
    ...(entry.aliases === undefined ? {} : { aliases: entry.aliases }),
    title: entry.title,
    description: [entry.description.trim(), ...constraints.map(ruleSentence), ...neededScopes(scopes)].join(
      ' ',
    ),
    effect: entry.effect,
    connector: connector.name,
    toolset,
    scopes,
    source: entry.source,
    parameters,
    constraints,
    requests: entry.request === undefined ? [] : [entry.request].flat().map(toRequest),
    ...(entry.handler === undefined ? {} : { handler: entry.handler }),
    response: defined(entry.response),
    ...(entry.paging === undefined ? {} : { paging: defined<Paging>(entry.paging) }),
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
  };
}

/** The permissions that a link asks for: of each group the first. */
function neededScopes(scopes: Tool['scopes']): string[] {
  return scopes.length === 0 ? [] : [`Needs ${[...new Set(scopes.map(([first]) => first))].join(', ')}.`];
}

/** All four hints, always: the protocol's own defaults are pessimistic. An update overwrites what was there. */
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
    ...defined<Parameter>(entry),
    ...(items === undefined ? {} : { items: itemSchema(items) }),
    ...(properties === undefined ? {} : { members: memberSchemas(properties) }),
  };
}

function toRequest(entry: RequestEntry): RequestTemplate {
  return defined<RequestTemplate>(entry);
}

function toLimit(group: string, connector: Connector): CallLimit {
  return { group, perMinute: connector.limits?.[group] ?? 0 };
}

/** The same entry typed without `undefined`: zod leaves absent keys out but types them as possibly undefined. */
function defined<T extends object>(entry: { [K in keyof T]: T[K] | undefined } | object): T {
  return entry as T;
}

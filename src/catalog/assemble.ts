/** Turns checked file entries into the catalog's shapes: what is derived (hints, published schema, sentences) is derived here, once. */
import { parseDuration } from '../core/duration.ts';
import { ruleSentence } from './constraints.ts';
import type { ConnectorEntry } from './connector-schema.ts';
import type { ParameterEntry, RequestEntry, ToolEntry } from './file-schema.ts';
import { inputSchema, itemSchema } from './input-schema.ts';
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
} from './types.ts';

/** @param entry without faults */
export function toConnector(entry: ConnectorEntry): Connector {
  const limits = Object.entries(entry.limits).map(([group, { per_minute }]) => [group, per_minute] as const);
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    hosts: entry.hosts,
    auth: entry.auth.map((auth) => defined<ConnectorAuth>(auth)),
    errors: defined<Connector['errors']>(entry.errors),
    limits: Object.fromEntries(limits),
    needsNoOperator: entry.auth.every(({ type }) => type !== 'OAUTH'),
  };
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
  return {
    name: entry.name,
    title: entry.title,
    description: [entry.description.trim(), ...constraints.map(ruleSentence)].join(' '),
    effect: entry.effect,
    connector: connector.name,
    toolset,
    scopes: entry.scopes.map((scope) => [scope].flat()),
    source: entry.source,
    parameters,
    constraints,
    requests: entry.request === undefined ? [] : [entry.request].flat().map(toRequest),
    ...(entry.handler === undefined ? {} : { handler: entry.handler }),
    response: defined(entry.response),
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
    annotations: toAnnotations(entry.title, entry.effect),
  };
}

/** All four hints, always: the protocol's own defaults are pessimistic. An update overwrites what was there. */
function toAnnotations(title: string, effect: Effect): ToolAnnotations {
  return {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'delete',
    idempotentHint: effect !== 'create',
    openWorldHint: true,
  };
}

function toParameter({ items, ...entry }: ParameterEntry): Parameter {
  const parameter = defined<Parameter>(entry);
  return items === undefined ? parameter : { ...parameter, items: itemSchema(items) };
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

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
    ...(entry.settings === undefined
      ? {}
      : { settings: defined<NonNullable<Connector['settings']>>(entry.settings) }),
    auth: entry.auth.map((auth) => withPlaceholders(defined<ConnectorAuth>(auth), entry)),
    errors: defined<Connector['errors']>(entry.errors),
    limits: Object.fromEntries(limits),
    needsNoOperator: entry.auth.every(({ type }) => type !== 'OAUTH'),
  };
}

/** Every placeholder of the OAuth addresses with its pattern, whether the block describes it or a host does. */
function withPlaceholders(auth: ConnectorAuth, { hosts }: ConnectorEntry): ConnectorAuth {
  const { oauth } = auth;
  if (oauth === undefined) return auth;
  const { authorization_url, token_url, revocation_url = '', issuer = '' } = oauth;
  const addresses = [authorization_url, token_url, revocation_url, issuer].join(' ');
  const known = Object.assign(
    {},
    ...hosts.map(({ placeholders }) => placeholders),
    oauth.placeholders,
  ) as Record<string, string>;
  const used = Object.entries(known).filter(([name]) => addresses.includes(`{${name}}`));
  return used.length === 0 ? auth : { ...auth, oauth: { ...oauth, placeholders: Object.fromEntries(used) } };
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
    annotations: toAnnotations(entry.title, entry.effect, entry.idempotent),
  };
}

/** All four hints, always: the protocol's own defaults are pessimistic. An update overwrites what was there. */
function toAnnotations(
  title: string,
  effect: Effect,
  isIdempotent: boolean = effect !== 'create',
): ToolAnnotations {
  return {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'delete',
    idempotentHint: isIdempotent,
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

/**
 * Places checked input into a provider request.
 *
 * Values are placed, never spliced: a path value is one percent-encoded segment, a body value is set under
 * keys named by the catalog, as own properties. Nothing here knows hosts, credentials or HTTP.
 */
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import { isObject, membersOf } from '../../core/json.ts';
import type { AccountValue } from '../grammar/account-values.ts';
import { forbiddenParameters, holds, isGiven } from '../model/constraints.ts';
import { unsafeValues } from '../../core/safe-json.ts';
import type { JsonObject, Parameter, ProviderRequest, RequestTemplate, Tool } from '../model/types.ts';

/** A `.` or `..` between slashes, or a control character: a server may act on these after decoding. */
const CLIMBS = /(^|[/\\])\.{1,2}(?=[/\\;]|$)/;
const HEADER_TEXT = /^[\t -~\u0080-\u00ff]*$/;

interface Draft {
  segments: Map<string, string>;
  query: [string, string][];
  headers: Record<string, string>;
  body: JsonObject | undefined;
}

/**
 * @param input checked by `checkInput`; defaults may be filled in or not
 * @returns the request below the connector's host
 * @throws ServiceError INVALID_ARGUMENT naming every parameter whose value cannot be placed in the request
 */
export function buildRequest(tool: Tool, input: Readonly<Record<string, unknown>>): ProviderRequest {
  const template = tool.requests.find(({ when }) => when === undefined || holds(when, input));
  if (template === undefined) throw noRequest(tool);
  const violations = placementViolations(tool, input);
  if (violations.length > 0) throw invalidArgument(violations);
  const values = withDefaults(tool, input);
  const draft: Draft = {
    segments: new Map(),
    query: [],
    headers: {},
    body: takesBody(tool, template) ? {} : undefined,
  };
  for (const [to, value] of Object.entries(template.fixed)) place(draft, to, value);
  const placed = Object.entries(tool.parameters).flatMap(([name, parameter]) => {
    const to = addressOf(parameter, name, template);
    const wanted = parameter.send_when === undefined || holds(parameter.send_when, values);
    return isGiven(values, name) && wanted && to !== 'none'
      ? [{ to, value: sent(parameter, values[name]) }]
      : [];
  });
  for (const { to, value } of placed.sort(parentsFirst)) place(draft, to, value);
  return {
    method: template.method,
    host: template.host,
    path: fillPath(template.path, draft.segments),
    query: draft.query,
    headers: draft.headers,
    ...(draft.body === undefined ? {} : { body: withoutHoles(draft.body) }),
    ...(template.from_account !== undefined && { fromAccount: template.from_account }),
    ...(tool.response.as !== undefined && { answer: tool.response.as }),
  };
}

/** The request with values from account and connection; absent values are left out. */
export function withAccountValues(
  request: ProviderRequest,
  values: Readonly<Partial<Record<AccountValue, string>>> = {},
): ProviderRequest {
  const { fromAccount, ...rest } = request;
  if (fromAccount === undefined) return request;
  const body: JsonObject = { ...membersOf(rest.body) };
  for (const [to, name] of Object.entries(fromAccount)) {
    const value = values[name];
    if (value !== undefined) setDeep(body, to.split('.').slice(1), value);
  }
  return { ...rest, body };
}

/** The input with defaults for absent parameters, unless a rule or `default_unless` forbids them. */
export function withDefaults(tool: Tool, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const forbidden = forbiddenParameters(tool, input);
  const result = { ...input };
  for (const [name, parameter] of Object.entries(tool.parameters)) {
    if (parameter.default === undefined || isGiven(input, name) || forbidden.has(name)) continue;
    if (parameter.default_unless !== undefined && isGiven(input, parameter.default_unless)) continue;
    result[name] = structuredClone(parameter.default);
  }
  return result;
}

/**
 * Values of the right type that still cannot be placed in a request: a `..` in a path, a comma inside a list
 * sent as text.
 */
export function placementViolations(tool: Tool, input: Readonly<Record<string, unknown>>): FieldViolation[] {
  return Object.entries(tool.parameters).flatMap(([field, parameter]) => {
    if (!isGiven(input, field)) return [];
    const value = input[field];
    if (parameter.encode === 'json') return jsonViolations(field, value);
    if (
      parameter.encode === 'csv' &&
      listOf(value).some((item) => typeof item === 'string' && item.includes(','))
    )
      return [{ field, description: 'No entry may contain a comma.', constraint: 'csv' }];
    const inPath = tool.requests.some((template) =>
      addressOf(parameter, field, template).startsWith('path.'),
    );
    const problem = inPath ? pathProblem(String(value)) : undefined;
    if (problem !== undefined) return [{ field, description: problem, constraint: 'path' }];
    if (parameter.to?.startsWith('header.') && !HEADER_TEXT.test(String(value)))
      return [
        { field, description: 'Must be text of one line without special characters.', constraint: 'header' },
      ];
    return [];
  });
}

/**
 * One percent-encoded path segment, for handlers that write a path themselves.
 *
 * @param field the parameter to name if the value is not allowed in a path
 * @throws ServiceError INVALID_ARGUMENT for an empty value, `.`, `..`, control characters
 */
export function pathSegment(value: string, field: string): string {
  const violations = pathViolations(value, field);
  if (violations.length > 0) throw invalidArgument(violations);
  return encodeURIComponent(value);
}

/** Violations of a value that becomes a path segment, for the checks of such handlers; none if there is no value. */
export function pathViolations(value: string | undefined, field: string): FieldViolation[] {
  const problem = value === undefined ? undefined : pathProblem(value);
  return problem === undefined ? [] : [{ field, description: problem, constraint: 'path' }];
}

function pathProblem(text: string): string | undefined {
  if (text === '') return 'Must not be empty.';
  if (CLIMBS.test(text) || /\p{Cc}/u.test(text) || !text.isWellFormed())
    return 'Must be a plain identifier: no "." or ".." as a path part, no control characters.';
  return undefined;
}

function jsonViolations(field: string, value: unknown): FieldViolation[] {
  const parsed = parseJson(String(value));
  if (parsed === undefined)
    return [{ field, description: 'Must be text that contains valid JSON.', constraint: 'json' }];
  return unsafeValues(parsed, field);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sent(parameter: Parameter, value: unknown): unknown {
  const { map, encode } = parameter;
  if (map !== undefined && Object.hasOwn(map, String(value))) return map[String(value)];
  if (encode === 'csv') return listOf(value).join(',');
  if (encode === 'json') return parseJson(String(value));
  if (encode !== 'split_csv') return value;
  return String(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * A POST that may carry values is sent with a body even if none is given: APIs that read a body reject a
 * request without one.
 */
function takesBody(tool: Tool, template: RequestTemplate): boolean {
  if (template.method === 'GET' || template.method === 'DELETE') return false;
  return Object.values(tool.parameters).some(({ to }) => to?.startsWith('body.') === true);
}

function addressOf(parameter: Parameter, name: string, template: RequestTemplate): string {
  return parameter.to ?? (template.path.includes(`{${name}}`) ? `path.${name}` : 'none');
}

/** A value at `body.a` is set before one at `body.a.b`, in any order of the file. */
function parentsFirst(a: { to: string }, b: { to: string }): number {
  return a.to.split('.').length - b.to.split('.').length;
}

function place(draft: Draft, to: string, value: unknown): void {
  const dot = to.indexOf('.');
  const name = to.slice(dot + 1);
  switch (to.slice(0, dot)) {
    case 'path':
      draft.segments.set(name, encodeURIComponent(String(value)));
      break;
    case 'query':
      for (const item of listOf(value)) draft.query.push([name, String(item)]);
      break;
    case 'header':
      draft.headers[name] = String(value);
      break;
    default:
      draft.body ??= {};
      setDeep(draft.body, name.split('.'), structuredClone(value));
  }
}

/**
 * Sets own properties only: a key can neither be inherited from nor written to a prototype. `a[0]` is an entry of a list;
 * with `a[]` each item of the value makes one.
 */
function setDeep(target: JsonObject, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys;
  const [, name = key, entry] = /^(.*)\[(\d*)\]$/.exec(key) ?? [];
  const existing = Object.hasOwn(target, name) ? target[name] : undefined;
  if (entry === undefined) {
    setOwn(target, name, rest.length === 0 ? value : withDeep(existing, rest, value));
    return;
  }
  const list: unknown[] = Array.isArray(existing) ? existing : [];
  if (entry === '') list.push(...listOf(value).map((item) => withDeep(undefined, rest, item)));
  else list[Number(entry)] = withDeep(list[Number(entry)], rest, value);
  setOwn(target, name, list);
}

/** An object with a value at some keys; without keys the value itself. */
function withDeep(existing: unknown, keys: readonly string[], value: unknown): unknown {
  if (keys.length === 0) return value;
  const object: JsonObject =
    typeof existing === 'object' && existing !== null ? (existing as JsonObject) : {};
  setDeep(object, keys, value);
  return object;
}

/** The same value without the entries of lists that nothing was placed in. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return Object.values(value).map(withoutHoles);
  if (!isObject(value)) return value;
  for (const [name, member] of Object.entries(value)) setOwn(value, name, withoutHoles(member));
  return value;
}

function setOwn(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function fillPath(path: string, segments: ReadonlyMap<string, string>): string {
  const missing: FieldViolation[] = [];
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, slot: string) => {
    const segment = segments.get(slot);
    if (segment === undefined)
      missing.push({ field: slot, description: 'Is required.', constraint: 'required' });
    return segment ?? '';
  });
  if (missing.length > 0) throw invalidArgument(missing);
  return filled;
}

function noRequest(tool: Tool) {
  const names = tool.requests.flatMap(({ when }) =>
    typeof when === 'string' ? [when] : Object.keys(when ?? {}),
  );
  return invalidArgument([
    {
      field: '',
      description: `${tool.name} needs one of: ${[...new Set(names)].join(', ')}.`,
      constraint: 'request',
    },
  ]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/**
 * Keeps the valid parts of an entry with mistakes in its shape, so that the remaining rules can still report
 * theirs.
 *
 * Malformed parts are left out or replaced with values that no rule objects to. Rules that look at them
 * therefore find nothing, and a malformed part is reported only once. Pure.
 */
import { isList, isObject, membersOf } from '../../core/json.ts';
import { connectorSchema, type ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from '../check/fault.ts';
import {
  REQUEST_OR_HANDLER,
  toolKeysSchema,
  type ParameterEntry,
  type ToolEntry,
} from '../grammar/toolset-schema.ts';

/** An entry for rules that go beyond its shape. */
export interface ReadableEntries<Entry> {
  entry: Entry;
  /** Whether a fault lies in an unchanged part and depends on unchanged parts only. */
  isJudged: (fault: Fault) => boolean;
}

type Path = Fault['path'];
type Table = Readonly<Record<string, unknown>>;

const NAMED = { name: 'no_name', title: 'Nothing', description: 'Somebody describes it here.' };

const TOOL = {
  ...NAMED,
  effect: 'read',
  source: { url: 'https://example.test', checked: '2026-11-20' },
};

const CONNECTOR = { ...NAMED, auth: [{ type: 'NO_AUTH' }] };

/** A rule that is replaced once the names of all parameters are known. */
const RULE = { together: ['a', 'b'] };

/** Keys of connector.yaml that the rules about a key also look at. */
const LOOKED_AT: Readonly<Record<string, readonly string[]>> = {
  hosts: ['mcp'],
  auth: ['hosts', 'mcp'],
  headers: ['hosts', 'mcp', 'auth', 'proxy_headers'],
  settings: ['hosts', 'headers', 'mcp', 'auth'],
  tools: ['mcp'],
  limits: ['mcp'],
  result: ['mcp'],
  proxy_headers: ['auth', 'mcp'],
};

/** @param shape faults of its shape */
export function readableConnector(
  value: unknown,
  shape: readonly Fault[],
): ReadableEntries<ConnectorEntry> | undefined {
  if (!isObject(value)) return undefined;
  const { data } = connectorSchema.safeParse({
    ...CONNECTOR,
    ...goodKeys(value, Object.keys(connectorSchema.shape), shape),
  });
  if (data === undefined) return undefined;
  const isJudged = ({ path: [key = ''] }: Fault): boolean =>
    [String(key), ...(LOOKED_AT[key] ?? [])].every((one) => !isFaulty(shape, [one]));
  return { entry: data, isJudged };
}

/** @param shape faults of its shape */
export function readableTool(
  value: unknown,
  shape: readonly Fault[],
): ReadableEntries<ToolEntry> | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(toolKeysSchema.shape);
  // A missing key may be present under a misspelled name.
  const isLost = (key: string): boolean =>
    value[key] === undefined &&
    shape.some(({ path }) => path.length === 1 && !keys.includes(String(path[0])));
  const { parameters = {} } = value;
  const hasParameters = isObject(parameters) && !isLost('parameters');
  const names = hasParameters ? Object.keys(parameters) : [];
  const broken = names.filter((name) => isFaulty(shape, ['parameters', name]));
  const places = new Map(broken.map((name) => [name, placeOf(name, value, shape)]));
  const isPlaced = hasParameters && [...places.values()].every((place) => place !== undefined);

  const { data } = toolKeysSchema.safeParse({
    ...TOOL,
    ...goodKeys(value, keys, shape),
    parameters: Object.fromEntries(
      names.filter((name) => !places.has(name)).map((name) => [name, membersOf(parameters)[name]]),
    ),
    constraints: rulesOf(value, shape, isLost('constraints')),
    ...(!isPlaced && { request: undefined }),
    ...(isPlaced && isFaulty(shape, ['request']) && { request: requestOf(value['request'], shape) }),
    ...(!hasParameters && { paging: undefined }),
    ...(isUndecided(value) && { request: undefined, handler: undefined }),
  });
  if (data === undefined) return undefined;
  // Keeps the order of the file: of two values at one place the second is the mistake.
  data.parameters = Object.fromEntries(
    names.flatMap((name) => {
      const entry = places.has(name) ? standIn(places.get(name)) : data.parameters[name];
      return entry === undefined ? [] : [[name, entry]];
    }),
  );
  data.constraints = hasParameters
    ? data.constraints.map((rule, i) =>
        isFaultyRule(shape, i, isLost('constraints')) ? { together: names } : rule,
      )
    : [];
  const units = shape.map(({ path }) => unitOf(path));
  if (isLost('constraints')) units.push(['constraints']);
  const isJudged = ({ path }: Fault): boolean =>
    !units.some((unit) => unit.length > 0 && startsWith(path, unit) && !isAboutName(path));
  return { entry: data, isJudged };
}

/** Applies the rule that connects keys; the check of the shape reaches it only if it finds no other fault. */
export function undecidedFaults(value: unknown, shape: readonly Fault[]): Fault[] {
  if (!isObject(value) || !isUndecided(value) || shape.some(({ path }) => path.length === 0)) return [];
  return [{ path: [], message: REQUEST_OR_HANDLER }];
}

/** True if the tool has both or neither. */
function isUndecided(tool: Table): boolean {
  return Object.hasOwn(tool, 'request') === Object.hasOwn(tool, 'handler');
}

/** The known keys without faults. */
function goodKeys(value: Table, keys: readonly string[], shape: readonly Fault[]): Table {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key, part]) => keys.includes(key) && part !== undefined && !isFaulty(shape, [key]),
    ),
  );
}

/** The place of a malformed parameter's value; `undefined` if it cannot be determined. */
function placeOf(name: string, { parameters }: Table, shape: readonly Fault[]): string | undefined {
  const entry = membersOf(parameters)[name];
  const at = ['parameters', name];
  if (!isObject(entry) || isFaulty(shape, [...at, 'to'])) return undefined;
  if (typeof entry['to'] === 'string') return entry['to'];
  const isMisspelt = shape.some(
    ({ path, message }) =>
      path.length === 3 && startsWith(path, at) && message === 'is not a key that exists here',
  );
  return isMisspelt ? undefined : `path.${name}`;
}

/** A parameter without a type, so that no rule about types applies, and always required. */
function standIn(to: string | undefined): ParameterEntry {
  return { required: true, map: {}, to: to ?? 'none' } as Partial<ParameterEntry> as ParameterEntry;
}

function rulesOf({ constraints: rules = [] }: Table, shape: readonly Fault[], isLost: boolean): unknown {
  if (isLost || !isList(rules)) return [RULE];
  return rules.map((rule, i) => (isFaulty(shape, ['constraints', i]) ? RULE : rule));
}

function isFaultyRule(shape: readonly Fault[], index: number, isLost: boolean): boolean {
  return (
    isLost || shape.some(({ path }) => path[0] === 'constraints' && (path.length === 1 || path[1] === index))
  );
}

/** A single request whose path can be read; otherwise `undefined`. */
function requestOf(request: unknown, shape: readonly Fault[]): unknown {
  if (!isObject(request) || request['when'] !== undefined || isFaulty(shape, ['request', 'path']))
    return undefined;
  if (shape.some(({ path }) => path.length === 1 && path[0] === 'request')) return undefined;
  const { method, path } = request;
  return { method: isFaulty(shape, ['request', 'method']) ? 'POST' : method, path };
}

/** The smallest part of a tool that is left out or replaced because of a fault. */
function unitOf(path: Path): Path {
  const isDivided = ['parameters', 'constraints', 'request'].includes(String(path[0]));
  return path.slice(0, isDivided ? 2 : 1);
}

/** A name can be judged whatever it refers to. */
function isAboutName(path: Path): boolean {
  return path[0] === 'parameters' && path.length === 2;
}

function isFaulty(shape: readonly Fault[], at: Path): boolean {
  return shape.some(({ path }) => startsWith(path, at));
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((part, i) => path[i] === part);
}

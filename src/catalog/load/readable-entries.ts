/**
 * What of an entry with mistakes in its shape can be judged all the same, so that one mistake does not hide the others.
 *
 * Malformed parts are left out, or something stands there to which no rule objects: a rule that would have looked at one
 * of them finds nothing, and of the part itself nothing is said beside its mistake. Pure.
 */
import { connectorSchema, type ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from '../check/fault.ts';
import {
  REQUEST_OR_HANDLER,
  toolKeysSchema,
  type ParameterEntry,
  type ToolEntry,
} from '../grammar/toolset-schema.ts';

/** An entry for the rules beyond its shape. */
export interface ReadableEntries<Entry> {
  entry: Entry;
  /** Whether what a rule found stands in a part that is as it was written, and depends on none that is not. */
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

const CONNECTOR = { ...NAMED, hosts: [{ url: 'https://example.test' }], auth: [{ type: 'NO_AUTH' }] };

/** A rule that is replaced once the names of all parameters are known. */
const RULE = { together: ['a', 'b'] };

/** Which keys of connector.yaml the rules about a key look at beside it. */
const LOOKED_AT: Readonly<Record<string, readonly string[]>> = {
  auth: ['hosts'],
  settings: ['hosts', 'auth'],
  proxy_headers: ['auth'],
};

/** @param shape the faults of its shape */
export function readableConnector(
  value: unknown,
  shape: readonly Fault[],
): ReadableEntries<ConnectorEntry> | undefined {
  if (!isTable(value)) return undefined;
  const { data } = connectorSchema.safeParse({
    ...CONNECTOR,
    ...goodKeys(value, Object.keys(connectorSchema.shape), shape),
  });
  if (data === undefined) return undefined;
  const isJudged = ({ path: [key = ''] }: Fault): boolean =>
    [String(key), ...(LOOKED_AT[key] ?? [])].every((one) => !isFaulty(shape, [one]));
  return { entry: data, isJudged };
}

/** @param shape the faults of its shape */
export function readableTool(
  value: unknown,
  shape: readonly Fault[],
): ReadableEntries<ToolEntry> | undefined {
  if (!isTable(value)) return undefined;
  const keys = Object.keys(toolKeysSchema.shape);
  // What is not there may be what is misspelt.
  const isLost = (key: string): boolean =>
    value[key] === undefined &&
    shape.some(({ path }) => path.length === 1 && !keys.includes(String(path[0])));
  const { parameters = {} } = value;
  const hasParameters = isTable(parameters) && !isLost('parameters');
  const names = hasParameters ? Object.keys(parameters) : [];
  const broken = names.filter((name) => isFaulty(shape, ['parameters', name]));
  const places = new Map(broken.map((name) => [name, placeOf(name, value, shape)]));
  const isPlaced = hasParameters && [...places.values()].every((place) => place !== undefined);

  const { data } = toolKeysSchema.safeParse({
    ...TOOL,
    ...goodKeys(value, keys, shape),
    parameters: Object.fromEntries(
      names.filter((name) => !places.has(name)).map((name) => [name, (parameters as Table)[name]]),
    ),
    constraints: rulesOf(value, shape, isLost('constraints')),
    ...(!isPlaced && { request: undefined }),
    ...(isPlaced && isFaulty(shape, ['request']) && { request: requestOf(value['request'], shape) }),
    ...(!hasParameters && { paging: undefined }),
    ...(isUndecided(value) && { request: undefined, handler: undefined }),
  });
  if (data === undefined) return undefined;
  // In the order of the file: of two values at one place the second is the mistake.
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

/** The rule between keys, which the check of the shape reaches only where it finds nothing else. */
export function undecidedFaults(value: unknown, shape: readonly Fault[]): Fault[] {
  if (!isTable(value) || !isUndecided(value) || shape.some(({ path }) => path.length === 0)) return [];
  return [{ path: [], message: REQUEST_OR_HANDLER }];
}

/** Both or neither. */
function isUndecided(tool: Table): boolean {
  return Object.hasOwn(tool, 'request') === Object.hasOwn(tool, 'handler');
}

/** The known keys without a fault. */
function goodKeys(value: Table, keys: readonly string[], shape: readonly Fault[]): Table {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key, part]) => keys.includes(key) && part !== undefined && !isFaulty(shape, [key]),
    ),
  );
}

/** Where the value of a malformed parameter goes; undefined: that cannot be told. */
function placeOf(name: string, { parameters }: Table, shape: readonly Fault[]): string | undefined {
  const entry = (parameters as Table)[name];
  const at = ['parameters', name];
  if (!isTable(entry) || isFaulty(shape, [...at, 'to'])) return undefined;
  if (typeof entry['to'] === 'string') return entry['to'];
  const isMisspelt = shape.some(
    ({ path, message }) =>
      path.length === 3 && startsWith(path, at) && message === 'is not a key that exists here',
  );
  return isMisspelt ? undefined : `path.${name}`;
}

/** Without a type, so that no rule about types applies, and always there. */
function standIn(to: string | undefined): ParameterEntry {
  return { required: true, map: {}, to: to ?? 'none' } as Partial<ParameterEntry> as ParameterEntry;
}

function rulesOf({ constraints }: Table, shape: readonly Fault[], isLost: boolean): unknown {
  if (isLost || (constraints !== undefined && !Array.isArray(constraints))) return [RULE];
  return ((constraints ?? []) as unknown[]).map((rule, i) =>
    isFaulty(shape, ['constraints', i]) ? RULE : rule,
  );
}

function isFaultyRule(shape: readonly Fault[], index: number, isLost: boolean): boolean {
  return (
    isLost || shape.some(({ path }) => path[0] === 'constraints' && (path.length === 1 || path[1] === index))
  );
}

/** A single request of which the path can be read; undefined else. */
function requestOf(request: unknown, shape: readonly Fault[]): unknown {
  if (!isTable(request) || request['when'] !== undefined || isFaulty(shape, ['request', 'path']))
    return undefined;
  if (shape.some(({ path }) => path.length === 1 && path[0] === 'request')) return undefined;
  const { method, path } = request;
  return { method: isFaulty(shape, ['request', 'method']) ? 'POST' : method, path };
}

/** The smallest part of a tool that is left out, or stood in for, because of a fault. */
function unitOf(path: Path): Path {
  const isDivided = ['parameters', 'constraints', 'request'].includes(String(path[0]));
  return path.slice(0, isDivided ? 2 : 1);
}

/** A name can be judged whatever it names. */
function isAboutName(path: Path): boolean {
  return path[0] === 'parameters' && path.length === 2;
}

function isFaulty(shape: readonly Fault[], at: Path): boolean {
  return shape.some(({ path }) => startsWith(path, at));
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((part, i) => path[i] === part);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

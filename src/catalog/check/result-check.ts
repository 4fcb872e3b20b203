/**
 * Finds faults of the key `result`: rules that contradict each other or have no effect, and rules that leave out what
 * another tool takes. Pure.
 */
import type { Fault } from './fault.ts';
import type { ResultEntry, ResultRulesEntry } from '../grammar/result-schema.ts';
import type { ToolEntry } from '../grammar/toolset-schema.ts';
import { isPathList, namedPaths } from '../model/result-rules.ts';
import type { Tool } from '../model/types.ts';

/** Faults within the rules of one place. @returns faults with paths that start at `result` */
export function resultFaults(result: ResultEntry | undefined): Fault[] {
  if (result === undefined || result === 'whole') return [];
  const faults: Fault[] = [];
  const add = (key: string, message: string) => faults.push({ path: ['result', key], message });
  if (result.list !== undefined && result.record !== undefined)
    add('record', 'contradicts list: an answer has one record, or a list of them');
  if (result.key !== undefined && result.as !== 'map') add('key', 'has no effect unless as is map');
  if (result.as === 'map' && result.key === undefined) add('as', 'needs key: the member that names an entry');
  if (result.as === 'values' && Object.keys(namedPaths(result.keep)).length !== 1)
    add('as', 'needs keep with exactly one path');
  if (result.as === 'table' && result.keep === undefined) add('as', 'needs keep: the columns');
  if (result.keep_given !== undefined && result.keep === undefined)
    add('keep_given', 'has no effect without keep: everything is kept');
  if (result.rows !== undefined && result.as !== undefined)
    add('as', 'has no effect together with rows: they are a table already');
  if (result.rows?.type === undefined && Object.keys(result.rows?.decode ?? {}).length > 0)
    add('rows', 'needs type together with decode');
  for (const key of ['ids', 'keep'] as const) faults.push(...twins(key, result), ...dropped(key, result));
  return faults;
}

/** Faults of a tool: its own rules, and whether it can have any. */
export function toolResultFaults(tool: ToolEntry): Fault[] {
  const faults = resultFaults(tool.result);
  if (tool.result === undefined || tool.result === 'whole') return faults;
  if (tool.response.as === 'text')
    faults.push({ path: ['result'], message: 'has no effect: the result is text' });
  const { keep_given: given } = tool.result;
  if (given !== undefined && tool.parameters[given]?.type !== 'object')
    faults.push({
      path: ['result', 'keep_given'],
      message: 'must be the name of a parameter of type object',
    });
  if (tool.result.text !== undefined && Object.hasOwn(tool.parameters, 'offset'))
    faults.push({
      path: ['result', 'text'],
      message: 'adds a parameter offset, and the tool has one of that name',
    });
  return faults;
}

/**
 * Faults that need the joined rules and the whole catalog: forms without a list, and rules that drop an id that
 * another tool of the connector takes.
 *
 * @returns faults with paths below the tool entry
 */
export function joinedResultFaults(
  { name, connector, result = {} }: Tool,
  tools: ReadonlyMap<string, Tool>,
): Fault[] {
  const { as, rows, list, ids = {}, keep, drop = [] } = result;
  if (list === undefined && (rows !== undefined || (as !== undefined && as !== 'objects')))
    return [
      { path: ['result'], message: `needs list: ${rows === undefined ? 'as' : 'rows'} is about a list` },
    ];
  const faults =
    as === 'values' && Object.keys(ids).length > 0 ? [{ path: ['result', 'as'], message: NO_IDS }] : [];
  const taker = idTaker(name, tools);
  const shown = [...Object.keys(ids), ...Object.keys(keep ?? {})];
  if (keep !== undefined && rows === undefined && taker !== undefined && !shown.some(isIdName))
    faults.push({
      path: ['result', 'keep'],
      message: `leaves out the id that ${taker} takes from this tool: name it in ids`,
    });
  const kept = new Set(Object.keys(ids));
  const dropped = drop.flatMap((path) => {
    const member = snakeCase(lastName(path));
    if (!/(^|_)id$/.test(member) || kept.has(member)) return [];
    const taker = [...tools.values()].find(
      (other) => other.connector === connector && Object.hasOwn(other.parameters, member),
    );
    return taker === undefined
      ? []
      : [
          {
            path: ['result', 'drop'],
            message: `leaves out ${path}, which ${taker.name === name ? 'the tool itself' : taker.name} takes: name it in ids`,
          },
        ];
  });
  return [...faults, ...dropped];
}

const NO_IDS = 'leaves out the ids: values are the only kept member of each record';

/** Name of a tool that takes an id from this tool (`from`). */
function idTaker(source: string, tools: ReadonlyMap<string, Tool>): string | undefined {
  return [...tools.values()].find(({ parameters }) =>
    Object.entries(parameters).some(
      ([name, { from = [] }]) => [from].flat().includes(source) && isIdName(name),
    ),
  )?.name;
}

function isIdName(name: string): boolean {
  return /(^|_)ids?$/.test(snakeCase(name));
}

function twins(key: 'ids' | 'keep', { [key]: entry }: ResultRulesEntry): Fault[] {
  if (!isPathList(entry)) return [];
  const last = entry.map(lastName);
  return last.flatMap((name, i) =>
    last.indexOf(name) === i
      ? []
      : [{ path: ['result', key, i], message: `is the second called ${name}: write a table of names` }],
  );
}

function dropped(key: 'ids' | 'keep', { [key]: entry, drop = [] }: ResultRulesEntry): Fault[] {
  return Object.values(namedPaths(entry)).flatMap((path) =>
    drop.includes(path) ? [{ path: ['result', key], message: `keeps ${path}, which drop leaves out` }] : [],
  );
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

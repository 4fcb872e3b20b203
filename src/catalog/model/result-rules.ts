/** Joins the `result` rules of connector, file and tool into those of a tool, and the output schema that follows. Pure. */
import type { ResultEntry, ResultRulesEntry } from '../grammar/result-schema.ts';
import type { InMemory, OutputSchema, ResultRules } from './types.ts';

/** What one place of the catalog says about results. */
type Rules = InMemory<ResultEntry> | undefined;

/** Such rules, where it says any. */
type GivenRules = InMemory<ResultRulesEntry>;

/**
 * The rules of a tool; `undefined` if its answers stay whole.
 *
 * @param levels from the connector to the tool: later ones win, key by key. `list` and `record` are one choice
 * @param pagedList `paging.list` of the tool, which wins over what its file and connector say
 */
export function joinedRules(
  levels: readonly [connector: Rules, file: Rules, tool: Rules],
  pagedList?: string,
): ResultRules | undefined {
  if (levels[2] === 'whole') return undefined;
  const given = levels.slice(levels.lastIndexOf('whole') + 1) as (GivenRules | undefined)[];
  const { ids, keep, list: _, record: __, ...rest } = Object.assign({}, ...given) as GivenRules;
  if (given.every((rules) => rules === undefined)) return undefined;
  return {
    ...rest,
    ...placeOf(given, pagedList),
    ...(ids !== undefined && { ids: namedPaths(ids) }),
    ...(keep !== undefined && { keep: namedPaths(keep) }),
  };
}

function placeOf(
  given: readonly (GivenRules | undefined)[],
  pagedList: string | undefined,
): Pick<ResultRules, 'list' | 'record'> {
  const own = given.at(-1);
  const isSaid = (rules: GivenRules | undefined) => rules?.list !== undefined || rules?.record !== undefined;
  if (!isSaid(own) && pagedList !== undefined) return { list: pagedList };
  const { list, record } = given.findLast(isSaid) ?? {};
  return { ...(list !== undefined && { list }), ...(record !== undefined && { record }) };
}

/** Names with their paths: in a list, a path is called by its last name. */
export function namedPaths(entry: GivenRules['keep']): Readonly<Record<string, string>> {
  if (!isPathList(entry)) return entry ?? {};
  return Object.fromEntries(entry.map((path) => [path.slice(path.lastIndexOf('.') + 1), path]));
}

/** Whether paths are given without names of their own. */
export function isPathList(entry: GivenRules['keep']): entry is readonly string[] {
  return Array.isArray(entry);
}

/**
 * JSON Schema of a compact result: as little as says its form, because every client pays for it. Members of a list
 * are not described, so that an answer that stays whole fits too.
 */
export function outputSchemaOf({ list, rows, as }: ResultRules): OutputSchema {
  if (rows !== undefined)
    return {
      type: 'object',
      properties: { columns: { type: 'array' }, rows: { type: 'array' }, row_count: { type: 'integer' } },
    };
  if (list === undefined || list.includes('.')) return { type: 'object' };
  if (as === 'map') return { type: 'object', properties: { [list]: { type: 'object' } } };
  return { type: 'object', properties: { [list]: { type: as === 'table' ? 'object' : 'array' } } };
}

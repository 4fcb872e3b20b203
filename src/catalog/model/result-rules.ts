/** Joins the `result` rules of connector, file and tool into those of a tool, and the output schema that follows. Pure. */
import type { ResultEntry, ResultRulesEntry } from '../grammar/result-schema.ts';
import type { InMemory, OutputSchema, ResultRules, Tool } from './types.ts';

/** The rules for results at one place of the catalog. */
type Rules = InMemory<ResultEntry> | undefined;

/** Rules of a place that has some. */
type GivenRules = InMemory<ResultRulesEntry>;

/**
 * The rules of a tool; `undefined` if its answers stay whole.
 *
 * @param levels from the connector to the tool: later ones take precedence, key by key. `list` and `record` count
 *   as one key
 * @param pagedList `paging.list` of the tool, which takes precedence over its file and connector
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

/** Names with their paths. A path in a list is named by its last member. */
export function namedPaths(entry: GivenRules['keep']): Readonly<Record<string, string>> {
  if (!isPathList(entry)) return entry ?? {};
  return Object.fromEntries(entry.map((path) => [path.slice(path.lastIndexOf('.') + 1), path]));
}

/** Whether paths are given without names of their own. */
export function isPathList(entry: GivenRules['keep']): entry is readonly string[] {
  return Array.isArray(entry);
}

/** Whether a tool answers with records that its rules make compact: tools that read, and rows of any statement. */
export function answersWithRecords({ effect, result }: Pick<Tool, 'effect' | 'result'>): boolean {
  return result !== undefined && (effect === 'read' || result.rows !== undefined);
}

/** Member of `structuredContent` with Gatehouse's own words: how to continue, and what was cut. */
export const NOTICE_MEMBER = 'gatehouse_notice';

/**
 * JSON Schema of a compact result; `undefined` if the tool answers with no records. It describes no more than the
 * form, because every client pays for it. Members of a list are not described, so that an answer that stays whole
 * matches too.
 */
export function outputSchemaOf(tool: Pick<Tool, 'effect' | 'result' | 'upstream'>): OutputSchema | undefined {
  const { result, upstream } = tool;
  if (upstream !== undefined) return upstream.outputSchema;
  if (result === undefined || !answersWithRecords(tool)) return undefined;
  const { list, rows, as } = result;
  const lists = rows !== undefined ? ['columns', 'rows'] : isNamedList(list, as) ? [list] : [];
  const properties = Object.fromEntries(lists.map((name) => [name, { type: 'array' } as const]));
  return { type: 'object', properties: { ...properties, [NOTICE_MEMBER]: { type: 'string' } } };
}

/**
 * Whether the list stands under one name and has the form of a list. A map or a table is a list again if the answer
 * stays whole, so it is not described.
 */
function isNamedList(list: string | undefined, as: ResultRules['as']): list is string {
  return list !== undefined && !list.includes('.') && as !== 'map' && as !== 'table';
}

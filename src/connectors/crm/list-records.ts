/**
 * Lists of records and of list entries. If a filter by a status or select finds nothing, the answer names the
 * existing titles, because a model most often wrote one that does not exist, which Attio does not refuse.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/list-records
 * @see https://docs.attio.com/rest-api/endpoint-reference/entries/list-entries
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { HandlerCall, JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import { valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get, given, post, type ProviderHttp } from '../provider-call.ts';
import { itemsOf } from './attio-list.ts';
import { titlesOf } from './record-choices.ts';

type RecordsInput = ToolInputs['crm_list_user_records'] &
  Partial<Pick<ToolInputs['crm_list_records'], 'object'>>;

/** Attributes whose titles are read for one answer, and titles of each. */
const MAX_ATTRIBUTES = 3;
const MAX_TITLES = 50;

/** Deepest level of nested filters that is searched. */
const MAX_DEPTH = 10;

/** @param ownObject slug of the tool's object; without one the caller names it */
export function listRecords(ownObject?: string): ToolHandler<RecordsInput> {
  return {
    check: ({ object }) => (object === undefined ? [] : pathViolations(object, 'object')),
    call: async ({ input: { object = '', ...query }, ...call }) => {
      const target = `/v2/objects/${pathSegment(ownObject ?? object, 'object')}`;
      return listed(call, target, `${target}/records/query`, query);
    },
  };
}

export const listEntries: ToolHandler<ToolInputs['crm_list_entries']> = {
  check: ({ list }) => pathViolations(list, 'list'),
  call: async ({ input: { list, ...query }, ...call }) => {
    const target = `/v2/lists/${pathSegment(list, 'list')}`;
    return listed(call, target, `${target}/entries/query`, query);
  },
};

async function listed(
  { http, onCoerced }: Pick<HandlerCall<unknown>, 'http' | 'onCoerced'>,
  target: string,
  path: string,
  query: Pick<RecordsInput, 'filter' | 'sorts' | 'limit' | 'offset'>,
): Promise<unknown> {
  const { filter, offset = 0 } = query;
  const answer = await http.send(post(path, given(query)));
  const records = valueAt(answer, 'data');
  const isEmpty = Array.isArray(records) && records.length === 0 && offset === 0;
  if (onCoerced === undefined || filter === undefined || !isEmpty) return answer;
  const titles = await titlesFor(http, target, filter);
  return titles === undefined ? answer : { data: [], titles };
}

/** The titles of the statuses and selects that a filter names, by attribute; `undefined` if none can be read. */
async function titlesFor(
  http: ProviderHttp,
  target: string,
  filter: JsonObject,
): Promise<Readonly<Record<string, readonly string[]>> | undefined> {
  const wanted = new Set(attributesIn(filter));
  const titles: [string, readonly string[]][] = [];
  for (const attribute of await attributesOf(http, target)) {
    const name = textAt(attribute, 'api_slug') ?? '';
    if (!wanted.has(name) && !wanted.has(textAt(attribute, 'id', 'attribute_id') ?? '')) continue;
    const found = await titlesOf(http, { target, name, type: textAt(attribute, 'type') ?? '' });
    if (found !== undefined) titles.push([name, found.slice(0, MAX_TITLES)]);
    if (titles.length === MAX_ATTRIBUTES) break;
  }
  return titles.length === 0 ? undefined : Object.fromEntries(titles);
}

async function attributesOf(http: ProviderHttp, target: string): Promise<readonly unknown[]> {
  try {
    return itemsOf(await http.send(get(`${target}/attributes`)));
  } catch (error) {
    // The list itself was read, so the call must not fail.
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

/** Slugs and ids of the attributes that a filter names, in its short form or in its form with paths. */
function attributesIn(filter: unknown, depth = 0): string[] {
  if (typeof filter !== 'object' || filter === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(filter)) return filter.flatMap((part) => attributesIn(part, depth + 1));
  const path = valueAt(filter, 'path');
  if (Array.isArray(path))
    return [path.flat().at(-1)].flatMap((last) => (typeof last === 'string' ? [last] : []));
  return Object.entries(filter).flatMap(([name, part]) =>
    name.startsWith('$') ? attributesIn(part, depth + 1) : [name],
  );
}

/**
 * crm_search_records: Attio's search has no offset and returns at most 25 records. An offset skips among those.
 *
 * Without words every record counts, and Attio's search gives a choice only. The records are then listed, page by page,
 * with the members of a search result.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/search-records
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/list-records
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { post, type ProviderHttp } from '../provider-call.ts';
import { cutList, itemsOf, pageOf, type CutList } from './attio-list.ts';

type SearchInput = ToolInputs['crm_search_records'];

/** Attio's largest answer to a search. */
const MAX_FOUND = 25;

/** Attio's own page size of a list, and most pages of one call. */
const LIST_PAGE = 500;
const MAX_LIST_PAGES = 10;

const SEARCH_ENDS = `Attio's search ends after ${MAX_FOUND} records. Search for something narrower, or use crm_list_records.`;

export const searchRecords: ToolHandler<SearchInput> = {
  check: ({ object, query }) => (query === '' ? pathViolations(object, 'object') : []),
  call: async ({ input, http }) => (input.query === '' ? allRecords(input, http) : search(input, http)),
};

async function search({ object, query, limit, offset }: SearchInput, http: ProviderHttp): Promise<CutList> {
  const end = offset + limit;
  const answer = await http.send(
    post('/v2/objects/records/search', {
      query,
      objects: [object],
      limit: Math.min(end, MAX_FOUND),
      request_as: { type: 'workspace' },
    }),
  );
  const found = itemsOf(answer);
  const records = found.slice(offset, end);
  if (end > MAX_FOUND && found.length >= MAX_FOUND) return cutList(records, SEARCH_ENDS);
  return pageOf(records, end < MAX_FOUND && found.length >= end);
}

/** Asks for one record more than wanted, to know whether there is more. */
async function allRecords({ object, limit, offset }: SearchInput, http: ProviderHttp): Promise<CutList> {
  const path = `/v2/objects/${pathSegment(object, 'object')}/records/query`;
  const wanted = Math.min(limit, LIST_PAGE * MAX_LIST_PAGES - 1);
  const found: unknown[] = [];
  for (;;) {
    const size = Math.min(wanted + 1 - found.length, LIST_PAGE);
    const page = itemsOf(await http.send(post(path, { limit: size, offset: offset + found.length })));
    found.push(...page);
    if (page.length < size || found.length > wanted) break;
  }
  const records = found.slice(0, wanted).map((record) => asFound(record, object));
  return pageOf(records, found.length > wanted);
}

/** Attributes whose values Attio's search repeats, and the member that holds the text of a value. */
const REPEATED = [
  ['email_addresses', 'email_address', 'people'],
  ['phone_numbers', 'phone_number', 'people'],
  ['domains', 'domain', 'companies'],
] as const;

/** A listed record with the members of a found one. */
function asFound(record: unknown, object: string): JsonObject {
  const texts = (attribute: string, ...members: readonly string[]): string[] => {
    const values = valueAt(record, 'values', attribute);
    if (!Array.isArray(values)) return [];
    return values.flatMap((value) => members.map((member) => textAt(value, member)).find(Boolean) ?? []);
  };
  const [name = ''] = [...texts('name', 'full_name', 'value'), ...texts('user_id', 'value')];
  const [image = null] = [...texts('avatar_url', 'value'), ...texts('logo_url', 'value')];
  const repeated = REPEATED.filter(([, , owner]) => owner === object);
  return {
    id: valueAt(record, 'id'),
    record_text: name,
    record_image: image,
    object_slug: object,
    ...Object.fromEntries(repeated.map(([attribute, member]) => [attribute, texts(attribute, member)])),
  };
}

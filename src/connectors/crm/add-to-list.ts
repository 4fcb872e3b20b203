/**
 * crm_add_to_list and crm_upsert_list_entry: Attio wants the object of the record in addition to its id; the list knows
 * the object. POST makes a further entry of the record, PUT changes the one that it has.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/entries/create-an-entry-add-record-to-list
 * @see https://docs.attio.com/rest-api/endpoint-reference/entries/assert-a-list-entry-by-parent
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { valueAt } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/crm.ts';
import { get, given, post, put, refusalStatus, type ProviderHttp } from '../provider-call.ts';
import { writeValues, type ValuesWrite } from './record-values.ts';

/** Both tools have it. */
type EntryInput = ToolInputs['crm_add_to_list'];

export const addToList = entryWriter(post, 'new');

export const upsertListEntry = entryWriter(put, 'new or existing');

function entryWriter(send: typeof post, subject: ValuesWrite['subject']): ToolHandler<EntryInput> {
  return {
    check: ({ list }) => pathViolations(list, 'list'),
    call: async ({ input, http, onCoerced }) => {
      const { list, record_id, entry_values: values = {} } = input;
      const target = `/v2/lists/${pathSegment(list, 'list')}`;
      const parents = parentObjects(await http.send(get(target)));
      const parent_object = await objectOf(http, record_id, parents);
      const request = (written: JsonObject) =>
        send(`${target}/entries`, {
          data: given({ parent_record_id: record_id, parent_object, entry_values: written }),
        });
      const write = { parameter: 'entry_values', subject, values, target, request };
      return writeValues({ http, onCoerced }, write);
    },
  };
}

/** A list of names; also accepts a single name. */
function parentObjects(list: unknown): readonly string[] {
  const named = valueAt(list, 'data', 'parent_object');
  return [named].flat().filter((name): name is string => typeof name === 'string' && name !== '');
}

/**
 * The object of a record, among those of the list. Nearly every list has one. Old lists may have several; then the
 * record is looked up in each until it is found.
 *
 * @returns `undefined` if the list names no object: Attio's own error says more than ours could
 */
async function objectOf(
  http: ProviderHttp,
  recordId: string,
  parents: readonly string[],
): Promise<string | undefined> {
  for (const parent of parents.slice(0, -1)) if (await hasRecord(http, parent, recordId)) return parent;
  return parents.at(-1);
}

async function hasRecord(http: ProviderHttp, object: string, recordId: string): Promise<boolean> {
  try {
    await http.send(
      get(`/v2/objects/${pathSegment(object, 'list')}/records/${encodeURIComponent(recordId)}`),
    );
    return true;
  } catch (error) {
    if (refusalStatus(error) === 404) return false;
    throw error;
  }
}

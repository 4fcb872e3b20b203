/**
 * The list entries of a record. Attio pages them; a record in more lists than one page holds is rare, and the
 * tools that need it have no parameters for paging.
 *
 * @see https://docs.attio.com/rest-api/endpoint-reference/records/list-record-entries
 */
import { pathSegment } from '../../catalog/call/request.ts';
import { get, type ProviderHttp } from '../provider-call.ts';
import { readPages } from './attio-list.ts';

/** Attio's largest page. */
const PAGE_SIZE = 1_000;

/** More than any record has. If entries are left out, the result says so. */
const MAX_PAGES = 5;

/** Says that a record has more entries than were read; `undefined` if it does not. */
export function entriesNotice(isWhole: boolean): string | undefined {
  return isWhole ? undefined : `Only the first ${PAGE_SIZE * MAX_PAGES} entries of the record were read.`;
}

/**
 * @param record parameters `object` and `id`, each with its name for messages
 * @returns entries as Attio gives them, and whether these are all
 * @throws ServiceError INVALID_ARGUMENT, TOOL_ERROR
 */
export async function readRecordEntries(
  http: ProviderHttp,
  record: { object: string; objectField: string; id: string },
): Promise<{ items: readonly unknown[]; isWhole: boolean }> {
  const object = pathSegment(record.object, record.objectField);
  const path = `/v2/objects/${object}/records/${encodeURIComponent(record.id)}/entries`;
  return readPages(
    (offset) =>
      http.send(
        get(path, [
          ['limit', String(PAGE_SIZE)],
          ['offset', String(offset)],
        ]),
      ),
    { pageSize: PAGE_SIZE, maxPages: MAX_PAGES },
  );
}

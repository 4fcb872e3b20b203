/** The status of a webset: created, running, completed or cancelled. The provider has these words for its searches only. */
import { valueAt } from '../answer-value.ts';

export type SearchStatus = 'created' | 'running' | 'completed' | 'cancelled';

/**
 * The provider's whole answer, with `search_status` added if its searches have a status.
 *
 * @param webset the provider's JSON; any other value is returned unchanged
 */
export function withSearchStatus(webset: unknown): unknown {
  if (typeof webset !== 'object' || webset === null || Array.isArray(webset)) return webset;
  const searches = valueAt(webset, 'searches');
  const status = searchStatus(Array.isArray(searches) ? searches : []);
  return status === undefined ? webset : { ...webset, search_status: status };
}

/** Unfinished searches decide first, then a cancelled one. */
function searchStatus(searches: readonly unknown[]): SearchStatus | undefined {
  const found = new Set(searches.map((search) => valueAt(search, 'status')));
  const waits = found.has('created') || found.has('pending');
  const ended = found.has('completed') || found.has('canceled');
  if (found.has('running') || (waits && ended)) return 'running';
  if (waits) return 'created';
  if (found.has('canceled')) return 'cancelled';
  return found.has('completed') ? 'completed' : undefined;
}

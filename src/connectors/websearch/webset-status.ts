/** The status of a webset in the words created, running, completed, cancelled. The provider has those words for its searches only. */
import { valueAt } from '../answer-value.ts';

export type SearchStatus = 'created' | 'running' | 'completed' | 'cancelled';

/**
 * The provider's answer whole, with `search_status` beside it where its searches tell one.
 *
 * @param webset the provider's JSON; anything else comes back as it is
 */
export function withSearchStatus(webset: unknown): unknown {
  if (typeof webset !== 'object' || webset === null || Array.isArray(webset)) return webset;
  const searches = valueAt(webset, 'searches');
  const status = searchStatus(Array.isArray(searches) ? searches : []);
  return status === undefined ? webset : { ...webset, search_status: status };
}

/** Work that goes on decides first, then a search that was cut short. */
function searchStatus(searches: readonly unknown[]): SearchStatus | undefined {
  const found = new Set(searches.map((search) => valueAt(search, 'status')));
  const waits = found.has('created') || found.has('pending');
  const ended = found.has('completed') || found.has('canceled');
  if (found.has('running') || (waits && ended)) return 'running';
  if (waits) return 'created';
  if (found.has('canceled')) return 'cancelled';
  return found.has('completed') ? 'completed' : undefined;
}

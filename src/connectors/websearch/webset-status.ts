/** The status of a webset in the words created, running, completed, cancelled. The provider has those words for its searches only. */
import type { JsonObject } from '../../catalog/model/types.ts';

export type SearchStatus = 'created' | 'running' | 'completed' | 'cancelled';

/**
 * The provider's answer whole, with `search_status` beside it where its searches tell one.
 *
 * @param webset the provider's JSON; anything else comes back as it is
 */
export function withSearchStatus(webset: unknown): unknown {
  if (typeof webset !== 'object' || webset === null || Array.isArray(webset)) return webset;
  const { searches } = webset as JsonObject;
  const status = searchStatus(Array.isArray(searches) ? searches : []);
  return status === undefined ? webset : { ...webset, search_status: status };
}

/** Work that goes on decides first, then a search that was cut short. */
function searchStatus(searches: readonly unknown[]): SearchStatus | undefined {
  const found = new Set(searches.map((search) => (search as JsonObject | null)?.['status']));
  const waits = found.has('created') || found.has('pending');
  const ended = found.has('completed') || found.has('canceled');
  if (found.has('running') || (waits && ended)) return 'running';
  if (waits) return 'created';
  if (found.has('canceled')) return 'cancelled';
  return found.has('completed') ? 'completed' : undefined;
}

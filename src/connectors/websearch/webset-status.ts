/** The status of a webset: created, running, completed or cancelled. The provider has these words for its searches only. */

import { valueAt } from '../../core/json.ts';

type WebsetStatus = 'created' | 'running' | 'completed' | 'cancelled';

/** The provider's words for a webset whose searches tell nothing. */
const OF_WEBSET: ReadonlyMap<unknown, WebsetStatus> = new Map([
  ['pending', 'created'],
  ['running', 'running'],
  ['paused', 'running'],
  ['idle', 'completed'],
] as const);

/**
 * The provider's whole answer, with the status of its searches as `status` and the provider's own word as
 * `provider_status`.
 *
 * @param webset the provider's JSON; a value without a known status is returned unchanged
 */
export function withWebsetStatus(webset: unknown): unknown {
  if (typeof webset !== 'object' || webset === null || Array.isArray(webset)) return webset;
  const own = valueAt(webset, 'status');
  const searches = valueAt(webset, 'searches');
  const status = searchStatus(Array.isArray(searches) ? searches : []) ?? OF_WEBSET.get(own);
  if (status === undefined) return webset;
  return { ...webset, status, ...(own !== undefined && { provider_status: own }) };
}

/** Unfinished searches decide first, then a cancelled one. */
function searchStatus(searches: readonly unknown[]): WebsetStatus | undefined {
  const found = new Set(searches.map((search) => valueAt(search, 'status')));
  const waits = found.has('created') || found.has('pending');
  const ended = found.has('completed') || found.has('canceled');
  if (found.has('running') || (waits && ended)) return 'running';
  if (waits) return 'created';
  if (found.has('canceled')) return 'cancelled';
  return found.has('completed') ? 'completed' : undefined;
}

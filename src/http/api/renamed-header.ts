/**
 * The header that reports old names used in a call. It is a header because bodies hold only what
 * docs/contract.md#calling-a-tool lists.
 */
import type { Renamed } from '../../catalog/model/aliases.ts';

/** A list of what was renamed (RFC 9651 section 3.1): `tool;from="crm_find";to="crm_search", parameter;from="q";to="query"`. */
const RENAMED_HEADER = 'gatehouse-renamed';

/** @returns `undefined` if nothing was renamed. Names need no escapes: they are letters, digits and `_` */
export function renamedHeader(renamed: readonly Renamed[] = []): Record<string, string> | undefined {
  if (renamed.length === 0) return undefined;
  const items = renamed.map(({ kind, from, to }) => `${kind};from="${from}";to="${to}"`);
  return { [RENAMED_HEADER]: items.join(', ') };
}

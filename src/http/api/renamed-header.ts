/**
 * The header of an answer to a call that used old names: bodies hold what docs/contract.md#calling-a-tool says and
 * nothing else.
 */
import type { Renamed } from '../../catalog/model/aliases.ts';

/** A list of what was renamed (RFC 9651 section 3.1): `tool;from="crm_find";to="crm_search", parameter;from="q";to="query"`. */
const RENAMED_HEADER = 'gatehouse-renamed';

/** @returns undefined where nothing was renamed. Names need no escapes: both kinds are letters, digits and `_` */
export function renamedHeader(renamed: readonly Renamed[] = []): Record<string, string> | undefined {
  if (renamed.length === 0) return undefined;
  const items = renamed.map(({ kind, from, to }) => `${kind};from="${from}";to="${to}"`);
  return { [RENAMED_HEADER]: items.join(', ') };
}

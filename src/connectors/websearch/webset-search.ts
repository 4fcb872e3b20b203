/**
 * The content of a webset's search, under the provider's names. Used by everything that starts or repeats its
 * search.
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import { given } from '../provider-call.ts';

const ENTITY_TYPES = new Set(['company', 'person', 'article', 'research_paper']);

/** Input members that describe what to collect; all tools that have them share their names and meanings. */
interface WebsetSearch {
  query?: string | undefined;
  count?: number | undefined;
  entity_type?: string | undefined;
  /** Conditions that every item meets, a sentence each. */
  criteria?: readonly string[] | undefined;
}

/** The given members. Without criteria the provider chooses them. */
export function websetSearch({ query, count, entity_type, criteria = [] }: WebsetSearch): JsonObject {
  return given({
    query,
    count,
    entity: entity_type === undefined ? undefined : entity(entity_type),
    criteria: criteria.length === 0 ? undefined : criteria.map((description) => ({ description })),
  });
}

/** One of the provider's kinds; any other words describe a custom kind. */
function entity(words: string): JsonObject {
  const kind = words
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return ENTITY_TYPES.has(kind) ? { type: kind } : { type: 'custom', description: words };
}

/** Requests shared by the web-search handlers. The provider expects content options under `contents`, not at the top. */
import type { JsonObject } from '../../catalog/model/types.ts';
import { given } from '../provider-call.ts';

/** Input members that narrow a search; the same names and meaning in every tool that has them. */
interface SearchFilters {
  category?: string;
  start_published_date?: string;
  end_published_date?: string;
  include_domains?: readonly string[];
  exclude_domains?: readonly string[];
  num_results?: number;
}

/** The given filters under the provider's names. An empty list does not limit anything. */
export function searchFilters(input: SearchFilters): JsonObject {
  const listed = (domains: readonly string[] | undefined) => (domains?.length === 0 ? undefined : domains);
  return given({
    category: input.category,
    startPublishedDate: input.start_published_date,
    endPublishedDate: input.end_published_date,
    includeDomains: listed(input.include_domains),
    excludeDomains: listed(input.exclude_domains),
    numResults: input.num_results,
  });
}

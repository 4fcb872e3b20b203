/**
 * websearch_websets: starts a webset. Domains become worded criteria, because the provider has no field for them.
 *
 * @see https://docs.exa.ai/websets/api/websets/create-a-webset
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { given, post } from '../provider-call.ts';
import { websetSearch } from './webset-search.ts';
import { withWebsetStatus } from './webset-status.ts';

/** The provider's limits for `search.criteria`. */
const MAX_CRITERIA = 5;
const MAX_CRITERION_CHARACTERS = 1_000;

export const websets: ToolHandler<ToolInputs['websearch_websets']> = {
  check: ({ include_domains = [], exclude_domains = [] }) =>
    domainCriteria(include_domains, exclude_domains).violations,
  call: async ({ input, http }) => {
    const { query, count, entity_type, include_domains = [], exclude_domains = [], external_id } = input;
    const { criteria } = domainCriteria(include_domains, exclude_domains);
    const search = websetSearch({ query, count, entity_type, criteria });
    return withWebsetStatus(
      await http.send(post('/websets/v0/websets', given({ search, externalId: external_id }))),
    );
  },
};

/**
 * All criteria must hold. So included domains must fit into one criterion, while excluded domains may be spread over
 * several. Lists that exceed the provider's limits are violations.
 */
function domainCriteria(
  wanted: readonly string[],
  unwanted: readonly string[],
): { criteria: readonly string[]; violations: readonly FieldViolation[] } {
  const include = sentences('The result is on one of these domains: ', wanted);
  const exclude = sentences('The result is not on any of these domains: ', unwanted);
  const violations = [
    ...(include === undefined || include.length > 1
      ? [tooLong('include_domains', 'Give fewer or shorter domains')]
      : []),
    ...(exclude === undefined || exclude.length > MAX_CRITERIA - Math.min(wanted.length, 1)
      ? [tooLong('exclude_domains', 'Give fewer or shorter domains')]
      : []),
  ];
  return { criteria: [...(include ?? []), ...(exclude ?? [])], violations };
}

/** Fills sentences up to the limit; `undefined` if a single domain is too long for one. */
function sentences(start: string, domains: readonly string[]): string[] | undefined {
  const room = MAX_CRITERION_CHARACTERS - start.length;
  if (domains.some((domain) => domain.length > room)) return undefined;
  const lists: string[] = [];
  for (const domain of domains) {
    const last = lists.at(-1);
    if (last !== undefined && last.length + domain.length + 2 <= room)
      lists[lists.length - 1] = `${last}, ${domain}`;
    else lists.push(domain);
  }
  return lists.map((list) => start + list);
}

function tooLong(field: string, advice: string): FieldViolation {
  return {
    field,
    description: `${advice}: the provider takes them as a short text.`,
    constraint: 'max_length',
  };
}

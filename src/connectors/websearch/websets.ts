/**
 * websearch_websets: starts a webset. Domains become worded criteria, because the provider has no field for them.
 *
 * @see https://docs.exa.ai/websets/api/websets/create-a-webset
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { given, post } from '../provider-call.ts';
import { withWebsetStatus } from './webset-status.ts';

/** The provider's limits for `search.criteria`. */
const MAX_CRITERIA = 5;
const MAX_CRITERION_CHARACTERS = 1_000;

const ENTITY_TYPES = new Set(['company', 'person', 'article', 'research_paper']);

export const websets: ToolHandler<ToolInputs['websearch_websets']> = {
  check: ({ include_domains = [], exclude_domains = [] }) =>
    domainCriteria(include_domains, exclude_domains).violations,
  call: async ({ input, http }) => {
    const { query, count, entity_type, include_domains = [], exclude_domains = [], external_id } = input;
    const { criteria } = domainCriteria(include_domains, exclude_domains);
    const search = given({
      query,
      count,
      entity: entity_type === undefined ? undefined : entity(entity_type),
      criteria: criteria.length === 0 ? undefined : criteria,
    });
    return withWebsetStatus(
      await http.send(post('/websets/v0/websets', given({ search, externalId: external_id }))),
    );
  },
};

/** One of the provider's kinds; any other words describe a custom kind. */
function entity(words: string): JsonObject {
  const kind = words
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return ENTITY_TYPES.has(kind) ? { type: kind } : { type: 'custom', description: words };
}

/**
 * All criteria must hold. So included domains must fit into one criterion, while excluded domains may be spread over
 * several. Lists that exceed the provider's limits are violations.
 */
function domainCriteria(
  wanted: readonly string[],
  unwanted: readonly string[],
): { criteria: readonly { description: string }[]; violations: readonly FieldViolation[] } {
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
  const criteria = [...(include ?? []), ...(exclude ?? [])].map((description) => ({ description }));
  return { criteria, violations };
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

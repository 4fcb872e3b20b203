/**
 * websearch_research: one search whose results carry text and a summary on the question.
 *
 * The provider's own research endpoints were removed in May 2026.
 *
 * @see https://docs.exa.ai/reference/search
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { post } from '../provider-call.ts';
import { searchFilters } from './search-request.ts';

export const research: ToolHandler<ToolInputs['websearch_research']> = {
  call: async ({ input, http }) => {
    const { query, summary_query, max_characters, ...filters } = input;
    const contents = { text: { maxCharacters: max_characters }, summary: { query: summary_query ?? query } };
    return http.send(post('/search', { query, ...searchFilters(filters), contents }));
  },
};

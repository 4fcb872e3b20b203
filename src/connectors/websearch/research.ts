/**
 * websearch_research: one search whose results carry text and a summary about the question.
 *
 * The provider's own research endpoints were removed in May 2026.
 *
 * @see https://docs.exa.ai/reference/search
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { post } from '../provider-call.ts';
import { searchFilters, type SearchFilters } from './search-request.ts';

interface ResearchInput extends SearchFilters {
  query: string;
  summary_query?: string;
  max_characters: number;
}

export const research: ToolHandler = async ({ input, http }) => {
  const { query, summary_query, max_characters, ...filters } = input as unknown as ResearchInput;
  const contents = { text: { maxCharacters: max_characters }, summary: { query: summary_query ?? query } };
  return http.send(post('/search', { query, ...searchFilters(filters), contents }));
};

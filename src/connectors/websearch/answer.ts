/**
 * websearch_answer: /answer, or a search with a written answer where sources are limited.
 *
 * /answer knows no number of results and no domains. Dropping them would answer from sources the caller excluded.
 *
 * @see https://docs.exa.ai/reference/answer
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { given, post } from '../provider-call.ts';
import { searchFilters, type SearchFilters } from './search-request.ts';

interface AnswerInput extends SearchFilters {
  query: string;
  include_text?: boolean;
}

export const answer: ToolHandler = async ({ input, http }) => {
  const { query, include_text, ...limits } = input as unknown as AnswerInput;
  const filters = searchFilters(limits);
  if (Object.keys(filters).length === 0)
    return http.send(post('/answer', given({ query, text: include_text })));
  const contents = include_text === true ? { contents: { text: true } } : {};
  return http.send(post('/search', { query, ...filters, outputSchema: { type: 'text' }, ...contents }));
};

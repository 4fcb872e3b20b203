/**
 * websearch_answer: /answer, or a search with a written answer if the caller limits the sources.
 *
 * /answer takes neither a number of results nor domains. Dropping domains would use sources that the caller excluded.
 *
 * @see https://docs.exa.ai/reference/answer
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs.ts';
import { given, post } from '../provider-call.ts';
import { searchFilters } from './search-request.ts';

export const answer: ToolHandler<ToolInputs['websearch_answer']> = {
  call: async ({ input, http }) => {
    const { query, include_text, ...limits } = input;
    const filters = searchFilters(limits);
    if (Object.keys(filters).length === 0)
      return http.send(post('/answer', given({ query, text: include_text })));
    const contents = include_text === true ? { contents: { text: true } } : {};
    return http.send(post('/search', { query, ...filters, outputSchema: { type: 'text' }, ...contents }));
  },
};

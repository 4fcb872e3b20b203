/**
 * websearch_find_similar: /findSimilar, which the provider has announced it will remove.
 *
 * After the removal the provider answers 404 or 410, so an explanation is added for the caller.
 *
 * @see https://docs.exa.ai/reference/find-similar-links
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { post, refusalStatus } from '../provider-call.ts';
import { searchFilters } from './search-request.ts';

export const findSimilar: ToolHandler<ToolInputs['websearch_find_similar']> = {
  call: async ({ input, http }) => {
    const { url, include_text, max_characters, ...filters } = input;
    const contents = include_text === true ? { contents: { text: { maxCharacters: max_characters } } } : {};
    try {
      return await http.send(post('/findSimilar', { url, ...searchFilters(filters), ...contents }));
    } catch (error) {
      throw isGone(error) ? goneError(error) : error;
    }
  },
};

function isGone(error: unknown): error is ServiceError {
  const status = refusalStatus(error);
  return status === 404 || status === 410;
}

function goneError(cause: ServiceError): ServiceError {
  return new ServiceError(
    'TOOL_ERROR',
    'The provider no longer offers the search for similar pages. Read the page with websearch_crawl and look for its topic with websearch_search.',
    { status: cause.status, details: cause.details, cause },
  );
}

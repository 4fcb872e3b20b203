/**
 * websearch_answer: /answer, or a search with a written answer if the caller limits the sources.
 *
 * /answer takes neither a number of results nor domains. Dropping domains would use sources that the caller
 * excluded. Both ways give `answer` and `citations`; for a search, the whole result is returned too.
 *
 * @see https://docs.exa.ai/reference/answer
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { isObject, valueAt } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/websearch.ts';
import { given, post } from '../provider-call.ts';
import { searchFilters } from './search-request.ts';

export const answer: ToolHandler<ToolInputs['websearch_answer']> = {
  call: async ({ input, http }) => {
    const { query, include_text, ...limits } = input;
    const filters = searchFilters(limits);
    if (Object.keys(filters).length === 0)
      return withAnswer(await http.send(post('/answer', given({ query, text: include_text }))));
    const contents = include_text === true ? { contents: { text: true } } : {};
    return withAnswer(
      await http.send(post('/search', { query, ...filters, outputSchema: { type: 'text' }, ...contents })),
    );
  },
};

/** The provider's object with `answer`, null if nothing was written, and `citations`. */
function withAnswer(found: unknown): unknown {
  if (!isObject(found)) return found;
  const {
    answer: text = valueAt(found, 'output', 'content') ?? null,
    citations = citedPages(found),
    ...rest
  } = found;
  return { answer: text, citations, ...rest };
}

/** The members of a citation of /answer. */
const CITATION = ['id', 'url', 'title', 'author', 'publishedDate', 'text'];

/** The found pages that the answer names as its grounds; all pages if it names none. */
function citedPages(found: object): readonly unknown[] {
  const pages = listAt(found, 'results');
  const grounds = listAt(found, 'output', 'grounding').flatMap((ground) => listAt(ground, 'citations'));
  const urls = new Set(grounds.map((ground) => valueAt(ground, 'url')));
  const cited = pages.filter((page) => urls.has(valueAt(page, 'url')));
  return (cited.length > 0 ? cited : pages).map((page) =>
    given(Object.fromEntries(CITATION.map((member) => [member, valueAt(page, member)]))),
  );
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

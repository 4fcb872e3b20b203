/** Ranks the pages for a question: plain word overlap, the same on every run. */
import type { CorpusPage } from './corpus.ts';
import type { FindSimilarRequest, SearchRequest } from './requests.ts';

/** A page and its score from 0 to 1. */
export interface Match {
  page: CorpusPage;
  score: number;
}

/** Score of a page without any word of the question. */
export const LOWEST_SCORE = 0.1;

const STOP_WORDS = new Set(
  'a about an and are as at be by can do does for from go goes has have how i in into is it its many me much my of on or than that the their they this to was what when where which who why with you your'.split(
    ' ',
  ),
);

/** The words of a text that carry meaning, in lower case, without plural s. */
export function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem));
}

function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/**
 * Every page, best first. A search by meaning always finds something, so pages without a common word come
 * last with a low score instead of being omitted.
 */
export function rank(query: string, pages: readonly CorpusPage[]): Match[] {
  const wanted = wordsOf(query);
  return pages
    .map((page) => ({ page, score: scoreOf(wanted, page) }))
    .sort((one, other) => other.score - one.score);
}

function scoreOf(wanted: ReadonlySet<string>, page: CorpusPage): number {
  const title = wordsOf(page.title);
  const text = wordsOf(page.text);
  let points = 0;
  for (const word of wanted) points += title.has(word) ? 3 : text.has(word) ? 2 : 0;
  const share = wanted.size === 0 ? 0 : points / (3 * wanted.size);
  return Math.round((LOWEST_SCORE + 0.85 * share) * 1000) / 1000;
}

/** The pages that pass a request's filters. */
export function filterPages(
  pages: readonly CorpusPage[],
  request: SearchRequest | FindSimilarRequest,
): CorpusPage[] {
  const category = 'category' in request ? request.category : undefined;
  return pages.filter(
    (page) =>
      fitsCategory(page, category) &&
      (request.includeDomains === undefined || isOnDomains(page.url, request.includeDomains)) &&
      (request.excludeDomains === undefined || !isOnDomains(page.url, request.excludeDomains)) &&
      isPublishedWithin(page, request.startPublishedDate, request.endPublishedDate) &&
      (request.includeText ?? []).every((phrase) => contains(page, phrase)) &&
      !(request.excludeText ?? []).some((phrase) => contains(page, phrase)),
  );
}

function fitsCategory(page: CorpusPage, category: string | undefined): boolean {
  if (category === undefined || category === page.category) return true;
  return category === 'publication' && page.category === 'research paper';
}

/** @param domains hosts, including their subdomains */
function isOnDomains(url: string, domains: readonly string[]): boolean {
  const host = new URL(url).hostname;
  return domains.some((domain) => host === domain.toLowerCase() || host.endsWith(`.${domain.toLowerCase()}`));
}

function isPublishedWithin(page: CorpusPage, start: string | undefined, end: string | undefined): boolean {
  if (start === undefined && end === undefined) return true;
  if (page.publishedDate === null) return false;
  const at = Date.parse(page.publishedDate);
  return (start === undefined || at >= Date.parse(start)) && (end === undefined || at <= Date.parse(end));
}

function contains(page: CorpusPage, phrase: string): boolean {
  return `${page.title}\n${page.text}`.toLowerCase().includes(phrase.toLowerCase());
}

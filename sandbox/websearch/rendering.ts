/** Renders pages as the provider does: results, requested contents, citations, and costs. */
import { createHash } from 'node:crypto';
import { CORPUS, type CorpusPage } from './corpus.ts';
import { LOWEST_SCORE, wordsOf, type Match } from './ranking.ts';
import type { ContentsRequest } from './requests.ts';

type JsonObject = Record<string, unknown>;

/** A result of `/search`, `/findSimilar` or `/contents`. */
export function renderResult(
  match: { page: CorpusPage; score?: number },
  contents: ContentsRequest,
): JsonObject {
  const { page, score } = match;
  return {
    id: page.url,
    title: page.title,
    url: page.url,
    publishedDate: page.publishedDate,
    author: page.author,
    ...(score === undefined ? {} : { score }),
    favicon: new URL('/favicon.ico', page.url).href,
    ...renderContents(page, contents),
  };
}

/** A result of `/contents`: also the links of the page and its subpages, the other pages of its site. */
export function renderPage(page: CorpusPage, contents: ContentsRequest): JsonObject {
  const { subpages = 0, extras = {} } = contents;
  const others = CORPUS.filter((other) => other !== page && isSameSite(other.url, page.url));
  return {
    ...renderResult({ page }, contents),
    ...(subpages > 0 && {
      subpages: others.slice(0, subpages).map((other) => renderResult({ page: other }, contents)),
    }),
    ...((extras.links ?? 0) > 0 && {
      extras: { links: others.map(({ url }) => url).slice(0, extras.links) },
    }),
  };
}

function isSameSite(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host;
}

/** Text, highlights and summary, each only if requested: each of them costs extra at the real provider. */
function renderContents(page: CorpusPage, contents: ContentsRequest): JsonObject {
  const shown: JsonObject = {};
  if (isWanted(contents.text)) {
    const options = typeof contents.text === 'object' ? contents.text : {};
    const text = options.includeHtmlTags === true ? asHtml(page) : `${page.title}\n\n${page.text}`;
    shown.text = text.slice(0, options.maxCharacters ?? text.length);
  }
  if (isWanted(contents.highlights)) {
    const options = typeof contents.highlights === 'object' ? contents.highlights : {};
    const best = bestSentences(page, options.query ?? page.title).slice(0, options.highlightsPerUrl ?? 1);
    shown.highlights = best.map((entry) =>
      entry.sentence.slice(0, options.maxCharacters ?? entry.sentence.length),
    );
    shown.highlightScores = best.map((entry) => entry.score);
  }
  if (isWanted(contents.summary)) {
    const options = typeof contents.summary === 'object' ? contents.summary : {};
    shown.summary = summarize(page, options.query ?? page.title);
  }
  return shown;
}

function isWanted(option: boolean | object | undefined): boolean {
  return option !== undefined && option !== false;
}

function asHtml(page: CorpusPage): string {
  const paragraphs = page.text.split('\n\n').map((paragraph) => `<p>${paragraph}</p>`);
  return `<h1>${page.title}</h1>${paragraphs.join('')}`;
}

/** The sentence of a page that shares most words with the question. */
export function summarize(page: CorpusPage, question: string): string {
  return bestSentences(page, question)[0]?.sentence ?? page.title;
}

function bestSentences(page: CorpusPage, question: string): { sentence: string; score: number }[] {
  const wanted = wordsOf(question);
  return sentencesOf(page.text)
    .map((sentence) => {
      const words = wordsOf(sentence);
      const common = [...wanted].filter((word) => words.has(word)).length;
      return { sentence, score: Math.round((common / Math.max(wanted.size, 1)) * 1000) / 1000 };
    })
    .sort((one, other) => other.score - one.score);
}

function sentencesOf(text: string): string[] {
  return [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map((part) =>
    part.segment.trim(),
  );
}

/** Minimum score of a source, relative to the best page. */
const SOURCE_SHARE = 0.75;

/** An answer composed from the best pages, and those pages; empty if no page has a word of the question. */
export function composeAnswer(
  question: string,
  matches: readonly Match[],
): { answer: string; sources: CorpusPage[] } {
  const best = matches[0]?.score ?? 0;
  const sources = matches
    .slice(0, 3)
    .filter((match) => match.score > LOWEST_SCORE && match.score >= best * SOURCE_SHARE)
    .map((match) => match.page);
  if (sources.length === 0) return { answer: "The sandbox's few pages say nothing about this.", sources };
  return { answer: sources.map((page) => summarize(page, question)).join(' '), sources };
}

/** A source of an answer, with its text only if requested. */
export function renderCitation(page: CorpusPage, withText: boolean): JsonObject {
  return {
    id: page.url,
    url: page.url,
    title: page.title,
    author: page.author,
    publishedDate: page.publishedDate,
    ...(withText ? { text: page.text } : {}),
  };
}

/**
 * An answer in the form of an `outputSchema`: text, or an object whose declared members all contain the text.
 */
export function shapeAnswer(answer: string, outputSchema: JsonObject): string | JsonObject {
  const { properties } = outputSchema;
  if (outputSchema.type !== 'object' || typeof properties !== 'object' || properties === null) return answer;
  return Object.fromEntries(Object.keys(properties).map((name) => [name, answer]));
}

/** Prices in US dollars, close to the provider's list. */
const PRICE = { search: 0.005, text: 0.001, highlights: 0.001, summary: 0.001 } as const;

/** Cost of a request: one search, and each kind of contents for each page. */
export function costOf(use: { searches: number; pages: number; contents: ContentsRequest }): JsonObject {
  const kinds = (['text', 'highlights', 'summary'] as const).filter((kind) => isWanted(use.contents[kind]));
  const contents = Object.fromEntries(kinds.map((kind) => [kind, dollars(PRICE[kind] * use.pages)]));
  const search = dollars(PRICE.search * use.searches);
  const total = dollars(search + kinds.reduce((sum, kind) => sum + PRICE[kind] * use.pages, 0));
  return {
    total,
    ...(use.searches > 0 ? { search: { neural: search } } : {}),
    ...(kinds.length > 0 ? { contents } : {}),
  };
}

function dollars(amount: number): number {
  return Math.round(amount * 1_000_000) / 1_000_000;
}

/** A number turned into an id that looks random and is the same on every run. */
export function stableId(kind: string, number: number): string {
  return createHash('sha256').update(`${kind}:${number}`).digest('hex').slice(0, 24);
}

/**
 * Finds tools by a task described in plain words.
 *
 * BM25 over names, titles, descriptions, parameters and paths. The everyday words of each connector
 * (`search_words` of its catalog file) lead to the words of its tools, and tools with the effect of the verb are
 * preferred. Loaded with the first search (discovery.ts). The constants were found with a set of questions; nearby
 * values do nearly as well.
 */
import { answersWithRecords } from '../../catalog/model/result-rules.ts';
import type { Connector, Tool } from '../../catalog/model/types.ts';
import { SearchIndex, type Scores, type Synonym } from './search-index.ts';
import { stem, stopTerms, terms, understand, type SearchQuestion, type Vocabulary } from './search-terms.ts';
import { NAME_VERBS } from './search-words.ts';

/** Weight of a term by the field it occurs in. */
const BOOST = {
  name: 4,
  title: 3,
  words: 3,
  summary: 2,
  details: 1,
  parameters: 1,
  path: 0.5,
  connector: 0.2,
} as const;

/**
 * A word with several meanings counts less for each of them than a word with one: its weight is divided by their
 * number to this power.
 */
const AMBIGUITY = 0.2;

/**
 * Weights of terms that occur nowhere themselves: as the beginning, and below as a misspelling, of a term that
 * does.
 */
const BEGINNING = 0.5;
const SPELLING = 0.3;

/**
 * Factors for a tool that has the requested effect, belongs to the named app, or returns one thing or all of
 * a kind as asked.
 */
const FIT = { effect: 2, reads: 1.6, app: 1.5, count: 1.2 };

const NAME_VERB_SET = new Set(NAME_VERBS.split(' '));

type Field = keyof typeof BOOST;

/** A tool that fits, and its score. Scores can only be compared within one search. */
export interface ToolHit {
  tool: Tool;
  score: number;
}

interface ToolIndex {
  index: SearchIndex;
  vocabulary: Vocabulary;
}

const indexes = new WeakMap<readonly Tool[], ToolIndex>();

/**
 * The tools that fit a question, best first; equal ones keep the given order.
 *
 * @param tools indexed once: pass the same list again, not a copy
 * @param connectors those of the tools, for their search words
 */
export function rankTools(
  tools: readonly Tool[],
  text: string,
  connectors: ReadonlyMap<string, Connector>,
): ToolHit[] {
  const known = indexes.get(tools) ?? indexOf(tools, connectors);
  indexes.set(tools, known);
  const question = understand(text, known.vocabulary);
  const hits: ToolHit[] = [];
  const scores = [...scoresOf(known.index, question)].sort(([a], [b]) => a - b);
  for (const [at, score] of scores) {
    const tool = tools[at];
    if (tool === undefined) continue;
    hits.push({ tool, score: score * fit(tool, question) });
  }
  return hits.sort((a, b) => b.score - a.score);
}

function indexOf(tools: readonly Tool[], connectors: ReadonlyMap<string, Connector>): ToolIndex {
  const apps = new Map<string, string[]>();
  const things = new Set<string>();
  const synonyms: Synonym[] = [];
  const numbers = Map.groupBy(tools.keys(), (at) => tools[at]?.connector ?? '');
  for (const [name, own] of numbers) {
    const { title = '', search_words: words } = connectors.get(name) ?? {};
    for (const term of terms(`${name} ${title} ${words?.app ?? ''}`))
      apps.set(term, [...(apps.get(term) ?? []), name]);
    const among = new Set(own);
    const bySynonym = meaningsBySynonym(words?.means ?? {});
    for (const [synonym, meant] of bySynonym) {
      things.add(synonym);
      for (const term of meant) {
        things.add(term);
        synonyms.push({ term, synonym, share: 1 / meant.size ** AMBIGUITY, among });
      }
    }
  }
  const kept = [...connectors.values()].flatMap(({ search_words: words }) =>
    Object.values(words?.tools ?? {}),
  );
  const documents = tools.map((tool) => documentOf(tool, connectors.get(tool.connector)));
  return {
    index: new SearchIndex(
      documents,
      BOOST,
      synonyms,
      tools.map(({ connector }) => connector),
    ),
    vocabulary: { apps, things, kept: new Set(kept.flatMap(stopTerms)) },
  };
}

/** Terms of the catalog, by the everyday term that stands for them. */
function meaningsBySynonym(means: Readonly<Record<string, string>>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [word, everyday] of Object.entries(means))
    for (const synonym of everyday.split(' ').map(stem))
      found.set(synonym, (found.get(synonym) ?? new Set()).add(stem(word)));
  return found;
}

function documentOf(
  { name, title, description, parameters, connector, requests }: Tool,
  app: Connector | undefined,
): Record<Field, string[]> {
  const [summary = '', ...rest] = description.split(/(?<=\.) /);
  const inputs = Object.entries(parameters).map(
    ([key, input]) => `${key.replaceAll('_', ' ')} ${input.description} ${input.enum?.join(' ') ?? ''}`,
  );
  const texts: Record<Field, string> = {
    connector,
    words: app?.search_words?.tools[name] ?? '',
    // The connector's name is left out, because all its tools have it in common.
    name: withoutVerb(name.slice(connector.length + 1).split('_')),
    title: withoutVerb(title.toLowerCase().split(' ')),
    // At the start, `list` is a verb, as in a name.
    summary: withoutTools(summary.replace(/^Lists /, '')),
    // A sentence that names another tool describes that other tool.
    details: rest.filter((sentence) => sentence === withoutTools(sentence)).join(' '),
    parameters: withoutTools(inputs.join(' ')),
    path: requests.map(({ path }) => path.replaceAll(/\{[^}]*\}|[/_.-]/g, ' ')).join(' '),
  };
  const found = Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, terms(text)]),
  ) as Record<Field, string[]>;
  return { ...found, words: [...found.words, ...stopTerms(texts.words)] };
}

/**
 * Words without a verb at the start, or otherwise at the end. `list` is also a thing, and must not be found
 * because of the verb.
 */
function withoutVerb(parts: readonly string[]): string {
  const isVerb = (word = ''): boolean => NAME_VERB_SET.has(word);
  if (isVerb(parts[0])) return parts.slice(1).join(' ');
  return (isVerb(parts.at(-1)) ? parts.slice(0, -1) : parts).join(' ');
}

function withoutTools(text: string): string {
  return text.replaceAll(/\b[a-z]+_[a-z]+_[a-z_]*/g, '');
}

/** Sum over the words of the question; an even distribution scores higher. */
function scoresOf(index: SearchIndex, { terms: asked }: SearchQuestion): Scores {
  const total = new Map<number, number>();
  for (const { term, weight } of asked)
    for (const [at, score] of foundBy(index, term))
      total.set(at, (total.get(at) ?? 0) + weight * Math.sqrt(score));
  return total;
}

function foundBy(index: SearchIndex, term: string): Scores {
  const exact = index.of(term);
  if (exact.size > 0 || term.length <= 3) return exact;
  const found = new Map<number, number>();
  for (const [scores, share] of [
    [index.beginning(term), BEGINNING],
    [index.spelledLike(term), SPELLING],
  ] as const)
    for (const [at, score] of scores) found.set(at, Math.max(found.get(at) ?? 0, score * share));
  return found;
}

function fit(tool: Tool, { effects, apps, count }: SearchQuestion): number {
  const { effect, name, connector } = tool;
  const gives = name.includes('_get_') ? 'one' : 'many';
  // A statement that may change something also reads.
  const reads = effects.has('read') && answersWithRecords(tool);
  return (
    (effects.has(effect) ? FIT.effect : reads ? FIT.reads : 1) *
    (apps.has(connector) ? FIT.app : 1) *
    (effect === 'read' && count === gives ? FIT.count : 1)
  );
}

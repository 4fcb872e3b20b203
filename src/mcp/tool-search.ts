/**
 * Finds tools by a task described in plain words.
 *
 * BM25 over names, titles, descriptions and parameters. Everyday words are mapped to those of the catalog
 * (search-words.ts), and tools with the effect of the verb are preferred. Loaded with the first search
 * (discovery.ts). The constants were found with a set of tasks; nearby values do nearly as well.
 */
import MiniSearch from 'minisearch';
import type { Tool } from '../catalog/model/types.ts';
import { terms, understand, type SearchQuestion } from './search-terms.ts';
import { NAME_VERBS } from './search-words.ts';

/** Weight of a term by the field it occurs in. */
const BOOST = { name: 4, title: 3, summary: 2, details: 1, parameters: 1, connector: 0.2 } as const;

/** One of several meanings counts less than an only meaning: divided by their number to this power. */
const AMBIGUITY = 0.2;

/** Weights of terms that occur nowhere themselves, but as the beginning or a misspelling of one that does. */
const BEGINNING = 0.5;
const SPELLING = 0.3;

/**
 * Factors for a tool that has the requested effect, belongs to the named app, or returns one thing or all of
 * a kind as asked.
 */
const FIT = { effect: 2, app: 1.5, count: 1.15 };

const NAME_VERB_SET = new Set(NAME_VERBS.split(' '));

type Field = keyof typeof BOOST;

const indexes = new WeakMap<readonly Tool[], MiniSearch>();

/**
 * The tools that fit a question, best first; equal ones keep the given order.
 *
 * @param tools indexed once: pass the same list again, not a copy
 */
export function rankTools(tools: readonly Tool[], text: string): Tool[] {
  const index = indexes.get(tools) ?? indexOf(tools);
  indexes.set(tools, index);
  const question = understand(text);
  const scores = scoresOf(index, question);
  return tools
    .map((tool) => ({ tool, score: (scores.get(tool.name) ?? 0) * fit(tool, question) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function indexOf(tools: readonly Tool[]): MiniSearch {
  const index = new MiniSearch<{ id: string } & Record<Field, string>>({
    fields: Object.keys(BOOST),
    tokenize: terms,
    processTerm: (term) => term,
  });
  index.addAll(tools.map((tool) => ({ id: tool.name, ...textsOf(tool) })));
  return index;
}

function textsOf({ name, title, description, parameters, connector }: Tool): Record<Field, string> {
  const [summary = '', ...rest] = description.split(/(?<=\.) /);
  const inputs = Object.entries(parameters).map(
    ([key, input]) => `${key.replaceAll('_', ' ')} ${input.description} ${input.enum?.join(' ') ?? ''}`,
  );
  return {
    connector,
    // The connector is what all its tools have in common.
    name: withoutVerb(name.split('_').slice(1)),
    title: withoutVerb(title.toLowerCase().split(' ')),
    summary: withoutTools(summary),
    // A sentence that names another tool describes that tool.
    details: rest.filter((sentence) => sentence === withoutTools(sentence)).join(' '),
    parameters: withoutTools(inputs.join(' ')),
  };
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

/**
 * Sum over the words of the question. Each counts by its best meaning; an even distribution scores higher.
 */
function scoresOf(index: MiniSearch, { terms: asked }: SearchQuestion): Map<string, number> {
  const total = new Map<string, number>();
  for (const { term, meanings, weight } of asked)
    for (const [name, score] of bestOf(index, term, meanings))
      total.set(name, (total.get(name) ?? 0) + weight * Math.sqrt(score));
  return total;
}

function bestOf(index: MiniSearch, term: string, meanings: readonly string[]): Map<string, number> {
  const best = new Map<string, number>();
  const find = (wanted: string, share: number, options: { prefix?: boolean; fuzzy?: number } = {}): void => {
    const search = { boost: BOOST, tokenize: (text: string) => [text], ...options };
    for (const { id, score } of index.search(wanted, search))
      best.set(String(id), Math.max(best.get(String(id)) ?? 0, score * share));
  };
  find(term, 1);
  for (const meaning of meanings) find(meaning, 1 / meanings.length ** AMBIGUITY);
  if (best.size === 0 && term.length > 3) {
    find(term, BEGINNING, { prefix: true });
    find(term, SPELLING, { fuzzy: 0.2 });
  }
  return best;
}

function fit({ effect, name, connector }: Tool, { effects, apps, count }: SearchQuestion): number {
  const gives = name.includes('_get_') ? 'one' : 'many';
  return (
    (effects.has(effect) ? FIT.effect : 1) *
    (apps.has(connector) ? FIT.app : 1) *
    (effect === 'read' && count === gives ? FIT.count : 1)
  );
}

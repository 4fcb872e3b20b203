/** Turns text into comparable terms, and a question in plain words into its intent. Pure. */
import type { Effect } from '../catalog/model/types.ts';
import {
  APPS,
  COMMON,
  CONTEXT,
  INTENTS,
  MANY,
  MEANINGS,
  ONE,
  PHRASES,
  PREPOSITIONS,
  QUESTIONS,
  STOP_WORDS,
} from './search-words.ts';

/** A word of a question: the term itself, and catalog terms that it may mean. */
export interface AskedTerm {
  term: string;
  meanings: readonly string[];
  /** Weight of the word, at most 1: higher if it is more specific. */
  weight: number;
}

/** The intent of a question. */
export interface SearchQuestion {
  terms: readonly AskedTerm[];
  /** Requested effects; empty if no word names one. */
  effects: ReadonlySet<Effect>;
  /** Names of connectors that the words refer to, among other words. */
  apps: ReadonlySet<string>;
  /** Whether the question asks for one thing or for all of a kind; `undefined` if it does not say. */
  count: 'one' | 'many' | undefined;
}

/** Longer questions are cut: more words do not improve the result, and every word costs time. */
const MAX_CHARACTERS = 1_000;

/** Weights of common words, of words for a location, and of words after the first preposition. */
const WEIGHTS = { common: 0.35, context: 0.6, later: 0.75 };

const STOP_SET = new Set(STOP_WORDS.split(' '));
const QUESTION_SET = new Set(QUESTIONS.split(' '));
const PREPOSITION_SET = new Set(PREPOSITIONS.split(' '));
const ONE_SET = new Set(ONE.split(' '));
const MANY_SET = new Set(MANY.split(' '));
const COMMON_TERMS = new Set(COMMON.split(' ').map(stem));
const CONTEXT_TERMS = new Set(CONTEXT.split(' ').map(stem));
const TOOL_TERMS = new Set(Object.keys(MEANINGS).map(stem));

/** Catalog terms by the stem of an everyday word. */
const MEANT_BY = inverted(Object.entries(MEANINGS).map(([word, said]) => [stem(word), said]));

/** Connectors by the stem of a word. */
const APPS_BY_TERM = inverted(Object.entries(APPS));

/** Effects by the stem of a verb. */
const EFFECTS = inverted(Object.entries(INTENTS)) as ReadonlyMap<string, readonly Effect[]>;

/** Terms of a text, without stop words; a term is repeated as often as its words. */
export function terms(text: string): string[] {
  return words(text)
    .filter((word) => !STOP_SET.has(word))
    .map(stem);
}

/** Finds the intent of a question. */
export function understand(text: string): SearchQuestion {
  const question = text.slice(0, MAX_CHARACTERS);
  const said = words(question);
  const spoken = withPhrases(said);
  const unnamed = withPhrases(words(withoutNames(question)));
  return {
    terms: askedTerms(unnamed.length > 0 ? unnamed : spoken),
    effects: effectsOf(said, spoken),
    apps: new Set(spoken.flatMap((word) => [word, ...(APPS_BY_TERM.get(stem(word)) ?? [])])),
    count: countOf(spoken),
  };
}

/**
 * Reduces the forms of an English word to one: tasks/task, entries/entry, tracking/tracked/track. The result
 * need not be a word.
 */
export function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`;
  else if (root.length > 5 && root.endsWith('sses')) root = root.slice(0, -2);
  else if (root.length > 3 && /[^su]s$/.test(root)) root = root.slice(0, -1);
  const shorter = root.replace(/(?:ing|ed)$/, '');
  if (shorter !== root && shorter.length > 2 && /[aeiouy]/.test(shorter) && !root.endsWith('eed'))
    root = shorter.replace(/([bdgmnprt])\1$/, '$1');
  if (root.length > 4 && root.endsWith('e')) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root;
}

/** Lower-case words; a possessive `s` is dropped, and `to-do` also gives `todo`. */
function words(text: string): string[] {
  const plain = text.toLowerCase().replaceAll(/['’]s\b/g, '');
  const joined = plain.replaceAll(/\p{L}+(?:-\p{L}+)+/gu, (word) => `${word} ${word.replaceAll('-', '')}`);
  return joined.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function askedTerms(spoken: readonly string[]): AskedTerm[] {
  const preposition = spoken.findIndex((word) => PREPOSITION_SET.has(word));
  const found = new Map<string, AskedTerm>();
  for (const [at, word] of spoken.entries()) {
    const term = stem(word);
    if (STOP_SET.has(word) || found.has(term)) continue;
    const weight =
      (COMMON_TERMS.has(term) ? WEIGHTS.common : 1) *
      (CONTEXT_TERMS.has(term) ? WEIGHTS.context : 1) *
      (preposition >= 0 && at > preposition ? WEIGHTS.later : 1);
    found.set(term, { term, meanings: MEANT_BY.get(term) ?? [], weight });
  }
  return [...found.values()];
}

/** Text without proper names: quoted text, and capitalized words that the vocabulary does not know. */
function withoutNames(text: string): string {
  const unquoted = text.replaceAll(/(?<![\p{L}\p{N}])['"‘“][^'"’”]+['"’”](?![\p{L}\p{N}])/gu, ' ');
  return unquoted.replaceAll(/(?<=\S\s)\p{Lu}[\p{L}\p{N}]*/gu, (word) => {
    const term = stem(word.toLowerCase());
    return isThing(term) || EFFECTS.has(term) ? word : ' ';
  });
}

/** Words for things that may also be verbs: note, comment, file. */
function isThing(term: string): boolean {
  return MEANT_BY.has(term) || TOOL_TERMS.has(term);
}

/** Replaces two words that mean another one together. */
function withPhrases(said: readonly string[]): string[] {
  let result = [...said];
  for (const [first, second, meaning] of PHRASES) {
    const at = result.indexOf(first);
    const end = at < 0 ? -1 : result.indexOf(second, at + 1);
    if (end > at)
      result = [...result.slice(0, at), meaning, ...result.slice(at + 1, end), ...result.slice(end + 1)];
  }
  return result;
}

/** A question reads, and a verb at the start names the effect; otherwise all verbs count. */
function effectsOf(said: readonly string[], spoken: readonly string[]): ReadonlySet<Effect> {
  if (QUESTION_SET.has(said[0] ?? '')) return new Set(['read']);
  const first = EFFECTS.get(stem(spoken[0] ?? ''));
  if (first !== undefined) return new Set(first);
  const verbs = spoken.map(stem).filter((term) => !isThing(term));
  return new Set(verbs.flatMap((term) => EFFECTS.get(term) ?? []));
}

function countOf(spoken: readonly string[]): SearchQuestion['count'] {
  if (spoken.some((word) => ONE_SET.has(word))) return 'one';
  return spoken.some((word) => MANY_SET.has(word)) ? 'many' : undefined;
}

/** Converts `meaning: words` to meanings by the stem of each word. */
function inverted(entries: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [meaning, said] of entries)
    for (const word of said.split(' ')) {
      const meanings = found.get(stem(word)) ?? [];
      if (!meanings.includes(meaning)) found.set(stem(word), [...meanings, meaning]);
    }
  return found;
}

/** Turns text into comparable terms, and a question in plain words into its intent. Pure. */
import type { Effect } from '../../catalog/model/types.ts';
import {
  AUXILIARIES,
  COMMON,
  CONTEXT,
  INTENTS,
  MANY,
  ONE,
  PHRASES,
  PREPOSITIONS,
  READING,
  STOP_WORDS,
} from './search-words.ts';

/** A word of a question. */
export interface AskedTerm {
  term: string;
  /** Weight of the word, at most 1: higher if it is more specific. */
  weight: number;
}

/** Words of the connectors in an index. */
export interface Vocabulary {
  /** Names of connectors by the terms that refer to them. */
  apps: ReadonlyMap<string, readonly string[]>;
  /** Terms of things that tools are about, and of everyday words for them. */
  things: ReadonlySet<string>;
  /** Stop words that have a meaning here. */
  kept: ReadonlySet<string>;
}

/** The intent of a question. */
export interface SearchQuestion {
  terms: readonly AskedTerm[];
  /** Requested effects; empty if no word names one. */
  effects: ReadonlySet<Effect>;
  /** Names of connectors that the words refer to, among other words. */
  apps: ReadonlySet<string>;
  /** Whether the question asks for one thing or for all of a kind. */
  count: 'one' | 'many';
}

/** Longer questions are cut: more words do not improve the result, and every word costs time. */
const MAX_CHARACTERS = 1_000;

/** Weights of common words, of words for a location, of words after the first preposition, and of stop words that stand for a thing. */
const WEIGHTS = { common: 0.35, context: 0.6, later: 0.75, stop: 0.3 };

const STOP_SET = new Set(STOP_WORDS.split(' '));
const AUXILIARY_SET = new Set(AUXILIARIES.split(' '));
const READING_SET = new Set(READING.split(' '));
const PREPOSITION_SET = new Set(PREPOSITIONS.split(' '));
const ONE_SET = new Set(ONE.split(' '));
const MANY_SET = new Set(MANY.split(' '));
const COMMON_TERMS = new Set(COMMON.split(' ').map(stem));
const CONTEXT_TERMS = new Set(CONTEXT.split(' ').map(stem));
/** Effects by the stem of a verb. */
const EFFECTS = inverted(Object.entries(INTENTS)) as ReadonlyMap<string, readonly Effect[]>;

/** Terms of a text, without stop words; a term is repeated as often as its words. */
export function terms(text: string): string[] {
  return words(text)
    .filter((word) => !STOP_SET.has(word))
    .map(stem);
}

/** Terms of the stop words in a text. */
export function stopTerms(text: string): string[] {
  return words(text)
    .filter((word) => STOP_SET.has(word))
    .map(stem);
}

/** Finds the intent of a question. */
export function understand(text: string, vocabulary: Vocabulary): SearchQuestion {
  const question = text.slice(0, MAX_CHARACTERS);
  const said = words(question);
  const spoken = withPhrases(said);
  const unnamed = withPhrases(words(withoutNames(question, vocabulary)));
  return {
    terms: askedTerms(unnamed.length > 0 ? unnamed : spoken, vocabulary),
    effects: effectsOf(said, spoken, vocabulary),
    apps: new Set(spoken.flatMap((word) => vocabulary.apps.get(stem(word)) ?? [])),
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

function askedTerms(spoken: readonly string[], { kept }: Vocabulary): AskedTerm[] {
  const preposition = spoken.findIndex((word) => PREPOSITION_SET.has(word));
  const found = new Map<string, AskedTerm>();
  for (const [at, word] of spoken.entries()) {
    const term = stem(word);
    const isStop = STOP_SET.has(word);
    if (found.has(term) || (isStop && !kept.has(term))) continue;
    const weight =
      (isStop ? WEIGHTS.stop : 1) *
      (COMMON_TERMS.has(term) ? WEIGHTS.common : 1) *
      (CONTEXT_TERMS.has(term) ? WEIGHTS.context : 1) *
      (preposition >= 0 && at > preposition ? WEIGHTS.later : 1);
    found.set(term, { term, weight });
  }
  return [...found.values()];
}

/** Text without proper names: quoted text, and capitalized words that the vocabulary does not know. */
function withoutNames(text: string, { apps, things }: Vocabulary): string {
  const unquoted = text.replaceAll(/(?<![\p{L}\p{N}])['"‘“][^'"’”]+['"’”](?![\p{L}\p{N}])/gu, ' ');
  return unquoted.replaceAll(/(?<=\S\s)\p{Lu}[\p{L}\p{N}]*/gu, (word) => {
    const term = stem(word.toLowerCase());
    return things.has(term) || apps.has(term) || EFFECTS.has(term) ? word : ' ';
  });
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

/**
 * Effects that the question asks for. A question asks to read, and a verb at the start names the effect; otherwise
 * all verbs count.
 */
function effectsOf(
  said: readonly string[],
  spoken: readonly string[],
  { things }: Vocabulary,
): ReadonlySet<Effect> {
  const [opening = ''] = said;
  if (AUXILIARY_SET.has(opening) || READING_SET.has(opening)) return new Set(['read']);
  const first = EFFECTS.get(stem(spoken[0] ?? ''));
  if (first !== undefined) return new Set(first);
  // Words for things may also be verbs: note, comment, file.
  const verbs = spoken.filter((word) => !AUXILIARY_SET.has(word)).map(stem);
  return new Set(verbs.flatMap((term) => (things.has(term) ? [] : (EFFECTS.get(term) ?? []))));
}

function countOf(spoken: readonly string[]): SearchQuestion['count'] {
  if (spoken.some((word) => MANY_SET.has(word))) return 'many';
  // `that we have` does not stand for one thing; `that task` does.
  const isOne = (word: string, at: number): boolean =>
    ONE_SET.has(word) && !(word === 'that' && STOP_SET.has(spoken[at + 1] ?? ''));
  return spoken.some(isOne) ? 'one' : 'many';
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

/**
 * Patterns of a catalog, run by an engine that never backtracks. A caller chooses the text, so a pattern such as
 * `^(a+)+$` would stop the process for as long as the caller likes (docs/decisions/0029-linear-patterns.md).
 *
 * The engine is loaded with the first pattern, because most starts need none.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { linearSyntax, UnsupportedPatternFailure } from './pattern-syntax.ts';

/** Longest text, in UTF-16 units, that a pattern without a shorter limit runs on. */
const MAX_PATTERN_TEXT = 10_000;

/** Shortest text length that a pattern without a declared limit must support. */
const MIN_PATTERN_TEXT = 1_000;

/**
 * Most steps for one text: size of the compiled pattern times length of the text. A step takes 50 ns at worst, so this
 * is 25 ms.
 */
const MAX_STEPS = 500_000;

/** Compiled patterns kept for the next call. A catalog has fewer; an importer that meets more compiles again. */
const MAX_KNOWN = 1_000;

const known = new Map<string, LinearPattern | string>();

/** A pattern that can be tried on any text up to `maxLength`. */
export class LinearPattern {
  readonly #engine: RE2JS;
  /** Longest text it runs on. */
  readonly maxLength: number;
  /** Most steps for one character. */
  readonly stepsPerCharacter: number;

  constructor(engine: RE2JS) {
    this.#engine = engine;
    this.stepsPerCharacter = Math.max(engine.programSize(), 1);
    this.maxLength = Math.min(MAX_PATTERN_TEXT, Math.floor(MAX_STEPS / this.stepsPerCharacter));
  }

  /** Also false for a text that is too long to be tried. */
  test(text: string): boolean {
    return text.length <= this.maxLength && this.#engine.test(text);
  }
}

/**
 * @param source regular expression with the u flag
 * @throws Error for a pattern that `patternProblem` refuses
 */
export function linearPattern(source: string): LinearPattern {
  const compiled = compiledOnce(source);
  if (typeof compiled === 'string') throw new Error(`The pattern ${source} ${compiled}.`);
  return compiled;
}

/** A pattern that the whole text has to match. */
export function wholePattern(source: string): LinearPattern {
  return linearPattern(wholeSource(source));
}

/** Source of a pattern that the whole text has to match. */
export function wholeSource(source: string): string {
  return `^(?:${source})$`;
}

/**
 * Why a catalog may not have a pattern, as the end of a sentence; `undefined` if it may.
 *
 * @param maxLength of the text it runs on, if declared
 */
export function patternProblem(source: string, maxLength = MIN_PATTERN_TEXT): string | undefined {
  const compiled = compiledOnce(source);
  if (typeof compiled === 'string') return compiled;
  const needed = Math.min(maxLength, MAX_PATTERN_TEXT);
  return compiled.maxLength >= needed
    ? undefined
    : `takes too long on ${needed} characters: give a max_length of at most ${compiled.maxLength}, or simplify it`;
}

function compiledOnce(source: string): LinearPattern | string {
  const before = known.get(source);
  if (before !== undefined) return before;
  const compiled = compile(source);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(source, compiled);
  return compiled;
}

function compile(source: string): LinearPattern | string {
  try {
    RegExp(source, 'u');
  } catch {
    return 'is not a valid regular expression';
  }
  // Loaded here, not at the top: it takes 9 ms, and most starts try no pattern.
  const { RE2JS: Engine, RE2JSException } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  try {
    return new LinearPattern(Engine.compile(linearSyntax(source)));
  } catch (error) {
    if (error instanceof UnsupportedPatternFailure)
      return `${error.message}, which cannot be matched in linear time`;
    if (error instanceof RE2JSException) return 'repeats too often for a check in linear time';
    throw error;
  }
}

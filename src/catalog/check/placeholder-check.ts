/** Finds faults in the placeholders of a connector's addresses. Pure. */
import type { Fault } from './fault.ts';
import { patternProblem, wholePattern, wholeSource } from '../model/linear-pattern.ts';

/** Characters that a host name can have. */
const MAX_HOST = 253;

/** Names of the placeholders in the given addresses. */
export function placeholdersIn(urls: readonly string[]): Set<string> {
  return new Set(urls.flatMap((url) => [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '')));
}

/** True if the pattern compiles and matches none of the characters that end or redirect a host. */
export function isPlaceholderHostPattern(source: string): boolean {
  if (patternProblem(wholeSource(source), MAX_HOST) !== undefined) return false;
  const pattern = wholePattern(source);
  return !['/', '@', '?', '#', ':', '\\', ' '].some((c) => pattern.test(c) || pattern.test(`a${c}b`));
}

/** The fault reported for an invalid host pattern. */
export function badPattern(path: (string | number)[]): Fault {
  return {
    path,
    message:
      'must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
  };
}

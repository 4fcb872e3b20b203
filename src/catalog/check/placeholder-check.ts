/** What may be wrong with placeholders of addresses, wherever a connector has them. Pure. */
import type { Fault } from './fault.ts';

/** Names of the placeholders in some addresses. */
export function placeholdersIn(urls: readonly string[]): Set<string> {
  return new Set(urls.flatMap((url) => [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '')));
}

/** Compiles, and lets none of the characters through that end or redirect a host. */
export function isPlaceholderHostPattern(source: string): boolean {
  try {
    const pattern = new RegExp(`^(?:${source})$`, 'u');
    return !['/', '@', '?', '#', ':', '\\', ' '].some((c) => pattern.test(c) || pattern.test(`a${c}b`));
  } catch {
    return false;
  }
}

/** The fault of a pattern that is none. */
export function badPattern(path: (string | number)[]): Fault {
  return {
    path,
    message:
      'must be a regular expression that allows no part of a host name but letters, digits, dots and hyphens',
  };
}

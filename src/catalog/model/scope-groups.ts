/** Scopes in the catalog are groups of alternatives: one of each group is required. Pure. */
import type { Tool } from './types.ts';

/** The first alternative of each group that none of the given scopes covers, each once. */
export function lackingScopes({ scopes }: Pick<Tool, 'scopes'>, given: readonly string[]): string[] {
  const lacking = scopes
    .filter((alternatives) => !alternatives.some((scope) => given.includes(scope)))
    .flatMap(([first]) => (first === undefined ? [] : [first]));
  return [...new Set(lacking)];
}

/** Scopes in the catalog are groups of alternatives: one of each group is required. Pure. */
import type { Tool } from './types.ts';

/** The tool with the scopes that the given parameters need, in addition to its own. */
export function withScopesOf(tool: Tool, input: Readonly<Record<string, unknown>>): Tool {
  const further = Object.entries(tool.parameters).flatMap(([name, { scopes = [] }]) =>
    input[name] === undefined ? [] : scopes.map((scope) => [scope].flat()),
  );
  return further.length === 0 ? tool : { ...tool, scopes: [...tool.scopes, ...further] };
}

/** The first alternative of each group that none of the given scopes covers, each once. */
export function lackingScopes({ scopes }: Pick<Tool, 'scopes'>, given: readonly string[]): string[] {
  const lacking = scopes
    .filter((alternatives) => !alternatives.some((scope) => given.includes(scope)))
    .flatMap(([first]) => (first === undefined ? [] : [first]));
  return [...new Set(lacking)];
}

/**
 * Translates scopes between the catalog's names and a provider's names (Google's are addresses). This happens only
 * where a scope leaves Gatehouse or comes back. Pure.
 */
type ScopeNames = Readonly<Record<string, string>> | undefined;

/** The provider's names, each once. A scope without another name stays as it is. */
export function providerScopes(scopes: readonly string[], names: ScopeNames): string[] {
  const known = new Map(Object.entries(names ?? {}));
  return [...new Set(scopes.map((scope) => known.get(scope) ?? scope))];
}

/** The catalog's names, each once. A provider's scope that the catalog does not know stays as it is. */
export function ourScopes(scopes: readonly string[], names: ScopeNames): string[] {
  const known = new Map(Object.entries(names ?? {}).map(([ours, theirs]) => [theirs, ours]));
  return [...new Set(scopes.map((scope) => known.get(scope) ?? scope))];
}

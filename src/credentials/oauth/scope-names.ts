/**
 * Scopes have the catalog's names everywhere here; a provider may call them otherwise (addresses, with Google). The
 * two are exchanged where a scope leaves and where it comes back, and nowhere else. Pure.
 */
type ScopeNames = Readonly<Record<string, string>> | undefined;

/** As the provider calls them; a scope without another name stays as it is. Each once. */
export function providerScopes(scopes: readonly string[], names: ScopeNames): string[] {
  const known = new Map(Object.entries(names ?? {}));
  return [...new Set(scopes.map((scope) => known.get(scope) ?? scope))];
}

/** As the catalog calls them; a scope of the provider that it does not know stays as it is. Each once. */
export function ourScopes(scopes: readonly string[], names: ScopeNames): string[] {
  const known = new Map(Object.entries(names ?? {}).map(([ours, theirs]) => [theirs, ours]));
  return [...new Set(scopes.map((scope) => known.get(scope) ?? scope))];
}

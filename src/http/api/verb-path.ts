/**
 * Support for custom verbs (`…/{id}:disconnect`) with a router that only knows whole segments. In the routing table
 * and in each request the verb becomes its own segment, `/~disconnect` (docs/contract.md#custom-verbs).
 */

/** Turns a documented path into a path of the router: `/x/{id}:verb` -> `/x/:id/~verb`. */
export function routingPattern(documented: string): string {
  const { path, verb } = splitVerb(documented);
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return verb === undefined ? pattern : `${pattern}/~${verb}`;
}

/**
 * Turns the path of a request into the path that the router looks up.
 *
 * Only known verbs are split off, because names may contain colons. A request that uses the inner form itself matches
 * no route.
 *
 * @param path decoded by the router
 */
export function routingPath(path: string, verbs: ReadonlySet<string>): string {
  if (path.includes('/~')) return '/~';
  const { path: before, verb } = splitVerb(path);
  return verb !== undefined && verbs.has(verb) ? `${before}/~${verb}` : path;
}

function splitVerb(path: string): { path: string; verb: string | undefined } {
  const colon = path.lastIndexOf(':');
  if (colon <= path.lastIndexOf('/')) return { path, verb: undefined };
  return { path: path.slice(0, colon), verb: path.slice(colon + 1) };
}

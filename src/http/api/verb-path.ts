/**
 * Custom verbs (`…/{id}:disconnect`) for a router that knows whole segments only: the verb becomes a segment
 * of its own, `/~disconnect`, in the routing table and in each request (docs/contract.md#custom-verbs).
 */

/** Path as documented -> path as the router knows it: `/x/{id}:verb` -> `/x/:id/~verb`. */
export function routingPattern(documented: string): string {
  const { path, verb } = splitVerb(documented);
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return verb === undefined ? pattern : `${pattern}/~${verb}`;
}

/**
 * Path of a request -> path that the router looks up.
 *
 * Only known verbs are split off, because names may contain colons. The inner form is not an address of its
 * own: a request that spells it out is sent nowhere.
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

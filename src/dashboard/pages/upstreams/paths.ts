/** Addresses of the pages of remote MCP servers. */

/** Path of the list. */
export const UPSTREAMS = '/dashboard/upstreams';

/** Path of the form that adds one; its POST only looks. */
export const NEW = `${UPSTREAMS}/new`;

/** Route of one server. Its name has a folder of its own: a server may be called `new`. */
export const ONE = `${UPSTREAMS}/server/:name`;

/** Path of one server. */
export function upstreamPath({ name }: { name: string }): string {
  return `${UPSTREAMS}/server/${encodeURIComponent(name)}`;
}

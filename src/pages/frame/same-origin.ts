/** Whether a form was posted from a page of our own. */

/** Names of this machine, as `URL.hostname` writes them. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Compares the `Origin` of a post with the public address.
 *
 * Every browser sends it with a post; programs need not. On loopback the names of this machine are good for
 * one another (docs/contract.md#http): people type `localhost` where the address says `127.0.0.1`.
 */
export function isSameOrigin(origin: string | undefined, baseUrl: string): boolean {
  if (origin === undefined) return true;
  const own = new URL(baseUrl);
  if (origin === own.origin) return true;
  if (!URL.canParse(origin)) return false;
  const other = new URL(origin);
  return (
    other.origin === origin &&
    LOOPBACK_HOSTS.has(own.hostname) &&
    LOOPBACK_HOSTS.has(other.hostname) &&
    other.protocol === own.protocol &&
    other.port === own.port
  );
}

/** The host of a connector that a path belongs to, for requests that name a path and no tool. Pure. */
import { invalidField } from '../../core/errors.ts';
import type { ConnectorHost } from './types.ts';

/**
 * The host with the longest prefix of the path, by whole segments, or otherwise the first that declares none.
 *
 * @param path as written, starting with `/`
 * @returns index of the host
 * @throws ServiceError INVALID_ARGUMENT on `path` if no host takes it
 */
export function hostOfPath(
  { title, hosts }: { title: string; hosts: readonly ConnectorHost[] },
  path: string,
): number {
  if (hosts.length === 1) return 0;
  let best = hosts.findIndex(({ path_prefixes = [] }) => path_prefixes.length === 0);
  let length = 0;
  for (const [index, { path_prefixes = [] }] of hosts.entries()) {
    for (const prefix of path_prefixes) {
      const isIts = path === prefix || path.startsWith(`${prefix}/`);
      if (isIts && prefix.length > length) [best, length] = [index, prefix.length];
    }
  }
  if (best !== -1) return best;
  const known = hosts.flatMap(({ path_prefixes = [] }) => path_prefixes).join(', ');
  throw invalidField('path', `A path of ${title} begins with one of ${known}.`, 'prefix');
}

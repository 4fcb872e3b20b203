/**
 * Builds the URL of a provider request from a base, a path and a query. Nothing in path or query can change
 * the host or leave the base path. Pure; does not look at addresses.
 */
import { invalidField, type ServiceError } from '../core/errors.ts';

/**
 * Characters not allowed in a written path: everything except printable ASCII, and those that end a path or
 * start another part.
 */
const FORBIDDEN = /[^!-~]|[\\?#]/;

/** Control characters, and the bytes that only start overlong UTF-8 (`%c0%ae` for a dot). */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL_OR_OVERLONG = /[\u0000-\u001f\u007f\u00c0\u00c1]/;

/** Only such a path can hide something behind an encoding, a dot or a path parameter. */
const NEEDS_DECODING = /[%;]|\/\./;

/** Number of times a path is decoded to look for dot segments: more layers than any server removes. */
const MAX_DECODINGS = 5;

/**
 * @param base origin and path prefix, e.g. `https://api.example.test/v1`; no query, no userinfo
 * @param path starts with `/`; parameters already percent-encoded as one segment each
 * @param query decoded names and values, in order; names may repeat
 * @param written an encoded query, without `?`; comes first and keeps its encoding
 * @throws ServiceError INVALID_ARGUMENT on `path`, `query` or `query.<name>`
 */
export function buildUrl(
  base: URL | string,
  path: string,
  query: Iterable<readonly [string, string]>,
  written: string = '',
): URL {
  const root = typeof base === 'string' ? new URL(base) : base;
  requireValidPath(path);
  requireValidQuery(written);
  const prefix = root.pathname.endsWith('/') ? root.pathname.slice(0, -1) : root.pathname;
  const search = [written, writeQuery(query)].filter((part) => part !== '').join('&');
  const url = new URL(root.origin + prefix + path + (search === '' ? '' : `?${search}`));
  const inside = url.origin === root.origin && url.pathname.startsWith(`${prefix}/`);
  if (!inside || url.username !== '' || url.password !== '')
    throw badPath('leaves the address of the provider');
  return url;
}

/**
 * Refuses what `buildUrl` would refuse for any base, before anything is looked up for it.
 *
 * @throws ServiceError INVALID_ARGUMENT on `path` or `query`
 */
export function requireValidTarget(path: string, written: string): void {
  requireValidPath(path);
  requireValidQuery(written);
}

function requireValidPath(path: string): void {
  if (!path.startsWith('/') || path.startsWith('//')) throw badPath('must start with one "/"');
  if (FORBIDDEN.test(path))
    throw badPath('contains a space, a control or non-ASCII character, "\\", "?" or "#"');
  if (!NEEDS_DECODING.test(path)) return;
  if (/%(?![0-9a-f]{2})/i.test(path)) throw badPath('contains a "%" that starts no percent-encoding');
  let decoded = path;
  for (let i = 0; i < MAX_DECODINGS; i++) {
    requireSafeDecodedPath(decoded);
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) return;
    decoded = next;
  }
  throw badPath('is percent-encoded too many times');
}

/** Checks the path as a server behind the provider's own might decode it. */
function requireSafeDecodedPath(path: string): void {
  if (CONTROL_OR_OVERLONG.test(path)) throw badPath('contains an encoded control character');
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith('//')) throw badPath('must start with one "/"');
  for (const segment of slashed.split('/')) {
    if (/^\.{1,2}(;|$)/.test(segment)) throw badPath('contains a "." or ".." segment');
  }
}

/** A written query may contain no fragment, and nothing that a URL parser drops. */
function requireValidQuery(query: string): void {
  if (!/[^!-~]|#/.test(query)) return;
  throw invalidField(
    'query',
    'The query contains a space, a control or non-ASCII character, or "#". Percent-encode it.',
    'query',
  );
}

function writeQuery(query: Iterable<readonly [string, string]>): string {
  let text = '';
  for (const [name, value] of query) {
    if (!name.isWellFormed() || !value.isWellFormed()) {
      throw invalidField(
        `query.${name.toWellFormed()}`,
        'The value contains half a character (a lone surrogate). Send well-formed text.',
        'encoding',
      );
    }
    text += `${text === '' ? '' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}

function badPath(problem: string): ServiceError {
  return invalidField(
    'path',
    `The path of the provider request ${problem}. Send a plain path below the provider's address.`,
    'path',
  );
}

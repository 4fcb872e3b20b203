/** Properties of a browser's request: the host name used, the page it comes from; and the form it posts. */
import type { PageContext } from './page-response.ts';
import { JoinedBytes } from '../../core/joined-bytes.ts';

/**
 * Whether the user clicked on a page of ours; `undefined` if the browser does not say.
 *
 * Every current browser sends `Sec-Fetch-Site` to https and loopback addresses, and no page can forge it.
 */
export function isFromOwnPage(c: PageContext): boolean | undefined {
  const site = c.req.header('sec-fetch-site');
  return site === undefined ? undefined : site === 'same-origin';
}

/**
 * Whether the browser calls this machine by another name than the public address does: `localhost` for
 * `127.0.0.1` (docs/contract.md#http). Its cookie would then be missing when a provider redirects it to the
 * public address.
 *
 * Only names of this machine at the same port count: a Host rewritten by a proxy must not cause a redirect loop.
 */
export function isUnderOtherName(c: PageContext): boolean {
  const own = new URL(c.get('environment').baseUrl);
  const asked = new URL(c.req.url);
  return (
    asked.hostname !== own.hostname &&
    asked.port === own.port &&
    own.protocol === 'http:' &&
    LOOPBACK_HOSTS.has(asked.hostname) &&
    LOOPBACK_HOSTS.has(own.hostname)
  );
}

/** The link's page at the public address, where the cookie is expected afterwards. */
export function linkUrl(c: PageContext, token: string): string {
  return `${c.get('environment').baseUrl}/connect/${encodeURIComponent(token)}`;
}

/** Whether this is the content type of a form. */
export function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded(\s*;|$)/i.test(contentType ?? '');
}

/** More than any provider sends: a code, a state, an issuer and a sentence. */
const MAX_QUERY_CHARACTERS = 8 * 1024;

/**
 * The query of a callback; `undefined` if it is longer than 8 kB or not percent-encoded UTF-8.
 *
 * `URLSearchParams` alone would replace characters that it cannot decode.
 */
export function readPageQuery(c: PageContext): URLSearchParams | undefined {
  const { search } = new URL(c.req.url);
  if (search.length > MAX_QUERY_CHARACTERS) return undefined;
  try {
    decodeURIComponent(search);
  } catch {
    return undefined;
  }
  return new URLSearchParams(search);
}

/**
 * The text of a posted form, within a limit and joined as it arrives. The framework's reader keeps a list of
 * pieces: a peer that sends single bytes would occupy 200 bytes for each of them.
 *
 * @returns `undefined` for a body of more than `maxBytes`, whatever length was announced
 */
export async function formText(c: PageContext, maxBytes: number): Promise<string | undefined> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) return undefined;
  const body = new JoinedBytes();
  for await (const piece of c.req.raw.body ?? []) {
    if (body.size + piece.byteLength > maxBytes) return undefined;
    body.add(piece);
  }
  return new TextDecoder().decode(body.whole());
}

/** Names of this machine, as `URL.hostname` writes them. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a form was posted from a page of our own: compares the `Origin` of a post with the public address.
 *
 * Every browser sends it with a post; programs may omit it. On loopback the names of this machine are
 * interchangeable (docs/contract.md#http): people type `localhost` where the address says `127.0.0.1`.
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

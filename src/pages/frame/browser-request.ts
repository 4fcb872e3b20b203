/** What a browser says about a request beside its address: how it came to ask, and under which name of ours. */
import type { PageContext } from './page-response.ts';
import { LOOPBACK_HOSTS } from './same-origin.ts';

/** A browser that loads pages ahead shows them only when the person really goes there; refused, it asks again then. */
export function isPrefetch(c: PageContext): boolean {
  return /prefetch|prerender/i.test(c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '');
}

/**
 * Whether the person clicked on a page of ours; undefined where the browser does not say.
 *
 * Every current browser sends `Sec-Fetch-Site` to https and loopback addresses, and no page can forge it.
 */
export function isFromOwnPage(c: PageContext): boolean | undefined {
  const site = c.req.header('sec-fetch-site');
  return site === undefined ? undefined : site === 'same-origin';
}

/**
 * Whether the browser calls this machine by another name than the public address does: `localhost` for
 * `127.0.0.1` (docs/contract.md#http). Its cookie would then not come along when a provider sends it back to
 * the public address.
 *
 * Only names of this machine at the same port count: what a proxy makes of the Host must not lead in circles.
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

/** The link's page at the public address, which is where the cookie is looked for afterwards. */
export function linkUrl(c: PageContext, token: string): string {
  return `${c.get('environment').baseUrl}/connect/${encodeURIComponent(token)}`;
}

/** Whether a content type is the one of a form. */
export function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded(\s*;|$)/i.test(contentType ?? '');
}

/** More than any provider sends: a code, a state, an issuer and a sentence. */
const MAX_QUERY_CHARACTERS = 8 * 1024;

/**
 * The query of a callback; undefined when it is longer than 8 kB or not percent-encoded UTF-8.
 *
 * `URLSearchParams` alone would put replacement characters in place of what it cannot decode.
 */
export function readQuery(c: PageContext): URLSearchParams | undefined {
  const { search } = new URL(c.req.url);
  if (search.length > MAX_QUERY_CHARACTERS) return undefined;
  try {
    decodeURIComponent(search);
  } catch {
    return undefined;
  }
  return new URLSearchParams(search);
}

/**
 * Selects the headers of a proxied request and its answer that pass. Everything else is dropped: headers of one network
 * connection, cookies, credentials, and headers about the caller or the origin of a request. Pure.
 */
import type { Connector } from '../../catalog/model/types.ts';
import type { Attachment } from '../../credentials/schemes/scheme.ts';
import { MASK } from '../../outbound/secret-scrubber.ts';

const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'prefer',
  'range',
]);

const ANSWER_HEADERS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-language',
  'content-range',
  'content-type',
  'deprecation',
  'etag',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'request-id',
  'retry-after',
  'sunset',
  'x-request-id',
]);

/** Matches `RateLimit`, `RateLimit-Remaining`, `X-RateLimit-Reset`, `X-Rate-Limit-Limit` and similar. */
const RATE_HEADER = /^(x-)?rate-?limit(-[a-z-]+)?$/;

/** Valid text of a header's value (RFC 9110 section 5.5). */
const HEADER_TEXT = /^[\t -~\u0080-\u00ff]*$/;

/**
 * @param headers names in lower case
 * @param attachment headers of the account's credential, which the caller must not set
 */
export function passedRequestHeaders(
  { proxy_headers = [] }: Pick<Connector, 'proxy_headers'>,
  headers: Readonly<Record<string, string>>,
  attachment: Pick<Attachment, 'headers'>,
): Record<string, string> {
  const declared = new Set(proxy_headers.map((name) => name.toLowerCase()));
  const own = new Set(Object.keys(attachment.headers).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => (REQUEST_HEADERS.has(name) || declared.has(name)) && !own.has(name),
    ),
  );
}

/**
 * Headers of an answer whose live secrets are masked. A `location` that held a secret is left out: a client that
 * follows it would send the mask.
 *
 * @param headers names in lower case
 */
export function passedAnswerHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      if (!ANSWER_HEADERS.has(name) && !RATE_HEADER.test(name)) return false;
      if (!HEADER_TEXT.test(value)) return false;
      return name !== 'location' || isPlainAddress(value);
    }),
  );
}

function isPlainAddress(location: string): boolean {
  if (location.includes(MASK) || location.includes(encodeURIComponent(MASK))) return false;
  if (!URL.canParse(location, 'https://provider.invalid')) return false;
  const { protocol, username, password } = new URL(location, 'https://provider.invalid');
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

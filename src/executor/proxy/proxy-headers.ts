/**
 * Which headers of a proxied request and its answer pass. Everything else stays here: headers of one connection,
 * cookies, credentials, and whatever says who asks or where a request has come from. Pure.
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

/** `RateLimit`, `RateLimit-Remaining`, `X-RateLimit-Reset`, `X-Rate-Limit-Limit` and the like. */
const RATE_HEADER = /^(x-)?rate-?limit(-[a-z-]+)?$/;

/** What a header's value may hold (RFC 9110 section 5.5). */
const HEADER_TEXT = /^[\t -~\u0080-\u00ff]*$/;

/**
 * @param headers names in lower case
 * @param attachment what the account's credential adds: nobody else writes it
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
 * Of an answer whose live secrets are masked. An address in it that held one is left out: whoever followed it would
 * send the mask.
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

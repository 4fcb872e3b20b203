/**
 * Signs requests of OAuth 1.0a with HMAC-SHA1 (RFC 5849 section 3). Pure: the caller passes time and nonce.
 *
 * Providers of OAuth 1.0a require HMAC-SHA1. The weakness of SHA-1 against collisions does not affect this use.
 */
import { createHmac } from 'node:crypto';
import type { SignableRequest } from '../../outbound/request-signer.ts';

/** The keys that sign. */
export interface OAuth1Credentials {
  consumerKey: string;
  consumerSecret: string;
  /** Request token or access token; absent before the first token. */
  token?: { key: string; secret: string };
}

/** The values that make each signature unique. */
export interface OAuth1Moment {
  /** Unix milliseconds. */
  now: number;
  /** Never used twice within one second. */
  nonce: string;
}

/**
 * Value of the Authorization header of one request.
 *
 * @param request its query is signed, and its body if that is a form
 * @param extra further protocol parameters: `oauth_callback`, `oauth_verifier`
 */
export function oauth1Header(
  request: SignableRequest,
  { consumerKey, consumerSecret, token }: OAuth1Credentials,
  { now, nonce }: OAuth1Moment,
  extra: Readonly<Record<string, string>> = {},
): string {
  const parameters: [string, string][] = [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(now / 1_000))],
    ['oauth_version', '1.0'],
    ...(token === undefined ? [] : [['oauth_token', token.key] as [string, string]]),
    ...Object.entries(extra),
  ];
  const key = `${percentEncode(consumerSecret)}&${percentEncode(token?.secret ?? '')}`;
  const signature = createHmac('sha1', key).update(signatureBase(request, parameters)).digest('base64');
  return oauthHeader([...parameters, ['oauth_signature', signature]]);
}

/** Parameters in the Authorization header (RFC 5849 section 3.5.1). */
export function oauthHeader(parameters: readonly (readonly [string, string])[]): string {
  return `OAuth ${parameters.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(', ')}`;
}

/** RFC 5849 section 3.4.1. */
function signatureBase(
  { method, url, headers, body }: SignableRequest,
  parameters: readonly (readonly [string, string])[],
): string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  const form = body !== undefined && isForm ? Buffer.from(body).toString('latin1') : '';
  const sorted = [
    ...parameters.map(([name, value]) => [percentEncode(name), percentEncode(value)] as const),
    ...encodedPairs(url.search.slice(1)),
    ...encodedPairs(form),
  ]
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return [method.toUpperCase(), `${url.origin}${url.pathname}`, sorted].map(percentEncode).join('&');
}

/** Compares by bytes: the values are ASCII. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * The pairs of a query or form, decoded and encoded again byte by byte (section 3.4.1.3). Invalid UTF-8
 * stays as it is, as on the provider's side.
 *
 * @param written a character for each byte
 */
function encodedPairs(written: string): (readonly [string, string])[] {
  return written
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [encodeBytes(decodeForm(name)), encodeBytes(decodeForm(value.join('=')))] as const;
    });
}

function decodeForm(written: string): Buffer {
  const bytes = written
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

function percentEncode(text: string): string {
  return encodeBytes(Buffer.from(text, 'utf8'));
}

/** Percent-encodes all but letters, digits, `-`, `.`, `_` and `~` (RFC 5849 section 3.6). */
function encodeBytes(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(
      /[^A-Za-z0-9._~-]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}

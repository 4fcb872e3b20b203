/**
 * Request tokens and access tokens of OAuth 1.0a (RFC 5849 section 2). Each takes one signed request. Nothing is
 * retried, and no error holds a token or a secret.
 */
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { parseRetryAfter } from '../../outbound/retry.ts';
import { oauth1Header, type OAuth1Credentials } from './oauth1-signature.ts';
import { providerWords } from './provider-words.ts';
import { tokenFailure } from './token-answer.ts';
import type { TokenFailureKind } from './token-endpoint.ts';

/** Limit of an unpacked answer, which has three short members. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Timeout of one request, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A token, and the secret that signs requests with it. */
export interface OAuth1Token {
  key: string;
  secret: string;
}

/** Dependencies of these requests. */
export interface OAuth1Services {
  http: Pick<Sender, 'send'>;
  clock: Clock;
}

/**
 * Asks for a request token (section 2.1).
 *
 * @param callback redirect URI of the flow; the provider returns it unchanged
 * @throws TokenFailure; also if the provider does not confirm the callback, so that anyone could finish the flow
 */
export async function requestToken(
  url: string,
  credentials: OAuth1Credentials,
  callback: string,
  services: OAuth1Services,
): Promise<OAuth1Token> {
  const answer = await post(url, credentials, { oauth_callback: callback }, services, 'client_refused');
  if (answer.get('oauth_callback_confirmed') !== 'true')
    throw tokenFailure('unknown', { status: 200 }, ' It does not confirm the callback.');
  return tokenIn(answer);
}

/**
 * Exchanges an authorized request token (section 2.3).
 *
 * @param credentials.token the request token
 * @throws TokenFailure `invalid_grant` if token or verifier is refused
 */
export async function accessToken(
  url: string,
  credentials: OAuth1Credentials,
  verifier: string,
  services: OAuth1Services,
): Promise<OAuth1Token> {
  return tokenIn(await post(url, credentials, { oauth_verifier: verifier }, services, 'invalid_grant'));
}

/** @param refused kind of a 400, 401 or 403, which do not say more than that */
async function post(
  address: string,
  credentials: OAuth1Credentials,
  extra: Readonly<Record<string, string>>,
  { http, clock }: OAuth1Services,
  refused: TokenFailureKind,
): Promise<URLSearchParams> {
  const url = new URL(address);
  const headers = { accept: 'application/x-www-form-urlencoded, */*' };
  const moment = { now: clock.now(), nonce: newSecret() };
  const request = { method: 'POST', url, headers, body: undefined } as const;
  const authorization = oauth1Header(request, credentials, moment, extra);
  const response = await http
    .send({
      method: 'POST',
      url,
      headers: { ...headers, authorization },
      headersTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      throw tokenFailure(error.sent ? 'unknown' : 'not_sent', { cause: error }, ` ${error.message}`);
    });
  const { status } = response;
  const text = response.body.toString('utf8');
  if (status >= 200 && status <= 299) return new URLSearchParams(text.trim());
  const kind =
    status === 429 || status >= 500 ? 'temporary' : [400, 401, 403].includes(status) ? refused : 'unknown';
  const { consumerSecret, token } = credentials;
  const secrets = [consumerSecret, token?.key ?? '', token?.secret ?? '', ...Object.values(extra)];
  const isPlain = /^text\/plain\b/i.test(response.headers['content-type'] ?? '');
  throw tokenFailure(kind, {
    status,
    description: isPlain ? providerWords(text, secrets) : undefined,
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], clock.now()),
  });
}

function tokenIn(answer: URLSearchParams): OAuth1Token {
  const key = answer.get('oauth_token') ?? '';
  const secret = answer.get('oauth_token_secret') ?? '';
  if (![key, secret].every((text) => /^[\x21-\x7e]{1,4096}$/.test(text)))
    throw tokenFailure('unknown', { status: 200 });
  return { key, secret };
}

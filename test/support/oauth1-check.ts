/** Checks signatures of OAuth 1.0a with an implementation that is not ours. */
import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { StandInRequest } from './stand-in.ts';

/** Parameters of an `Authorization: OAuth …` header, decoded. */
export function oauthParameters(header: string | undefined): Record<string, string> {
  const text = /^OAuth (.*)$/.exec(header ?? '')?.[1] ?? '';
  return Object.fromEntries(
    text.split(', ').map((part) => {
      const [, name = '', value = ''] = /^([^=]+)="([^"]*)"$/.exec(part) ?? [];
      return [decodeURIComponent(name), decodeURIComponent(value)];
    }),
  );
}

/** Whether a request is signed by this consumer with the secret of its token. */
export function isSignedBy(
  { method, path, query, headers }: StandInRequest,
  origin: string,
  consumer: { key: string; secret: string },
  tokenSecret: string | undefined,
): boolean {
  const { oauth_signature: signature, ...data } = oauthParameters(headers['authorization']);
  const oauth = new OAuth({
    consumer,
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const request = { method, url: `${origin}${path}`, data: Object.fromEntries(query) };
  const expected = oauth.getSignature(request, tokenSecret, data as unknown as OAuth.Data);
  return data['oauth_consumer_key'] === consumer.key && signature === expected;
}

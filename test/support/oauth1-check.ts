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
  { method, path, query, form, headers }: StandInRequest,
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
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  const request = {
    method,
    url: `${origin}${path}`,
    data: grouped([...query, ...(isForm ? form : [])]),
  };
  const expected = oauth.getSignature(request, tokenSecret, data as unknown as OAuth.Data);
  return data['oauth_consumer_key'] === consumer.key && signature === expected;
}

/** A name that comes several times has all its values. */
function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const values = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, several]) => {
      const all = several.map(([, value]) => value);
      return [name, all.length === 1 ? (all[0] ?? '') : all];
    }),
  );
}

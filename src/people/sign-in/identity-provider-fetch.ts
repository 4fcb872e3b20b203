/** Sends the requests of openid-client through our own sender: address policy, deadlines and size caps apply to them too. */
import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import type { Sender } from '../../outbound/provider-client.ts';

/** Largest response; a key set or a token has a few kB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Statuses of responses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Follows no redirect. Throws OutboundFailure without a complete response. */
export function fetchOver(sender: Pick<Sender, 'send'>): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await sender.send({
      method: method === 'POST' ? 'POST' : 'GET',
      url: new URL(url),
      headers,
      maxResponseBytes: MAX_ANSWER_BYTES,
      ...(body !== null && body !== undefined && { body: bodyText(body) }),
      ...(signal !== undefined && { signal }),
    });
    // The body is already decompressed.
    const { 'content-encoding': _packed, 'content-length': _length, ...rest } = answer.headers;
    return new Response(WITHOUT_BODY.has(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: rest,
    });
  };
}

/** Sign-in at a provider posts only forms. */
function bodyText(body: NonNullable<CustomFetchOptions['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('openid-client posted something that is no form');
}

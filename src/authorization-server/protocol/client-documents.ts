/**
 * Documents that clients publish about themselves, and their keys: fetched through src/outbound from public addresses (in local
 * development also those the operator allows), within 5 s, up to 64 kB, no redirects.
 */
import type { OutboundRequest, OutboundResponse } from '../../outbound/outbound.ts';
import { toClientMetadata } from './client-metadata.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** Sends requests under the address policy. */
export interface DocumentSender {
  send(request: OutboundRequest): Promise<OutboundResponse>;
}

/**
 * The `fetch` that oidc-provider calls. Reduces a document to what a registered client may say.
 *
 * @throws OutboundFailure, and OAuthError for metadata that no client may have
 */
export function documentFetch(http: DocumentSender): typeof fetch {
  return async (input) => {
    const answer = await http.send({
      method: 'GET',
      url: new URL(input instanceof Request ? input.url : input),
      headers: { accept: 'application/json' },
      headersTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
    });
    const headers = new Headers();
    for (const name of ['cache-control', 'expires']) {
      const value = answer.headers[name];
      if (value !== undefined) headers.set(name, value);
    }
    const hasBody = answer.status >= 200 && ![204, 205, 304].includes(answer.status);
    const body = answer.status === 200 ? cutDown(answer.body.toString('utf8')) : '';
    return new Response(hasBody ? body : null, { status: answer.status, headers });
  };
}

/** Answers by address, failures included: what one request to us has fetched. */
export type FetchedDocuments = Map<string, Promise<Response>>;

/**
 * Fetches each address once for a request to us. The library looks a client up again to report a failure, and would
 * wait a second time for an answer that does not come.
 *
 * @param fetched of the current request; undefined outside one
 */
export function fetchOnce(
  fetchDocument: typeof fetch,
  fetched: () => FetchedDocuments | undefined,
): typeof fetch {
  return async (input, init) => {
    const known = fetched();
    if (known === undefined) return fetchDocument(input, init);
    const address = input instanceof Request ? input.url : String(input);
    const answer = known.get(address) ?? fetchDocument(input, init);
    known.set(address, answer);
    return (await answer).clone();
  };
}

/** Keys pass unchanged; the library refuses anything but JSON. */
function cutDown(text: string): string {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof document !== 'object' || document === null || !('client_id' in document)) return text;
  return JSON.stringify(toClientMetadata(document, 'none'));
}

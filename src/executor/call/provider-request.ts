/** A provider request with the account's credential attached: what tools, proxied requests and dry runs have in common. */
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import type { ProviderRequest } from '../../catalog/model/types.ts';
import type { OutboundRequest } from '../../outbound/outbound.ts';
import { buildUrl } from '../../outbound/url.ts';

/** A request below a provider's address, without credential. */
export interface DraftRequest {
  method: OutboundRequest['method'];
  base: URL;
  /** Starts with `/`. */
  path: string;
  /** Decoded names and values, in order. */
  query: readonly (readonly [string, string])[];
  /** A query as it is written, without `?`; comes first. */
  writtenQuery?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/**
 * The request as it is sent. What the credential adds replaces what the request says under the same name.
 *
 * @throws ServiceError INVALID_ARGUMENT on `path` or `query`
 */
export function withCredential(
  { method, base, path, query, writtenQuery, headers, body }: DraftRequest,
  credential: Pick<UsableCredential, 'headers' | 'query'>,
): OutboundRequest {
  return {
    method,
    url: buildUrl(base, path, [...query, ...credential.query], writtenQuery),
    headers: { ...headers, ...credential.headers },
    ...(body !== undefined && { body }),
  };
}

/** A tool's request as JSON over HTTP. @param base address of the host it names */
export function draftOf(request: ProviderRequest, base: URL, traceparent?: string): DraftRequest {
  const { method, path, query, headers, body, answer } = request;
  const hasBody = body !== undefined;
  const namesType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    method,
    base,
    path,
    query,
    headers: {
      accept: answer === 'text' ? '*/*' : 'application/json',
      ...(hasBody && !namesType && { 'content-type': 'application/json' }),
      ...(traceparent !== undefined && { traceparent }),
      ...headers,
    },
    ...(hasBody && { body: JSON.stringify(body) }),
  };
}

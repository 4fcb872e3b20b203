/** Answers requests for the files of the dashboard. They contain no data, so no sign-in is required. */
import { parseAccept } from 'hono/utils/accept';
import { assetAt } from './assets.ts';

/**
 * The answer with the file, which browsers cache forever because its name changes with its content; `undefined` if
 * there is no such file.
 */
export function assetResponse(path: string, acceptEncoding: string | undefined): Response | undefined {
  const found = assetAt(path);
  if (found === undefined) return undefined;
  const isGzipped = acceptsGzip(acceptEncoding);
  const body = isGzipped ? found.gzipped : found.plain;
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': found.contentType,
      'content-length': String(body.byteLength),
      ...(isGzipped && { 'content-encoding': 'gzip' }),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    },
  });
}

/** Whether the client accepts gzip (RFC 9110 section 12.5.3). */
function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const offered = parseAccept(acceptEncoding ?? '');
  const named = offered.find(({ type }) => type === 'gzip') ?? offered.find(({ type }) => type === '*');
  return named !== undefined && named.q > 0;
}

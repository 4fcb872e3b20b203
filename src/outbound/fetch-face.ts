/**
 * An interface like `fetch` over the outbound client, for libraries that speak HTTP themselves.
 *
 * Follows no redirect, opens no standing stream (a GET that asks for events is answered 405 here), and limits every
 * answer: as a whole, and each server-sent event. Headers of the credential are added last, so no library can
 * replace them.
 */
import { Readable, Transform } from 'node:stream';
import { JoinedBytes } from '../core/joined-bytes.ts';
import type { OpenRequest } from './outbound.ts';
import type { OpenedAnswer } from './opened-answer.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** Opens requests: an Outbound, or an object that creates one on first use. */
export interface Opener {
  open(request: OpenRequest): Promise<OpenedAnswer>;
}

/** The part of `fetch` that the MCP and OAuth libraries use. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface FetchLimits {
  headersTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
  /** Largest answer, unpacked, in bytes. */
  maxBytes: number;
  /** Largest server-sent event, in bytes. */
  maxEventBytes: number;
  /** Most server-sent events of one answer. */
  maxEvents: number;
}

export interface FetchOptions {
  /** Limits of the next request. */
  limits: () => FetchLimits;
  /** Who the requests are for; see OutboundRequest. */
  tenant?: string;
  /** Returns headers and query of the credential; called for each request. */
  credential?: () => {
    headers: Readonly<Record<string, string>>;
    query: readonly (readonly [string, string])[];
  };
  /** Called when a request has a connection. */
  onTurn?: () => void;
  /** Called with the number of bytes that were read. */
  onBytes?: (size: number) => void;
  /**
   * Called in the context of each request. It may return a function that is called when the body of a success has
   * been read, with the failure if a stream of events broke off.
   */
  onRequest?: () => ((failure: Error | undefined) => void) | undefined;
  /** Called with each answer before it is passed on. @throws the error that the library should get */
  onAnswer?: (answer: { status: number; headers: Readonly<Record<string, string>>; text: string }) => void;
}

/** An answer that redirects. It is not followed, with or without a credential. */
export class RedirectFailure extends Error {
  override readonly name = 'RedirectFailure';
  /** Target of the redirect, if it is within the origin of the request. */
  readonly sameOrigin: string | undefined;

  constructor(sameOrigin: string | undefined) {
    super('The server sends to another address. Redirects are not followed.');
    this.sameOrigin = sameOrigin;
  }
}

/** Longest address that is shown to operators, in characters. Nobody would write a longer one into a file. */
const MAX_ADDRESS = 200;

/** Bytes that are read of an answer that is not a success. */
const MAX_REFUSAL_BYTES = 64_000;

/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Headers that are wrong for an unpacked body. */
const OF_TRANSFER = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/**
 * @returns a function that libraries use as `fetch`. It throws OutboundFailure, RedirectFailure, and the errors of
 *   `onAnswer`
 */
export function fetchFace(outbound: Opener, options: FetchOptions): FetchLike {
  return async (target, init = {}) => {
    const onEnd = options.onRequest?.();
    const method = (init.method ?? 'GET') as OpenRequest['method'];
    const headers = Object.fromEntries(new Headers(init.headers));
    if (method === 'GET' && headers['accept']?.includes('text/event-stream') === true)
      return new Response(null, { status: 405 });
    const url = new URL(target);
    const credential = options.credential?.();
    for (const [name, value] of credential?.query ?? []) url.searchParams.set(name, value);
    const own = Object.entries(credential?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    const limits = options.limits();
    const answer = await outbound.open({
      method,
      url,
      headers: { ...headers, ...Object.fromEntries(own) },
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.body instanceof URLSearchParams && { body: init.body.toString() }),
      ...(init.signal && { signal: init.signal }),
      ...(options.tenant !== undefined && { tenant: options.tenant }),
      ...(options.onTurn !== undefined && { onTurn: options.onTurn }),
      headersTimeoutMs: limits.headersTimeoutMs,
      idleTimeoutMs: limits.idleTimeoutMs,
      totalTimeoutMs: limits.totalTimeoutMs,
      maxResponseBytes: limits.maxBytes,
    });
    return responseOf(answer, url, limits, { ...options, onEnd });
  };
}

async function responseOf(
  { status, headers, body }: OpenedAnswer,
  url: URL,
  limits: FetchLimits,
  { onAnswer, onBytes, onEnd }: FetchOptions & { onEnd: ReturnType<NonNullable<FetchOptions['onRequest']>> },
): Promise<Response> {
  const init = { status, headers: Object.entries(headers).filter(([name]) => !OF_TRANSFER.has(name)) };
  if (status >= 300 && status < 400 && status !== 304) {
    body.destroy();
    throw new RedirectFailure(withinOrigin(url, headers['location']));
  }
  if (status >= 400) {
    const text = (await startOf(body, MAX_REFUSAL_BYTES)).toString();
    onAnswer?.({ status, headers, text });
    return new Response(text, init);
  }
  if (WITHOUT_BODY.has(status)) {
    body.destroy();
    return new Response(null, init);
  }
  if (headers['content-type']?.startsWith('text/event-stream') === true) {
    const counted = eventCounter(limits, onBytes);
    // A stream may break off before its reader listens, and both ends end together.
    counted
      .on('error', (error) => onEnd?.(error))
      .on('end', () => onEnd?.(undefined))
      .on('close', () => body.destroy());
    body.on('error', (error) => counted.destroy(error)).pipe(counted);
    return new Response(Readable.toWeb(counted), init);
  }
  const whole = await startOf(body, Number.POSITIVE_INFINITY);
  onBytes?.(whole.length);
  onEnd?.(undefined);
  return new Response(new Uint8Array(whole), init);
}

/** The first bytes of a body; the rest is not read. */
async function startOf(body: Readable, maxBytes: number): Promise<Buffer> {
  const joined = new JoinedBytes();
  for await (const piece of body as AsyncIterable<Buffer>) {
    joined.add(piece);
    if (joined.size >= maxBytes) break;
  }
  return joined.whole().subarray(0, maxBytes);
}

/** Target of a redirect, if it is within the origin of the request. */
function withinOrigin(from: URL, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from);
  const address = to.origin + to.pathname;
  return to.origin === from.origin && address.length <= MAX_ADDRESS ? address : undefined;
}

const LF = 10;
const CR = 13;

/** Passes server-sent events on, until one is too large or there are too many. An empty line ends an event. */
function eventCounter(
  { maxEventBytes, maxEvents }: FetchLimits,
  onBytes?: (size: number) => void,
): Transform {
  let size = 0;
  let events = 0;
  let isLineEmpty = true;
  let last = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      onBytes?.(piece.length);
      for (const byte of piece) {
        const isEnd = byte === CR || (byte === LF && last !== CR);
        last = byte;
        if (byte === LF && !isEnd) continue;
        if (isEnd && isLineEmpty) {
          events += size === 0 ? 0 : 1;
          size = 0;
        }
        if (!isEnd) size += 1;
        isLineEmpty = isEnd;
        if (size > maxEventBytes || events > maxEvents) return done(new OutboundFailure('too_large', true));
      }
      done(null, piece);
    },
  });
}

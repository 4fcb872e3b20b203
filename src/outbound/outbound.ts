/**
 * The one way out: every HTTP request to a provider, an interceptor or a token endpoint goes through it.
 *
 * Keeps address policy, deadlines and size caps; follows no redirect, repeats nothing, knows no
 * connector. One small pool of connections per origin, so a slow provider holds up nobody else.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { AddressPolicy } from './address-policy.ts';
import { ACCEPT_ENCODING, decodeBody } from './decode-body.ts';
import { Exchange } from './exchange.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** One HTTP request. The URL comes from buildUrl or the operator's own settings. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Ends the call, and the connection it uses. */
  signal?: AbortSignal;
  /** From the request on the wire to the answer's headers; default: the settings'. */
  headersTimeoutMs?: number;
  /** From the call to the last byte of the answer; default: the settings'. */
  totalTimeoutMs?: number;
  /** Of the unpacked body; default: the settings'. */
  maxResponseBytes?: number;
}

/** A complete answer, whatever its status. */
export interface OutboundResponse {
  status: number;
  /** Names in lower case; a header that came several times is joined by `, `. */
  headers: Record<string, string>;
  /** Unpacked. */
  body: Buffer;
}

export interface OutboundOptions {
  policy: AddressPolicy;
  connectTimeoutMs: number;
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxResponseBytes: number;
  /** PEM bundle trusted beside the system's certificates. */
  caFile?: string;
  userAgent?: string;
}

/** Connections to one origin. More calls than this wait for a free one, inside their own deadline. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Origins with an open pool; the one unused longest is closed when another is needed. */
const MAX_ORIGINS = 256;

const KEEP_ALIVE_MAX_MS = 60_000;

/** Headers that steer the connection or the host belong to this module alone. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Sends requests. Holds connections: close it. */
export class Outbound {
  /** Default time of a whole call, from the settings. */
  readonly totalTimeoutMs: number;
  readonly #options: OutboundOptions;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly #secureContext: SecureContext | undefined;
  /** By origin, the one used last at the end. */
  readonly #pools = new Map<string, Pool>();
  #isClosed = false;

  /** @throws Error when caFile cannot be read or holds no certificate */
  constructor(options: OutboundOptions) {
    this.#options = options;
    this.totalTimeoutMs = options.totalTimeoutMs;
    this.#defaultHeaders = {
      'user-agent': options.userAgent ?? 'gatehouse',
      'accept-encoding': ACCEPT_ENCODING,
    };
    if (options.caFile !== undefined) this.#secureContext = trustAlso(options.caFile);
  }

  /**
   * Sends one request and returns its answer, 3xx, 4xx and 5xx included.
   *
   * @throws OutboundFailure when there is no complete answer; `sent` says whether the other side may have acted
   */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const { url } = request;
    const pool = this.#poolFor(url);
    if (request.signal?.aborted === true) throw new OutboundFailure('aborted', false);
    if (Object.keys(request.headers).some((name) => RESERVED_HEADERS.has(name.toLowerCase()))) {
      throw new OutboundFailure('invalid_request', false);
    }
    const maxResponseBytes = request.maxResponseBytes ?? this.#options.maxResponseBytes;
    const totalTimeoutMs = request.totalTimeoutMs ?? this.#options.totalTimeoutMs;
    const deadline = performance.now() + totalTimeoutMs;
    const exchange = new Exchange(request.method, {
      headersTimeoutMs: request.headersTimeoutMs ?? this.#options.headersTimeoutMs,
      totalTimeoutMs,
      maxResponseBytes,
      signal: request.signal,
    });
    pool.dispatch(
      {
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...this.#defaultHeaders, ...request.headers },
        body: request.body ?? null,
      },
      exchange,
    );
    const answer = await exchange.answer;
    const encoding = answer.headers['content-encoding'];
    if (encoding === undefined || answer.body.length === 0) return answer;
    return { ...answer, body: await inTime(decodeBody(answer.body, encoding, maxResponseBytes), deadline) };
  }

  /** Ends every connection; calls in flight fail as `aborted`, later ones too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #poolFor(url: URL): Pool {
    if (this.#isClosed) throw new OutboundFailure('aborted', false);
    const { origin } = url;
    const known = this.#pools.get(origin);
    // A known origin has passed the policy before, but its userinfo is not part of the origin.
    if (known === undefined || url.username !== '' || url.password !== '') this.#options.policy.checkUrl(url);
    const pool = known ?? this.#openPool(url);
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  #openPool(url: URL): Pool {
    for (const [origin, pool] of this.#pools) {
      if (this.#pools.size < MAX_ORIGINS) break;
      this.#pools.delete(origin);
      void pool.close();
    }
    return new Pool(url.origin, {
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      allowH2: false,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // Exchange keeps the deadlines, to the millisecond.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: this.#options.connectTimeoutMs,
        lookup: this.#options.policy.lookupFor(url),
        ...(this.#secureContext === undefined ? {} : { secureContext: this.#secureContext }),
      },
    });
  }
}

/** Unpacking counts in the time of the call. What takes longer ends by itself at the size limit. */
async function inTime(unpacked: Promise<Buffer>, deadline: number): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutboundFailure('timeout', true)), deadline - performance.now());
  });
  try {
    return await Promise.race([unpacked, late]);
  } finally {
    clearTimeout(timer);
  }
}

function trustAlso(caFile: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), readFileSync(caFile, 'utf8')] });
}

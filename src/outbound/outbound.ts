/**
 * The only way out: every HTTP request to a provider, an interceptor or a token endpoint goes through it.
 *
 * Enforces address policy, deadlines and size limits. Follows no redirect, repeats nothing, knows no
 * connector. One small pool of connections per origin, so that a slow provider delays nobody else.
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
  /** Ends the call and the connection it uses. */
  signal?: AbortSignal;
  /** From the request on the wire to the answer's headers; default: from the settings. */
  headersTimeoutMs?: number;
  /** From the call to the last byte of the answer; default: from the settings. */
  totalTimeoutMs?: number;
  /** Limit of the unpacked body; default: from the settings. */
  maxResponseBytes?: number;
}

/** A complete answer of any status. */
export interface OutboundResponse {
  status: number;
  /** Names in lower case; a repeated header is joined by `, `. */
  headers: Record<string, string>;
  /** Unpacked body. */
  body: Buffer;
}

export interface OutboundOptions {
  policy: AddressPolicy;
  connectTimeoutMs: number;
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxResponseBytes: number;
  /** PEM bundle trusted in addition to the system's certificates. */
  caFile?: string;
  userAgent?: string;
}

/** Maximum connections to one origin. Further calls wait for a free one, within their own deadline. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Maximum origins with an open pool; if another one is needed, the least recently used is closed. */
const MAX_ORIGINS = 256;

const KEEP_ALIVE_MAX_MS = 60_000;

/** Headers that control the connection or the host; only this module may set them. */
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

/** Sends requests. Holds connections, so it has to be closed. */
export class Outbound {
  /** Default time of a whole call, from the settings. */
  readonly totalTimeoutMs: number;
  readonly #options: OutboundOptions;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly #secureContext: SecureContext | undefined;
  /** By origin, the most recently used last. */
  readonly #pools = new Map<string, Pool>();
  #isClosed = false;

  /** @throws Error if caFile cannot be read or holds no certificate */
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
   * @throws OutboundFailure if there is no complete answer; `sent` says whether the other side may have acted
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
    // A known origin has already passed the policy, but its userinfo is not part of the origin.
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
      // Exchange enforces the deadlines, to the millisecond.
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

/**
 * Unpacking counts towards the time of the call. Late unpacking is not stopped here: it ends at the size
 * limit.
 */
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

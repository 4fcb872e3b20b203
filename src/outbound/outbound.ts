/**
 * The only way out: every HTTP request to a provider, an interceptor or a token endpoint goes through it.
 *
 * Enforces address policy, deadlines and size limits. Follows no redirect, repeats nothing, knows no
 * connector. One pool of connections per origin, so that a slow provider delays nobody else; tenants share it
 * fairly, so that one whose requests hang delays nobody else either.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { AddressPolicy } from './address-policy.ts';
import { ACCEPT_ENCODING, decodeBody } from './decode-body.ts';
import { Exchange, type BodyStream, type ExchangeLimits } from './exchange.ts';
import { FairSockets } from './fair-sockets.ts';
import { OpenedBody, type OpenedAnswer } from './opened-answer.ts';
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
  /** From the call to the last byte of the answer, the wait for a connection included; default: from the settings. */
  totalTimeoutMs?: number;
  /** Limit of the unpacked body; default: from the settings. */
  maxResponseBytes?: number;
  /**
   * Who the request is for, such as an account's id. Tenants share the connections of an origin. Default: a tenant
   * of its own.
   */
  tenant?: string;
  /** Called when the request has a connection, or may open one; not if it ends before. */
  onTurn?: () => void;
}

/** A request whose answer is read while it arrives. */
export interface OpenRequest extends OutboundRequest {
  /** Longest silence between two pieces of the answer. */
  idleTimeoutMs: number;
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
  /** Maximum connections to one origin; default 64. Further calls wait for a free one, within their own deadline. */
  connectionsPerOrigin?: number;
  /** PEM bundle trusted in addition to the system's certificates. */
  caFile?: string;
  userAgent?: string;
}

/** Fallback: the default of `outbound.connections_per_origin`. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Maximum origins with an open pool; if another one is needed, the least recently used that is idle is closed. */
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

/** The connections to one origin. */
interface Origin {
  pool: Pool;
  sockets: FairSockets;
}

/** RFC 9110 section 5.6.2. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Characters that no header value may contain: control characters, and characters beyond Latin-1 (RFC 9110 section
 * 5.5).
 */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** Sends requests. Holds connections, so it has to be closed. */
export class Outbound {
  /** Default time of a whole call, from the settings. */
  readonly totalTimeoutMs: number;
  readonly #options: OutboundOptions;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly #secureContext: SecureContext | undefined;
  /** By their address, the most recently used last. */
  readonly #origins = new Map<string, Origin>();
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
    const { maxResponseBytes, totalTimeoutMs } = this.#limitsOf(request);
    const deadline = performance.now() + totalTimeoutMs;
    const answer = await this.#exchange(request).answer;
    const encoding = answer.headers['content-encoding'];
    if (encoding === undefined || answer.body.length === 0) return answer;
    return { ...answer, body: await inTime(decodeBody(answer.body, encoding, maxResponseBytes), deadline) };
  }

  /**
   * Sends one request and returns its answer as soon as the headers are there. The body is unpacked while it is read,
   * and keeps its connection until it has ended or is destroyed. Limits and rules are those of `send`.
   *
   * @throws OutboundFailure if there are no headers; the body ends with one where the answer breaks off
   */
  async open(request: OpenRequest): Promise<OpenedAnswer> {
    const body = new OpenedBody({
      idleTimeoutMs: request.idleTimeoutMs,
      maxBytes: this.#limitsOf(request).maxResponseBytes,
      onClose: () => exchange.fail('aborted'),
    });
    // A failure after the headers is the body's, one before them is also that of `body.answer`.
    body.answer.catch(() => {});
    const exchange = this.#exchange(request, body);
    exchange.answer.catch(() => {});
    return body.answer;
  }

  #limitsOf(request: OutboundRequest): Omit<ExchangeLimits, 'signal'> {
    return {
      headersTimeoutMs: request.headersTimeoutMs ?? this.#options.headersTimeoutMs,
      totalTimeoutMs: request.totalTimeoutMs ?? this.#options.totalTimeoutMs,
      maxResponseBytes: request.maxResponseBytes ?? this.#options.maxResponseBytes,
    };
  }

  /** Begins an exchange as soon as its tenant has a turn. @throws OutboundFailure if the request may not be sent */
  #exchange(request: OutboundRequest, stream?: BodyStream): Exchange {
    const { url } = request;
    const { pool, sockets } = this.#originOf(url);
    if (request.signal?.aborted === true) throw new OutboundFailure('aborted', false);
    // The pool would refuse such a request too, but never use the connection again that was to send it.
    if (!Object.entries(request.headers).every(isSendable))
      throw new OutboundFailure('invalid_request', false);
    const exchange = new Exchange(request.method, {
      ...this.#limitsOf(request),
      signal: request.signal,
      ...(stream !== undefined && { stream }),
    });
    const leave = sockets.enter(request.tenant, () => {
      request.onTurn?.();
      exchange.sendBy(pool, {
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...this.#defaultHeaders, ...request.headers },
        body: request.body ?? null,
      });
    });
    void exchange.ended.then(leave);
    return exchange;
  }

  /** Ends every connection; calls in flight fail as `aborted`, later ones too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const origins = [...this.#origins.values()];
    this.#origins.clear();
    await Promise.all(origins.map(({ pool }) => pool.destroy()));
  }

  #originOf(url: URL): Origin {
    if (this.#isClosed) throw new OutboundFailure('aborted', false);
    const { origin } = url;
    const known = this.#origins.get(origin);
    // A known origin has already passed the policy, but its userinfo is not part of the origin.
    if (known === undefined || url.username !== '' || url.password !== '') this.#options.policy.checkUrl(url);
    const used = known ?? this.#open(url);
    this.#origins.delete(origin);
    this.#origins.set(origin, used);
    return used;
  }

  #open(url: URL): Origin {
    for (const [origin, { pool, sockets }] of this.#origins) {
      if (this.#origins.size < MAX_ORIGINS) break;
      if (!sockets.isIdle) continue;
      this.#origins.delete(origin);
      void pool.close();
    }
    const connections = this.#options.connectionsPerOrigin ?? CONNECTIONS_PER_ORIGIN;
    return { pool: this.#poolOf(url, connections), sockets: new FairSockets(connections) };
  }

  #poolOf(url: URL, connections: number): Pool {
    return new Pool(url.origin, {
      connections,
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

function isSendable([name, value]: [string, string]): boolean {
  return HEADER_NAME.test(name) && !RESERVED_HEADERS.has(name.toLowerCase()) && !UNSENDABLE.test(value);
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

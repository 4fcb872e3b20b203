/**
 * One request and its answer on the wire: collects and counts the body, enforces the deadlines, and settles
 * exactly once. Uses undici's dispatch events directly, without streams, which keeps a call cheap. A body that is read
 * while it arrives is passed on instead of collected (`stream`).
 */
import type { Dispatcher } from 'undici';
import { codeOf } from '../core/errors.ts';
import { JoinedBytes } from '../core/joined-bytes.ts';
import { sharedTurn } from '../core/shared-turn.ts';
import { OutboundFailure, type OutboundFailureKind } from './outbound-failure.ts';

/** An answer as received, still packed. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface ExchangeLimits {
  headersTimeoutMs: number;
  totalTimeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal | undefined;
  /** Gets the body as it arrives; it is collected if absent. */
  stream?: BodyStream;
}

/** Reads a body while it arrives. */
export interface BodyStream {
  /** Longest silence between two pieces, in milliseconds. */
  idleTimeoutMs: number;
  /** Status and headers have arrived. */
  begin(answer: Omit<RawAnswer, 'body'>): void;
  /** @returns false if no more may come before `resume` is called */
  add(piece: Buffer, resume: () => void): boolean;
  /** @param failure absent if the body is complete */
  end(failure?: OutboundFailure): void;
}

/**
 * Maximum interim answers (1xx) before the real one. A provider that sends more only keeps this process busy.
 */
const MAX_INTERIM = 100;

/** Prefixes of the error codes of failed TLS handshakes. */
const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

/** Its time begins when it is created; `answer` settles. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<RawAnswer>();
  /** The answer, or an OutboundFailure. */
  readonly answer: Promise<RawAnswer> = this.#outcome.promise;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when no socket is used any more, which is later than the answer where a connection is still being made. */
  readonly ended: Promise<void> = this.#end.promise;
  readonly #limits: ExchangeLimits;
  readonly #withoutBody: boolean;
  /** By the clock of `performance`. */
  readonly #totalDeadline: number;
  /** The same, while the headers, or the next piece of a stream, are waited for. */
  #nextDeadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #isSent = false;
  #interim = 0;
  #status = 0;
  #headers: Record<string, string> = {};
  readonly #body = new JoinedBytes();
  /** Bytes of the body that have arrived. */
  #size = 0;

  constructor(method: string, limits: ExchangeLimits) {
    this.#limits = limits;
    this.#withoutBody = method === 'HEAD';
    this.#totalDeadline = performance.now() + limits.totalTimeoutMs;
    this.#setTimer(limits.totalTimeoutMs);
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Hands the request to a pool, unless the exchange has ended meanwhile. */
  sendBy(pool: Dispatcher, request: Dispatcher.DispatchOptions): void {
    if (this.#isSettled) return;
    this.#isSent = true;
    pool.dispatch(request, this);
  }

  /** Ends the exchange, and also the connection if the request is already on the wire. */
  fail(kind: OutboundFailureKind, code?: string): void {
    this.#failWith(new OutboundFailure(kind, this.#controller !== undefined, code));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Called just before the first byte is written: an abort here sends nothing.
    if (this.#isSettled) return controller.abort(new Error('settled'));
    this.#controller = controller;
    this.#nextDeadline = performance.now() + this.#limits.headersTimeoutMs;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) this.fail('bad_response');
      return;
    }
    const { stream, maxResponseBytes } = this.#limits;
    this.#waitForPiece();
    this.#status = status;
    this.#headers = joinValues(headers);
    const announced = Number(this.#headers['content-length'] ?? 0);
    if (!this.#withoutBody && announced > maxResponseBytes) return this.fail('too_large');
    if (!this.#isSettled) stream?.begin({ status, headers: this.#headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { stream, maxResponseBytes } = this.#limits;
    this.#size += chunk.length;
    if (this.#size > maxResponseBytes) return this.fail('too_large');
    if (stream === undefined) return this.#body.add(chunk);
    if (this.#isSettled) return;
    this.#waitForPiece();
    const resume = (): void => {
      this.#waitForPiece();
      controller.resume();
    };
    if (stream.add(chunk, resume)) return;
    // The reader is slow, not the other side.
    this.#nextDeadline = Number.POSITIVE_INFINITY;
    controller.pause();
  }

  onResponseEnd(): void {
    const body = this.#body.whole();
    this.#end.resolve();
    if (!this.#settle()) return;
    const answer = { status: this.#status, headers: this.#headers, body };
    void sharedTurn().then(() => this.#outcome.resolve(answer));
    this.#limits.stream?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end.resolve();
    if (error instanceof OutboundFailure) return this.#failWith(error);
    const code = codeOf(error) ?? error.name;
    return this.fail(this.#kindOf(error, code), code);
  }

  #kindOf(error: Error, code: string): OutboundFailureKind {
    if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'aborted';
    if (this.#controller !== undefined) {
      // The parser's error has no code; only its message tells that the stream ended early.
      const isGarbled = error.name === 'HTTPParserError' && !error.message.includes('EOF');
      return isGarbled || code === 'UND_ERR_HEADERS_OVERFLOW' ? 'bad_response' : 'reset';
    }
    if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'invalid_request';
    return TLS_CODE.test(code) ? 'tls' : 'connect';
  }

  #failWith(failure: OutboundFailure): void {
    if (!this.#settle()) return;
    this.#body.discard();
    if (!this.#isSent) this.#end.resolve();
    this.#outcome.reject(failure);
    this.#limits.stream?.end(failure);
    this.#controller?.abort(failure);
  }

  /** @returns false if another event came first */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #waitForPiece(): void {
    const { stream } = this.#limits;
    this.#nextDeadline =
      stream === undefined ? Number.POSITIVE_INFINITY : performance.now() + stream.idleTimeoutMs;
  }

  /**
   * One timer for all deadlines, because most exchanges end long before, and a timer costs more than a look at the
   * clock. It goes off often enough to find a deadline for the headers or a piece that was set meanwhile.
   */
  #setTimer(leftMs: number): void {
    this.#timer = setTimeout(
      () => {
        const left = Math.min(this.#totalDeadline, this.#nextDeadline) - performance.now();
        // A timer counts whole milliseconds.
        if (left < 1) this.fail('timeout');
        else this.#setTimer(left);
      },
      Math.min(leftMs, this.#limits.headersTimeoutMs, this.#limits.stream?.idleTimeoutMs ?? leftMs),
    );
  }

  readonly #onAbort = (): void => this.fail('aborted');
}

/** Repeated headers become one, as RFC 9110 section 5.3 allows. */
function joinValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name !== '__proto__' && value !== undefined)
      joined[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}

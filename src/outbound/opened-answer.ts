/**
 * An answer whose body is read while it arrives, unpacked, with backpressure: what `Outbound.open` returns.
 */
import { Readable, Transform } from 'node:stream';
import type { BodyStream, RawAnswer } from './exchange.ts';
import { unpackingStream } from './decode-body.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** Status and headers of an answer, and its body as a stream. */
export interface OpenedAnswer {
  status: number;
  /** Names in lower case; a repeated header is joined by `, `. */
  headers: Record<string, string>;
  /**
   * The unpacked body. Ends with an OutboundFailure if the answer breaks off or exceeds a limit. Destroying it ends
   * the exchange.
   */
  body: Readable;
}

/** The reading side of an Exchange. */
export class OpenedBody implements BodyStream {
  readonly idleTimeoutMs: number;
  /** Settles when the headers have arrived. */
  readonly answer: Promise<OpenedAnswer>;
  readonly #opened = Promise.withResolvers<OpenedAnswer>();
  readonly #maxBytes: number;
  readonly #onClose: () => void;
  #source: Readable | undefined;
  #resume: (() => void) | undefined;

  /**
   * @param options.idleTimeoutMs longest silence
   * @param options.maxBytes limit of the unpacked body
   * @param options.onClose called when the reader wants no more
   */
  constructor(options: { idleTimeoutMs: number; maxBytes: number; onClose: () => void }) {
    this.idleTimeoutMs = options.idleTimeoutMs;
    this.#maxBytes = options.maxBytes;
    this.#onClose = options.onClose;
    this.answer = this.#opened.promise;
  }

  begin({ status, headers }: Omit<RawAnswer, 'body'>): void {
    this.#source = new Readable({
      read: () => {
        const resume = this.#resume;
        this.#resume = undefined;
        resume?.();
      },
      destroy: (error, done) => {
        this.#onClose();
        done(error);
      },
    });
    this.#opened.resolve({ status, headers, body: unpacked(this.#source, headers, this.#maxBytes) });
  }

  add(piece: Buffer, resume: () => void): boolean {
    const wantsMore = this.#source?.push(piece) ?? true;
    if (!wantsMore) this.#resume = resume;
    return wantsMore;
  }

  end(failure?: OutboundFailure): void {
    if (failure === undefined) this.#source?.push(null);
    else if (this.#source === undefined) this.#opened.reject(failure);
    else this.#source.destroy(failure);
  }
}

function unpacked(source: Readable, headers: Record<string, string>, maxBytes: number): Readable {
  // An answer may break off before its reader listens.
  source.on('error', () => {});
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return source;
  const unpacking = unpackingStream(encoding);
  if (unpacking === undefined) return source.destroy(new OutboundFailure('bad_encoding', true));
  const counted = atMost(maxBytes);
  counted.on('error', () => {});
  source.on('error', (error) => counted.destroy(error));
  unpacking.on('error', ({ code }: NodeJS.ErrnoException) =>
    counted.destroy(new OutboundFailure('bad_encoding', true, code)),
  );
  counted.on('close', () => {
    source.destroy();
    unpacking.destroy();
  });
  return source.pipe(unpacking).pipe(counted);
}

/** Passes bytes on, up to a limit. */
function atMost(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      size += piece.length;
      if (size > maxBytes) done(new OutboundFailure('too_large', true));
      else done(null, piece);
    },
  });
}

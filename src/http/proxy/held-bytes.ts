/**
 * Memory that all bodies of proxied requests may use together. Each body has its own limit, but a thousand bodies
 * within it would still exhaust the process.
 */
import { ServiceError } from '../../core/errors.ts';

export class HeldBytes {
  readonly #max: number;
  #held = 0;

  /** @param max bytes of all bodies at one time */
  constructor(max: number) {
    this.#max = max;
  }

  /** Starts the share of one request. */
  share(): HeldShare {
    let own = 0;
    return {
      add: (bytes) => {
        if (this.#held + bytes > this.#max) throw busy();
        this.#held += bytes;
        own += bytes;
      },
      release: () => {
        this.#held -= own;
        own = 0;
      },
    };
  }
}

/** The bytes that one request holds, released at its end. */
export interface HeldShare {
  /** @throws ServiceError UNAVAILABLE if there is no room at the moment; nothing was sent */
  add(bytes: number): void;
  /** Releases all bytes. */
  release(): void;
}

function busy(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'Too many large requests are being proxied at once. Nothing was sent. Try again.',
    { retryAfterSeconds: 2 },
  );
}

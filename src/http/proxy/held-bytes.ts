/**
 * Memory that bodies of proxied requests may take up together. One body has a limit of its own; a thousand at once, each
 * within it, would still end the process.
 */
import { ServiceError } from '../../core/errors.ts';

export class HeldBytes {
  readonly #max: number;
  #held = 0;

  /** @param max bytes of all bodies at a time */
  constructor(max: number) {
    this.#max = max;
  }

  /** What one request holds. */
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

/** What one request holds, to be given back when it is over. */
export interface HeldShare {
  /** @throws ServiceError UNAVAILABLE when there is no room at the moment; nothing was sent */
  add(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

function busy(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'Too many large requests are being proxied at once. Nothing was sent. Try again.',
    { retryAfterSeconds: 2 },
  );
}

/**
 * A body that comes in pieces, joined as they come.
 *
 * A list of pieces keeps some hundred bytes for each, however small: a peer that writes chunks of one byte would take
 * up a gigabyte with ten megabytes.
 */

/** Room for the second piece and those after it, in bytes. */
const FIRST_ROOM = 4_096;

export class JoinedBytes {
  /** Filled up to `#size`; the first piece itself until there is a second one. */
  #bytes: Buffer = Buffer.alloc(0);
  /** Memory of our own from the second piece on. A move to a larger one frees it at once: collectors wait for long. */
  #room: ArrayBuffer | undefined;
  #size = 0;

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds a piece. Its memory is not to be written to afterwards. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength;
    if (this.#size === 0) {
      this.#bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    } else {
      if (size > this.#bytes.length) this.#grow(size);
      this.#bytes.set(piece, this.#size);
    }
    this.#size = size;
  }

  /** Everything so far. Add nothing afterwards. */
  whole(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Forgets everything so far and gives its memory back at once, for a body that is refused. */
  discard(): void {
    this.#room?.transfer(0);
    this.#room = undefined;
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
  }

  #grow(size: number): void {
    const room = Math.max(2 * this.#bytes.length, size, FIRST_ROOM);
    if (this.#room === undefined) {
      this.#room = new ArrayBuffer(room);
      new Uint8Array(this.#room).set(this.whole());
    } else {
      this.#room = this.#room.transfer(room);
    }
    this.#bytes = Buffer.from(this.#room);
  }
}

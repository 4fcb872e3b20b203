/**
 * Joins a body that arrives in pieces.
 *
 * A list of pieces would cost some hundred bytes for each, however small. A peer that sends chunks of one
 * byte could turn ten megabytes into a gigabyte.
 */

/** Initial room for the second and later pieces, in bytes. */
const FIRST_ROOM = 4_096;

export class JoinedBytes {
  /** Filled up to `#size`; while there is only one piece, that piece itself. */
  #bytes: Buffer = Buffer.alloc(0);
  /**
   * Memory of our own from the second piece on. Moving to a larger one frees it at once, because garbage
   * collection can take long.
   */
  #room: ArrayBuffer | undefined;
  #size = 0;

  /** Bytes added so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds a piece. The caller must not write to its memory afterwards. */
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

  /** Returns everything added so far. Nothing may be added afterwards. */
  whole(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Discards everything and frees its memory at once, for a body that is refused. */
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

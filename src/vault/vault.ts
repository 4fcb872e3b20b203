/**
 * Seals and opens secrets for the database (docs/security.md#stolen-database).
 *
 * A sealed value is a JWE that names the place it was made for, authenticated: moved to another table, row or
 * column it does not open. The vault must not log, cache or return key material.
 */
import { hkdfSync, webcrypto } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { ServiceError } from '../core/errors.ts';
import type { Key, KeyRing } from './key-ring.ts';
import { fixedKeys, type KeySource } from './key-source.ts';

/** Storage place of a sealed value: table name, id of the row, column name. */
export interface SealedPlace {
  table: string;
  row: string;
  column: string;
}

/**
 * Reason why a value does not open: its key is not in the ring, it belongs to another place, or its bytes
 * were changed.
 */
export type UnreadableReason = 'unknown_key' | 'other_place' | 'damaged';

/** One stored secret cannot be opened. Everything else continues to work. */
export class UnreadableSecret extends ServiceError {
  readonly reason: UnreadableReason;
  readonly place: SealedPlace;

  constructor(reason: UnreadableReason, place: SealedPlace, what: string, cause?: unknown) {
    super('UNAVAILABLE', `The stored secret of ${place.row} cannot be opened: ${what}`, { cause });
    this.reason = reason;
    this.place = place;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Vault {
  readonly #keys: KeySource;
  readonly #derivationSecret: Buffer;
  /** Imported keys; jose would import the bytes again for every value. */
  readonly #imported = new WeakMap<Key, Promise<webcrypto.CryptoKey>>();

  /**
   * @param keys a ring that never changes, or a source that reads the keys again when they change
   * @param derivationSecret the secret that `derive` starts from; default: the current first key
   */
  constructor(keys: KeyRing | KeySource, derivationSecret?: Buffer) {
    this.#keys = 'latest' in keys ? keys : fixedKeys(keys);
    this.#derivationSecret = derivationSecret ?? this.#keys.ring[0].bytes;
  }

  /** Seals `text` for one place, with the current first key. */
  async seal(place: SealedPlace, text: string): Promise<string> {
    const [key] = await this.#keys.latest();
    return new CompactEncrypt(encoder.encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.id, ctx: placeHeader(place) })
      .encrypt(await this.#import(key));
  }

  /** @throws UnreadableSecret if the value was sealed for another place or with other keys, or is damaged */
  async open(place: SealedPlace, sealed: string): Promise<string> {
    const { kid, ctx } = readHeader(place, sealed);
    const key = findKey(this.#keys.ring, kid) ?? findKey(await this.#keys.latest(), kid);
    if (key === undefined) {
      throw new UnreadableSecret(
        'unknown_key',
        place,
        `it was sealed with the key ${kid}, which is not among the master keys. Add that key.`,
      );
    }
    if (JSON.stringify(ctx) !== JSON.stringify(placeHeader(place))) {
      throw new UnreadableSecret(
        'other_place',
        place,
        'it was sealed for another row. Enter the secret again.',
      );
    }
    try {
      const { plaintext } = await compactDecrypt(sealed, await this.#import(key), {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return decoder.decode(plaintext);
    } catch (error) {
      throw damaged(place, error);
    }
  }

  /** Id of the key that currently seals. */
  async sealingKeyId(): Promise<string> {
    const [key] = await this.#keys.latest();
    return key.id;
  }

  /**
   * Derives 32 bytes for another purpose (cookies, page tokens). They are the same in every process of an
   * installation and do not change when keys are rotated.
   *
   * @see RFC 5869
   */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#derivationSecret, '', `gatehouse ${purpose}`, 32));
  }

  async #import(key: Key): Promise<webcrypto.CryptoKey> {
    let imported = this.#imported.get(key);
    if (imported === undefined) {
      imported = webcrypto.subtle.importKey('raw', key.bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
      this.#imported.set(key, imported);
    }
    return imported;
  }
}

/** Id of the key that a value names as its sealing key; null if the value is too damaged to tell. */
export function keyIdOf(sealed: string): string | null {
  try {
    const { kid } = decodeProtectedHeader(sealed);
    return typeof kid === 'string' ? kid : null;
  } catch {
    return null;
  }
}

function findKey(ring: KeyRing, id: string): Key | undefined {
  return ring.find((key) => key.id === id);
}

function placeHeader({ table, row, column }: SealedPlace): SealedPlace {
  return { table, row, column };
}

function readHeader(place: SealedPlace, sealed: string): { kid: string; ctx: unknown } {
  try {
    const { kid, ctx } = decodeProtectedHeader(sealed);
    if (typeof kid === 'string') return { kid, ctx };
  } catch (error) {
    throw damaged(place, error);
  }
  throw damaged(place);
}

function damaged(place: SealedPlace, cause?: unknown): UnreadableSecret {
  return new UnreadableSecret('damaged', place, 'it is damaged. Enter the secret again.', cause);
}

/**
 * Sealing and opening of secrets for the database (docs/security.md#stolen-database).
 *
 * A sealed value is a JWE that names, authenticated, the place it was made for: moved to another table, row
 * or column it does not open. Must not log, cache or return key material.
 */
import { hkdfSync, webcrypto } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { ServiceError } from '../core/errors.ts';
import type { Key, KeyRing } from './key-ring.ts';
import { fixedKeys, type KeySource } from './key-source.ts';

/** Where a sealed value is stored: table name, id of the row, column name. */
export interface SealedPlace {
  table: string;
  row: string;
  column: string;
}

/** Why a value does not open: its key is not in the ring, it belongs elsewhere, or its bytes are not what was sealed. */
export type UnreadableReason = 'unknown_key' | 'other_place' | 'damaged';

/** One stored secret cannot be opened. Everything else keeps working. */
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
  /** Imported keys; jose would import the bytes anew for every value. */
  readonly #imported = new WeakMap<Key, Promise<webcrypto.CryptoKey>>();

  /**
   * @param keys a ring that stays as it is, or where the keys are read again when they change
   * @param derivationSecret what `derive` starts from; default: the first key as it is now
   */
  constructor(keys: KeyRing | KeySource, derivationSecret?: Buffer) {
    this.#keys = 'latest' in keys ? keys : fixedKeys(keys);
    this.#derivationSecret = derivationSecret ?? this.#keys.ring[0].bytes;
  }

  /** Seals `text` for one place, under the key that is the first one now. */
  async seal(place: SealedPlace, text: string): Promise<string> {
    const [key] = await this.#keys.latest();
    return new CompactEncrypt(encoder.encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.id, ctx: placeHeader(place) })
      .encrypt(await this.#import(key));
  }

  /** @throws UnreadableSecret when the value was not sealed for this place, by these keys, or is damaged */
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

  /** Id of the key that seals now. */
  async sealingKeyId(): Promise<string> {
    const [key] = await this.#keys.latest();
    return key.id;
  }

  /**
   * 32 bytes for another purpose (cookies, page tokens), the same in every process of an installation and whatever
   * becomes of its keys.
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

/** Id of the key that a value says it was sealed with; null where it is too damaged to say so. */
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

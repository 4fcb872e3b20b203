/**
 * Ids of everything stored: a prefix, `_`, and 26 characters of a time-ordered random id.
 *
 * The layout is a ULID (48 bits of time, 80 random bits, Crockford base 32, lower case). Ids are not secrets:
 * use `newSecret` for an unguessable value.
 */
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Kinds of stored things and the prefixes of their ids (docs/contract.md#names-times-and-ids). */
export type IdPrefix =
  | 'env'
  | 'conn'
  | 'ca'
  | 'icp'
  | 'org'
  | 'usr'
  | 'mem'
  | 'inv'
  | 'ses'
  | 'exe'
  | 'evt'
  | 'cred'
  | 'lnk'
  | 'arq'
  | 'aud'
  | 'flw'
  | 'whk'
  | 'whd'
  | 'sec'
  | 'idk'
  | 'idp'
  | 'idn'
  | 'cod'
  | 'mcp'
  | 'upt'
  | 'ups'
  | 'upc'
  | 'art'
  | 'key'
  | 'ins';

/**
 * The last id made. Ids made by one process in the same millisecond count up, so that they keep their order.
 */
let last = { time: -1, timeText: '', digits: [] as number[] };

/**
 * A new id, e.g. `ca_01k9…`.
 *
 * @param now Unix milliseconds
 */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  if (now === last.time) countUp(last.digits);
  else last = { time: now, timeText: timeText(now), digits: Array.from(idBytes(16), (byte) => byte % 32) };
  let id = `${prefix}_${last.timeText}`;
  for (const digit of last.digits) id += ALPHABET[digit];
  return id;
}

function timeText(time: number): string {
  let text = '';
  for (let rest = time, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text;
}

/** After the highest value it starts again at zero. */
function countUp(digits: number[]): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = digits[i] ?? 0;
    digits[i] = (digit + 1) % 32;
    if (digit < 31) return;
  }
}

/**
 * Random bytes not used yet. They are read from the system in blocks, because one system call per id would
 * take longer than the rest of making it.
 */
let pool = { bytes: Buffer.alloc(0), used: 0 };

/**
 * Random bytes for ids, which are unique but not secret; at most 4096. Secrets are read from the system
 * directly.
 */
export function idBytes(count: number): Buffer {
  if (pool.used + count > pool.bytes.length) pool = { bytes: randomBytes(4096), used: 0 };
  pool.used += count;
  return pool.bytes.subarray(pool.used - count, pool.used);
}

/** 256 random bits as base64url (43 characters): link tokens, auth request ids, client secrets. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 as base64url: how single-use tokens and client secrets are stored. They have full entropy, so no salt or stretching. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/**
 * Unpacks compressed answers. This is done here and not by the HTTP client, because only this code counts the
 * unpacked bytes. A small body that unpacks to gigabytes has to stop at the limit.
 */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { codeOf } from '../core/errors.ts';
import { OutboundFailure } from './outbound-failure.ts';

/** Sent with every request. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

/** Maximum packed size that is unpacked synchronously: faster than using a worker thread. */
const AT_ONCE_BYTES = 64 * 1024;

/** More codings on one body indicate an attack, not an answer. */
const MAX_CODINGS = 2;

interface Codec {
  sync(packed: Buffer, options: { maxOutputLength: number }): Buffer;
  async(packed: Buffer, options: { maxOutputLength: number }): Promise<Buffer>;
}

const GZIP: Codec = { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) };
const ZLIB: Codec = { sync: zlib.inflateSync, async: promisify(zlib.inflate) };
const RAW_DEFLATE: Codec = { sync: zlib.inflateRawSync, async: promisify(zlib.inflateRaw) };
const BROTLI: Codec = { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) };
const ZSTD: Codec = { sync: zlib.zstdDecompressSync, async: promisify(zlib.zstdDecompress) };

/**
 * @param contentEncoding the header as received; codings in the order they were applied
 * @param maxBytes limit for the unpacked body and for every intermediate step
 * @throws OutboundFailure `too_large`, or `bad_encoding` for an unknown coding or damaged data
 * @see RFC 9110 section 8.4
 */
export async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) throw new OutboundFailure('bad_encoding', true);
  let current = body;
  for (const coding of codings.toReversed()) {
    if (current.length > 0) current = await unpack(current, coding, maxBytes);
  }
  return current;
}

/**
 * Unpacks a body as it arrives. The caller counts the unpacked bytes.
 *
 * @param contentEncoding the header as received
 * @returns `undefined` for an unknown coding, and for more than one
 */
export function unpackingStream(contentEncoding: string): Transform | undefined {
  switch (contentEncoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress();
    default:
      return undefined;
  }
}

async function unpack(packed: Buffer, coding: string, maxOutputLength: number): Promise<Buffer> {
  const codec = codecFor(coding, packed);
  if (codec === undefined) throw new OutboundFailure('bad_encoding', true);
  try {
    if (packed.length <= AT_ONCE_BYTES) return codec.sync(packed, { maxOutputLength });
    return await codec.async(packed, { maxOutputLength });
  } catch (error) {
    const code = codeOf(error);
    throw new OutboundFailure(code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding', true, code);
  }
}

function codecFor(coding: string, packed: Buffer): Codec | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return GZIP;
  if (coding === 'br') return BROTLI;
  if (coding === 'zstd') return ZSTD;
  if (coding !== 'deflate') return undefined;
  // "deflate" means the zlib format; some servers send the bare one.
  return ((packed[0] ?? 0) & 0x0f) === 8 ? ZLIB : RAW_DEFLATE;
}

/** Reads the picture of `brand.logo`: a small PNG or SVG that can do nothing but be looked at. */
import { readFileSync, statSync } from 'node:fs';
import type { Logo } from '../core/environment.ts';

/** Every page shows the logo, so it has to be small. */
const MAX_BYTES = 50_000;

const PNG_START = '89504e470d0a1a0a0000000d49484452';

/** An XML declaration and comments, then the root element. */
const SVG_ROOT = /^\uFEFF?\s*(<\?xml[^>]*\?>\s*)?(<!--(?:(?!-->)[^])*-->\s*)*<svg[\s>]/;

/** Parts that run, load or embed something. A page would ignore them in an image; they have no place in a logo. */
const ACTIVE = /<script|<foreignobject|<!doctype|<!entity|<iframe|\son[a-z]+\s*=|javascript:/i;

/** @returns the logo, or what is wrong with the file, as the end of a sentence about the setting */
export function readLogo(path: string): Logo | string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return 'names a file that does not exist';
  if (found.size > MAX_BYTES) return `names a file of ${found.size} bytes: a logo has at most ${MAX_BYTES}`;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(readFileSync(path));
  } catch {
    return 'names a file that cannot be read';
  }
  if (Buffer.from(bytes.subarray(0, 16)).toString('hex') === PNG_START)
    return { mediaType: 'image/png', bytes };
  const text = textOf(bytes);
  if (text === undefined || !SVG_ROOT.test(text)) return 'must name a PNG or SVG file';
  if (!/xmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(text) || !/<\/svg>\s*$/.test(text))
    return 'names an SVG file that browsers do not show: it needs xmlns="http://www.w3.org/2000/svg" and </svg> at its end';
  if (ACTIVE.test(text))
    return 'names an SVG file with a script, an event handler, foreign content or a DOCTYPE: export it as plain SVG';
  return { mediaType: 'image/svg+xml', bytes };
}

/** `undefined` for bytes that are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Tokens that bind a form to one link and one browser: a post without the browser's cookie or from another page fails. Pure. */
import { createHmac } from 'node:crypto';
import { isSameText } from '../core/same-text.ts';

/** @param browser value of the browser's cookie */
export function csrfToken(key: Buffer, linkId: string, browser: string): string {
  return createHmac('sha256', key).update(`${linkId}.${browser}`).digest('base64url');
}

/** Compares in constant time; false if cookie or token is missing. */
export function csrfMatches(
  key: Buffer,
  linkId: string,
  browser: string | undefined,
  given: string | undefined,
): boolean {
  if (browser === undefined || given === undefined) return false;
  return isSameText(given, csrfToken(key, linkId, browser));
}

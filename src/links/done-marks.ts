/** Marks by which our final page knows what a browser has connected: a link's id, signed for that browser. Pure. */
import { csrfMatches, csrfToken } from './csrf.ts';

const MARK = /^(lnk_[0-9a-z]{1,60})\.([\w-]{43})$/;

/** `undefined` without a browser's cookie. */
export function doneMark(key: Buffer, linkId: string, browser: string | undefined): string | undefined {
  return browser === undefined ? undefined : `${linkId}.${csrfToken(key, `done.${linkId}`, browser)}`;
}

/** The link of a mark that was made for this browser. */
export function markedLink(
  key: Buffer,
  mark: string | undefined,
  browser: string | undefined,
): string | undefined {
  const [, linkId, signature] = MARK.exec(mark ?? '') ?? [];
  return linkId !== undefined && csrfMatches(key, `done.${linkId}`, browser, signature) ? linkId : undefined;
}

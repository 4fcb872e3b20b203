/** One sentence that the next page shows. It is bound to the session, so that nobody else can place text there. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { flashCookie, sessionCookie } from '../../pages/frame/own-cookie.ts';
import type { DashboardContext, Flash } from '../frame/dashboard-context.ts';
import { goTo } from '../frame/respond.ts';

/** Longest cookie value. Browsers keep cookies up to 4 kB. */
const MAX_CHARACTERS = 3_000;

/** Writes, reads and removes the cookie with the sentence. */
export class Flashes {
  readonly #key: Buffer;

  /** @param key for the signature of the cookie */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Redirects after a change. The next page shows the sentence once. */
  goTo(c: DashboardContext, path: string, text: string, link?: Flash['link']): Response {
    const flash: Flash = { text: text.slice(0, 500), ...(link !== undefined && { link }) };
    const value = Buffer.from(JSON.stringify(flash)).toString('base64url');
    flashCookie.write(c, `${value}.${this.#signature(c, value)}`);
    return goTo(c, path);
  }

  /** The sentence of the last change. Reading it removes it. */
  take(c: DashboardContext): Flash | undefined {
    const cookie = flashCookie.read(c);
    if (cookie === undefined) return undefined;
    flashCookie.forget(c);
    const [value = '', signature = ''] = cookie.slice(0, MAX_CHARACTERS).split('.');
    const expected = Buffer.from(this.#signature(c, value));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(value, 'base64url').toString()) as Flash;
  }

  #signature(c: DashboardContext, value: string): string {
    return createHmac('sha256', this.#key)
      .update(`${sessionCookie.read(c) ?? ''} ${value}`)
      .digest('base64url');
  }
}

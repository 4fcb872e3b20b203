/**
 * The cookies of the pages. They contain random values, `1`, a signed sentence, the last change, a hash of a link,
 * the name of an app, or the outcome of a visit to a provider. None of them says who somebody is.
 */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { KNOWN_BROWSER_SECONDS } from '../../people/sign-in/known-browser.ts';
import type { PageContext } from './page-response.ts';

/**
 * Scripts cannot read it and other sites cannot send it with a post. Browsers must send it after a provider's
 * redirect, so its path is the whole site and `SameSite` is not `Strict`. Over https the name's prefix keeps
 * other hosts of the same domain from setting it.
 */
class OwnCookie {
  readonly #name: string;
  readonly #lasting: { maxAge?: number };

  /** @param maxAge seconds until the browser forgets it; default: until its session ends */
  constructor(name: string, maxAge?: number) {
    this.#name = name;
    this.#lasting = maxAge === undefined ? {} : { maxAge };
  }

  /** `undefined` if the browser sends none. */
  read(c: PageContext): string | undefined {
    return isSecure(c) ? getCookie(c, this.#name, 'host') : getCookie(c, this.#name);
  }

  write(c: PageContext, value: string): void {
    const attributes = { httpOnly: true, sameSite: 'Lax', path: '/', ...this.#lasting } as const;
    if (isSecure(c)) setCookie(c, this.#name, value, { ...attributes, secure: true, prefix: 'host' });
    else setCookie(c, this.#name, value, attributes);
  }

  /** Removes it from the browser. */
  forget(c: PageContext): void {
    if (isSecure(c)) deleteCookie(c, this.#name, { path: '/', secure: true, prefix: 'host' });
    else deleteCookie(c, this.#name, { path: '/' });
  }
}

/**
 * Binds a flow to the browser that opened the link. A form or consent flow may come from a link page opened
 * elsewhere, by a preview or by somebody who prepared it for another user. It ends in another browser and is
 * refused there.
 */
export const browserCookie = new OwnCookie('gatehouse_browser');

/** The cookie of a signed-in browser: a new value for each sign-in. */
export const sessionCookie = new OwnCookie('gatehouse_session');

/**
 * The person who has signed in by a code in this browser. It may request further codes for them, even while
 * requests from elsewhere are limited.
 */
export const knownCookie = new OwnCookie('gatehouse_known', KNOWN_BROWSER_SECONDS);

/** Seconds that a visit to a provider may take, or a sign-in with codes that arrive late. */
const DETOUR_SECONDS = 3_600;

/** The link of a visit to a provider or of a sign-in, and how the visit ended (pages/connect/started-flow.ts). */
export const flowCookie = new OwnCookie('gatehouse_flow', DETOUR_SECONDS);

/** The app that the sign-in page names (pages/frame/sign-in-subject.ts). */
export const subjectCookie = new OwnCookie('gatehouse_sign_in_for', DETOUR_SECONDS);

/** Set for ten minutes after a form or consent in this browser, so that the final page can be loaded again. */
export const doneCookie = new OwnCookie('gatehouse_done', 600);

/** Set together with the one above if the entered credential could not be tried, so that the final page says so. */
export const untriedCookie = new OwnCookie('gatehouse_untried', 600);

/** A hash of the link that somebody made for themselves in this browser (pages/frame/own-link.ts). */
export const ownLinkCookie = new OwnCookie('gatehouse_own_link');

/** Holds the sentence that the dashboard shows once after a change, for a minute at most. */
export const flashCookie = new OwnCookie('gatehouse_flash', 60);

/** Set for a year in a browser whose person has hidden the first steps of the dashboard. */
export const startedCookie = new OwnCookie('gatehouse_started', 365 * 24 * 3_600);

/** The last change, for the sentence on the next page; see flash.ts. */
export const noticeCookie = new OwnCookie('gatehouse_notice', 60);

/** Follows the configured address, not the request: a reverse proxy speaks plain http to us. */
function isSecure(c: PageContext): boolean {
  return c.get('environment').baseUrl.startsWith('https:');
}

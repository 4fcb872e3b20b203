/** The cookies of the pages. They hold a random value or `1`, nothing that says anything by itself. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PageContext } from './page-response.ts';

/**
 * Scripts cannot read one and other sites cannot send it with a post. It comes along when a provider sends the browser
 * back, so its path is the whole site and `SameSite` is not `Strict`. Over https the name's prefix keeps other hosts of
 * the same domain from setting it.
 */
class OwnCookie {
  readonly #name: string;
  readonly #lasting: { maxAge?: number };

  /** @param maxAge seconds until the browser forgets it; default: when its session ends */
  constructor(name: string, maxAge?: number) {
    this.#name = name;
    this.#lasting = maxAge === undefined ? {} : { maxAge };
  }

  /** undefined when the browser sends none. */
  read(c: PageContext): string | undefined {
    return isSecure(c) ? getCookie(c, this.#name, 'host') : getCookie(c, this.#name);
  }

  write(c: PageContext, value: string): void {
    const attributes = { httpOnly: true, sameSite: 'Lax', path: '/', ...this.#lasting } as const;
    if (isSecure(c)) setCookie(c, this.#name, value, { ...attributes, secure: true, prefix: 'host' });
    else setCookie(c, this.#name, value, attributes);
  }

  /** Takes it away from the browser. */
  forget(c: PageContext): void {
    if (isSecure(c)) deleteCookie(c, this.#name, { path: '/', secure: true, prefix: 'host' });
    else deleteCookie(c, this.#name, { path: '/' });
  }
}

/**
 * Binds what follows to the browser that opened the link: a form or a way to the provider and back taken from a link
 * page elsewhere, by a preview or by somebody who set it up for another person, ends in another browser and is refused
 * there.
 */
export const browserCookie = new OwnCookie('gatehouse_browser');

/** Of a signed-in browser: a value of its own for each sign-in. */
export const sessionCookie = new OwnCookie('gatehouse_session');

/** Says for ten minutes that this browser has come through a form or consent, so that the page at the end can be loaded again. */
export const doneCookie = new OwnCookie('gatehouse_done', 600);

/** Follows the configured address, not the request: a proxy in front speaks plain http to us. */
function isSecure(c: PageContext): boolean {
  return c.get('environment').baseUrl.startsWith('https:');
}

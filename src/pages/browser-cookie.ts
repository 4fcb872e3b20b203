/**
 * The cookie that binds what follows to the browser that opened the link: a form or a way to the provider and
 * back taken from a link page elsewhere, by a preview or by somebody who set it up for another person, ends
 * in another browser and is refused there.
 */
import { getCookie, setCookie } from 'hono/cookie';
import type { PageContext } from './page-response.ts';

const NAME = 'gatehouse_browser';

/** The browser's value, or undefined for a browser seen for the first time. */
export function readBrowser(c: PageContext): string | undefined {
  return isSecure(c) ? getCookie(c, NAME, 'host') : getCookie(c, NAME);
}

/**
 * Scripts cannot read it, other sites cannot send it with a post, and it ends with the browser session.
 *
 * It comes along when a provider sends the browser back, so its path is the whole site and `SameSite` is not
 * `Strict`. Over https the name's prefix keeps other hosts of the same domain from setting it.
 */
export function rememberBrowser(c: PageContext, browser: string): void {
  const attributes = { httpOnly: true, sameSite: 'Lax', path: '/' } as const;
  if (isSecure(c)) setCookie(c, NAME, browser, { ...attributes, secure: true, prefix: 'host' });
  else setCookie(c, NAME, browser, attributes);
}

/** Follows the configured address, not the request: a proxy in front speaks plain http to us. */
function isSecure(c: PageContext): boolean {
  return c.get('environment').baseUrl.startsWith('https:');
}

/**
 * The cookie that binds a form to the browser that opened it: a form taken from a link page elsewhere, by a
 * preview or by somebody who set it up for another person, cannot be posted here.
 */
import { getCookie, setCookie } from 'hono/cookie';
import type { PageContext } from './page-response.ts';

const NAME = 'gatehouse_browser';

/** The browser's value, or undefined for a browser seen for the first time. */
export function readBrowser(c: PageContext): string | undefined {
  return isSecure(c) ? getCookie(c, NAME, 'secure') : getCookie(c, NAME);
}

/** Scripts cannot read it, other sites cannot send it with a post, and it ends with the browser session. */
export function rememberBrowser(c: PageContext, browser: string): void {
  const attributes = { httpOnly: true, sameSite: 'Lax', path: '/connect' } as const;
  if (isSecure(c)) setCookie(c, NAME, browser, { ...attributes, secure: true, prefix: 'secure' });
  else setCookie(c, NAME, browser, attributes);
}

/** Follows the configured address, not the request: a proxy in front speaks plain http to us. */
function isSecure(c: PageContext): boolean {
  return c.get('environment').baseUrl.startsWith('https:');
}

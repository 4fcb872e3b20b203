/** The cookie of a signed-in browser. It holds a value of its own for each sign-in, and ends with the browser's session. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PageContext } from './page-response.ts';

const NAME = 'gatehouse_session';

/** '' when the browser sends none. */
export function readSessionCookie(c: PageContext): string {
  return (isSecure(c) ? getCookie(c, NAME, 'host') : getCookie(c, NAME)) ?? '';
}

/**
 * Scripts cannot read it and other sites cannot send it with a post. It comes along when a provider sends the browser
 * back, so `SameSite` is not `Strict`. Over https the name's prefix keeps other hosts of the same domain from setting it.
 */
export function writeSessionCookie(c: PageContext, value: string): void {
  const attributes = { httpOnly: true, sameSite: 'Lax', path: '/' } as const;
  if (isSecure(c)) setCookie(c, NAME, value, { ...attributes, secure: true, prefix: 'host' });
  else setCookie(c, NAME, value, attributes);
}

/** Takes the cookie away from the browser; the session ends elsewhere. */
export function forgetSessionCookie(c: PageContext): void {
  if (isSecure(c)) deleteCookie(c, NAME, { path: '/', secure: true, prefix: 'host' });
  else deleteCookie(c, NAME, { path: '/' });
}

/** Follows the configured address, not the request: a proxy in front speaks plain http to us. */
function isSecure(c: PageContext): boolean {
  return c.get('environment').baseUrl.startsWith('https:');
}

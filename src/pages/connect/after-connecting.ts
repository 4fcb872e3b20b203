/** Destinations of a browser after a consent or form, and what our final page may tell it. */
import { doneCookie, untriedCookie } from '../frame/own-cookie.ts';
import { sendRedirect, type PageContext } from '../frame/page-response.ts';

/** Our final page. Everybody can open it; it reports a connected account only to browsers that came through a consent or form. */
export const DONE_PATH = '/connect/done';

/** Page on which the owner of an account confirms a connection. */
export const CONFIRM_PATH = '/connect/confirm';

/**
 * Redirects the browser after a completed form or consent: to our final page, to the app, which verifies and
 * then redirects there, or to the owner's confirmation, before which nothing is connected.
 *
 * @param end.redirectTo null if the account is connected: to our final page
 * @param end.isUntried whether the final page says that the credential could not be tried
 * @param status 303 after a form, 302 from a callback
 */
export function sendOnwards(
  c: PageContext,
  end: { redirectTo: string | null; isUntried?: boolean; done?: string | undefined },
  status: 302 | 303,
): Response {
  const { redirectTo, isUntried = false, done } = end;
  if (isUntried) untriedCookie.write(c, '1');
  else if (untriedCookie.read(c) !== undefined) untriedCookie.forget(c);
  const isUnconfirmed = redirectTo?.startsWith(`${c.get('environment').baseUrl}${CONFIRM_PATH}?`) === true;
  return isUnconfirmed
    ? sendRedirect(c, redirectTo, status)
    : sendConnected(c, { redirectTo: redirectTo ?? DONE_PATH, done }, status);
}

/**
 * Redirects the browser to our final page, or to one of the app that leads there.
 *
 * @param end.done key with which the final page asks for the account
 */
export function sendConnected(
  c: PageContext,
  { redirectTo, done = '1' }: { redirectTo: string; done?: string | undefined },
  status: 302 | 303 = 303,
): Response {
  doneCookie.write(c, done);
  return sendRedirect(c, redirectTo, status);
}

/** Where a browser goes after a consent or form, and what our page at the end of that way may say to it. */
import { doneCookie } from '../frame/own-cookie.ts';
import { sendRedirect, type PageContext } from '../frame/page-response.ts';

/** Our page at the end. Everybody can open it; that an account is connected it says only to browsers that came this way. */
export const DONE_PATH = '/connect/done';

/** Where the owner of an account confirms a connection. */
export const CONFIRM_PATH = '/connect/confirm';

/**
 * Sends the browser on from a form or consent that was taken: to our page, to the app, which verifies and sends it to
 * our page, or to the owner's confirmation, before which nothing is connected.
 *
 * @param redirectTo null: the account is connected, to our page
 * @param status 303 after a form, 302 from a callback
 */
export function sendOnwards(c: PageContext, redirectTo: string | null, status: 302 | 303): Response {
  const isUnconfirmed = redirectTo?.startsWith(`${c.get('environment').baseUrl}${CONFIRM_PATH}?`) === true;
  return isUnconfirmed
    ? sendRedirect(c, redirectTo, status)
    : sendConnected(c, redirectTo ?? DONE_PATH, status);
}

/** Sends the browser to our page at the end, or to one of the app that leads there. */
export function sendConnected(c: PageContext, target: string, status: 302 | 303 = 303): Response {
  doneCookie.write(c, '1');
  return sendRedirect(c, target, status);
}

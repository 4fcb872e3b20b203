/**
 * The link that somebody made for themselves in this browser, so that its page does not warn of another requester.
 * It decides only that text: a person who sends a link to others cannot set the cookie in their browsers.
 */
import { createHash } from 'node:crypto';
import { ownLinkCookie } from './own-cookie.ts';
import { sendRedirect, type PageContext } from './page-response.ts';

/**
 * Redirects to the page of a link on the host that the browser uses, because the policy of the form before it
 * allows no other.
 */
export function sendToOwnLink(c: PageContext, link: string): Response {
  const { pathname } = new URL(link);
  ownLinkCookie.write(c, markOf(pathname.slice(pathname.lastIndexOf('/') + 1)));
  return sendRedirect(c, pathname);
}

/** Whether this browser came to the link from the person's own accounts. */
export function isOwnLink(c: PageContext, token: string): boolean {
  return ownLinkCookie.read(c) === markOf(token);
}

/** A hash of the token, because the token itself is a secret. */
function markOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 22);
}

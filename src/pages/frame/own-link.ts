/**
 * The link that somebody made for themselves in this browser, so that its page does not speak of somebody who asks.
 * Trusted for nothing but those words: whoever sends a link to others cannot set the cookie in their browsers.
 */
import { createHash } from 'node:crypto';
import { ownLinkCookie } from './own-cookie.ts';
import { sendRedirect, type PageContext } from './page-response.ts';

/** Leads to the page of a link on the host that the browser uses: the form before it may lead to no other. */
export function sendToOwnLink(c: PageContext, link: string): Response {
  const { pathname } = new URL(link);
  ownLinkCookie.write(c, markOf(pathname.slice(pathname.lastIndexOf('/') + 1)));
  return sendRedirect(c, pathname);
}

/** Whether this browser came to the link from the person's own accounts. */
export function isOwnLink(c: PageContext, token: string): boolean {
  return ownLinkCookie.read(c) === markOf(token);
}

/** The token itself is a secret. */
function markOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 22);
}

/** Checks where a browser may continue after sign-in: only at our own pages for users. Pure. */

/** Prefixes of those paths. */
const PLACES = [
  // Its pages, with the filters of a list.
  /^\/dashboard(\/[\w~-][\w.~-]*)*(\?[\w.~%&=+:@,-]{0,2000})?$/,
  /^\/organizations$/,
  /^\/members$/,
  /^\/accounts$/,
  /^\/accounts\/connect$/,
  /^\/sessions$/,
  /^\/sign-up$/,
  /^\/invitations\/[A-Za-z0-9_-]{1,200}$/,
  /^\/oauth\/interaction\/[A-Za-z0-9_-]{1,200}$/,
  /^\/connect\/again\?flow=[\w-]{22}$/,
  /^\/connect\/confirm\?auth_request_id=[A-Za-z0-9_-]{1,200}$/,
];

/** Page for users who only wanted to sign in. */
export const HOME = '/dashboard';

/** The path if it is one of ours, otherwise the dashboard: no address from a request leads to another site. */
export function safeNext(given: string | undefined): string {
  return given !== undefined && PLACES.some((place) => place.test(given)) ? given : HOME;
}

/** The sign-in page that leads on to `next`. */
export function signInPath(next: string): string {
  return next === HOME ? '/sign-in' : `/sign-in?${new URLSearchParams({ next }).toString()}`;
}

/** The same for somebody who is signed in and has to prove once more who they are. */
export function signInAgainPath(next: string): string {
  return `/sign-in?${new URLSearchParams({ next, again: '1' }).toString()}`;
}

/** What a sign-in is for, as far as its page can say. */
export type SignInPurpose = 'confirm' | 'connect' | 'consent' | 'again' | 'proof' | 'other';

/** @param isAgain whether somebody who is signed in has to prove it once more */
export function purposeOf(next: string, isAgain: boolean): SignInPurpose {
  if (next.startsWith('/oauth/')) return isAgain ? 'again' : 'consent';
  // Somebody else may be signed in, whose link it is not.
  if (next.startsWith('/connect/again')) return 'connect';
  if (isAgain) return 'proof';
  return next.startsWith('/connect/confirm') ? 'confirm' : 'other';
}

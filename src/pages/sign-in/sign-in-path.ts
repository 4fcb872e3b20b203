/** Checks where a browser may continue after sign-in: only at our own pages for users. Pure. */

/** Prefixes of allowed paths. */
const PLACES = [
  // Pages of the dashboard, with the filters of a list.
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

/** Path of the sign-in page, which then continues to `next`. */
export function signInPath(next: string): string {
  return next === HOME ? '/sign-in' : `/sign-in?${new URLSearchParams({ next }).toString()}`;
}

/** Path of the sign-in page for a signed-in person who has to prove their identity again. */
export function signInAgainPath(next: string): string {
  return `/sign-in?${new URLSearchParams({ next, again: '1' }).toString()}`;
}

/** Purpose of a sign-in, as far as its page can name it. */
export type SignInPurpose = 'confirm' | 'connect' | 'consent' | 'again' | 'proof' | 'other';

/** @param isAgain whether a signed-in person has to prove their identity again */
export function purposeOf(next: string, isAgain: boolean): SignInPurpose {
  if (next.startsWith('/oauth/')) return isAgain ? 'again' : 'consent';
  // The link may belong to somebody other than the person who is signed in.
  if (next.startsWith('/connect/again')) return 'connect';
  if (isAgain) return 'proof';
  return next.startsWith('/connect/confirm') ? 'confirm' : 'other';
}

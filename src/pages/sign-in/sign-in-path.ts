/** Where a browser may be sent after it has signed in: paths of ours that people go to, and nothing else. Pure. */

/** Beginnings of those paths. */
const PLACES = [
  /^\/dashboard$/,
  /^\/organizations$/,
  /^\/sessions$/,
  /^\/sign-up$/,
  /^\/invitations\/[A-Za-z0-9_-]{1,200}$/,
  /^\/oauth\/interaction\/[A-Za-z0-9_-]{1,200}$/,
  /^\/connect\/confirm\?auth_request_id=[A-Za-z0-9_-]{1,200}$/,
];

/** Where people go who only wanted to sign in. */
export const HOME = '/dashboard';

/** The path as given when it is one of ours, else the dashboard: an address from a request never leads elsewhere. */
export function safeNext(given: string | undefined): string {
  return given !== undefined && PLACES.some((place) => place.test(given)) ? given : HOME;
}

/** The sign-in page that leads on to `next`. */
export function signInPath(next: string): string {
  return next === HOME ? '/sign-in' : `/sign-in?${new URLSearchParams({ next }).toString()}`;
}

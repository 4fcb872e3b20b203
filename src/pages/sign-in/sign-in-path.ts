/** Checks where a browser may continue after sign-in: only at our own pages for users. Pure. */

/** Prefixes of those paths. */
const PLACES = [
  /^\/dashboard$/,
  /^\/organizations$/,
  /^\/members$/,
  /^\/sessions$/,
  /^\/sign-up$/,
  /^\/invitations\/[A-Za-z0-9_-]{1,200}$/,
  /^\/oauth\/interaction\/[A-Za-z0-9_-]{1,200}$/,
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

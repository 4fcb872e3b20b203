/** Dangerous changes and secrets need a proof of identity that is not older than ten minutes. */
import type { DashboardContext } from '../frame/dashboard-context.ts';
import { goTo } from '../frame/respond.ts';

/**
 * The answer that makes the person sign in again and then come back; `undefined` if their sign-in is fresh.
 *
 * Call it in the GET of a page with a dangerous form, and again in its POST.
 *
 * @param back path of the page with the form
 */
export function signInAgain(c: DashboardContext, back: string): Response | undefined {
  if (c.get('viewer').isFresh) return undefined;
  return goTo(c, `/sign-in?${new URLSearchParams({ again: '1', next: back }).toString()}`);
}

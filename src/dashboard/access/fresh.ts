/** Dangerous changes and secrets need a proof of identity that is not older than ten minutes. */
import type { MiddlewareHandler } from 'hono';
import type { DashboardContext, DashboardEnv } from '../frame/dashboard-context.ts';
import { goTo } from '../frame/respond.ts';

/** The person has to sign in again first. The dashboard sends them to the sign-in page, and from there back. */
export class StaleSignInFailure extends Error {
  override readonly name = 'StaleSignInFailure';
  readonly #back: string;

  constructor(back: string) {
    super('this needs a fresh sign-in');
    this.#back = back;
  }

  /** The answer that leads to the sign-in page. */
  answer(c: DashboardContext): Response {
    return goTo(c, `/sign-in?${new URLSearchParams({ again: '1', next: this.#back }).toString()}`);
  }
}

/**
 * Asks for a fresh sign-in, in the GET of a page with a dangerous form and again in its POST.
 *
 * @param back path of the page with the form
 * @throws StaleSignInFailure for a person whose sign-in is not fresh
 */
export function requireFresh(c: DashboardContext, back: string = new URL(c.req.url).pathname): void {
  if (!c.get('viewer').isFresh) throw new StaleSignInFailure(back);
}

/** Asks for a fresh sign-in before the handlers of a path. */
export const fresh: MiddlewareHandler<DashboardEnv> = async (c, next) => {
  requireFresh(c);
  await next();
};

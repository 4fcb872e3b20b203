/** `POST /sign-out`: ends the session of the browser. */
import { Hono } from 'hono';
import { sessionCookie } from '../frame/own-cookie.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { sendPage, sendRedirect, viewOf, type PageVariables } from '../frame/page-response.ts';
import { signedOutPage } from './sign-in-pages.ts';
import { HOME, safeNext } from './sign-in-path.ts';
import { signingIn } from './sign-in-session.ts';

/** Routes throw PageFailure and ServiceError; the caller has the error page. */
export function signOutRoutes({
  forms,
  people,
}: Pick<PeopleDependencies, 'forms' | 'people'>): Hono<{ Variables: PageVariables }> {
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.post('/sign-out', async (c) => {
    const { fields } = await forms.read(c);
    await people.signOut(signingIn(c));
    sessionCookie.forget(c);
    return sendPage(c, signedOutPage(viewOf(c), safeNext(fields.next)));
  });

  // The user typed the address, or went back to it.
  routes.get('/sign-out', (c) => sendRedirect(c, HOME));
  return routes;
}

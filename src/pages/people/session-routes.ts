/** `/sessions`: everything that the person is signed in to, and the end of it. */
import { Hono } from 'hono';
import type { PeopleDependencies } from '../sign-in/people-dependencies.ts';
import { sendPage, sendRedirect, type PageVariables } from '../frame/page-response.ts';
import { ALL_OTHERS, sessionsPage } from './session-pages.ts';

/** Throws FormProblem and ServiceError to the caller's error page. */
export function sessionRoutes(deps: PeopleDependencies): Hono<{ Variables: PageVariables }> {
  const { forms, ownSessions, signIn } = deps;
  const routes = new Hono<{ Variables: PageVariables }>();

  routes.get('/sessions', async (c) => {
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const others = await ownSessions.others(person.session);
    const page = sessionsPage({ csrf: forms.open(c).csrf, person, ...others });
    return sendPage(c, page, { form: { leadsTo: [] } });
  });

  routes.post('/sessions', async (c) => {
    const { fields } = await forms.read(c);
    const person = await signIn.requireSignedIn(c, '/sessions');
    if (person instanceof Response) return person;
    const { ip } = c.get('visitor');
    const id = fields.session_id ?? '';
    if (id === ALL_OTHERS) await ownSessions.endOthers(person.session, ip);
    else await ownSessions.end(person.session, id, ip);
    return sendRedirect(c, '/sessions');
  });
  return routes;
}

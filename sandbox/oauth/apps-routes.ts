/** `/apps`: the current grants at all providers of the sandbox, for people to view and revoke. */
import { Hono } from 'hono';
import { appsPage } from './consent-page.ts';
import type { Grant } from './grants.ts';
import type { OAuthProvider } from './provider.ts';
import { OAuthRefusal } from './refusal.ts';
import { readForm, sendPage } from './routes.ts';

/** One page for all of them. */
export function appsRoutes(providers: readonly OAuthProvider[]): Hono {
  const routes = new Hono();
  routes.onError((error, c) => {
    if (!(error instanceof OAuthRefusal)) throw error;
    return c.json({ error: error.error, error_description: error.message }, error.status);
  });
  routes.use('/apps', async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
  });
  routes.get('/apps', (c) => {
    const shown = providers.flatMap(({ app, grants, members, description }) =>
      grants.live().map(({ number, memberId, grantedAt }) => ({
        provider: description.name,
        thing: description.thing,
        number,
        grantedAt,
        appName: app.name,
        memberName: members.find(({ id }) => id === memberId)?.name ?? memberId,
      })),
    );
    const newestFirst = shown.toReversed().toSorted((one, other) => other.grantedAt - one.grantedAt);
    return sendPage(c, appsPage(newestFirst), 200);
  });
  routes.post('/apps', async (c) => {
    const form = await readForm(c);
    const grants = providers.find(({ description }) => description.name === form.get('provider'))?.grants;
    const isMeant = (grant: Grant): boolean => String(grant.number) === form.get('number');
    if (form.get('action') === 'remove') grants?.revokeGrants(isMeant);
    if (form.get('action') === 'expire') grants?.expireAccessTokens(grants.live().filter(isMeant));
    return c.redirect('/apps', 303);
  });
  return routes;
}

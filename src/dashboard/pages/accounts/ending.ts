/** Disconnecting and deleting an account, each after a page that says what will be removed. */
import { Hono } from 'hono';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { confirmPage } from '../../components/confirm.ts';
import type { DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { accounts as words } from '../../words/accounts.ts';
import { PATH } from './account-cells.ts';

/** The confirmation pages and their actions. */
export function endingRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { accounts, disconnection, flashes, posted } = deps;
  return new Hono<DashboardEnv>()
    .get(`${PATH}/:id/disconnect`, async (c) => {
      const id = c.req.param('id');
      const { identifier } = await accounts.describe(c.get('viewer').caller, { id });
      const { title, ...asked } = words.disconnect;
      const page = confirmPage(c, {
        ...asked,
        title: title(identifier),
        crumbs: [{ label: identifier, href: `${PATH}/${id}` }],
        action: `${PATH}/${id}/disconnect`,
        cancel: `${PATH}/${id}`,
      });
      return showPage(c, page);
    })
    .post(`${PATH}/:id/disconnect`, async (c) => {
      const id = c.req.param('id');
      await posted.read(c);
      const { identifier } = await disconnection.disconnect(c.get('viewer').caller, id);
      return flashes.goTo(c, `${PATH}/${id}`, words.disconnect.done(identifier));
    })
    .route(
      '/',
      deletionRoutes(deps, {
        list: PATH,
        words: words.remove,
        nameOf: async (c, id) => (await accounts.describe(c.get('viewer').caller, { id })).identifier,
        remove: async (c, id) => disconnection.remove(c.get('viewer').caller, { id }),
      }),
    );
}

/** Disconnecting and deleting an account, each after a page that says what will be removed. */
import { Hono } from 'hono';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { signInAgain } from '../../access/fresh.ts';
import { confirmPage, wrongName } from '../../components/confirm.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { accounts as words } from '../../words/accounts.ts';
import { PATH } from './account-cells.ts';

/** The confirmation pages and their actions. */
export function endingRoutes({
  accounts,
  disconnection,
  flashes,
  posted,
}: DashboardDependencies): Hono<DashboardEnv> {
  const confirmDelete = async (
    c: DashboardContext,
    id: string,
    wrong: readonly FieldViolation[] = [],
  ): Promise<Response> => {
    const { identifier } = await accounts.describe(c.get('viewer').caller, { id });
    const { title, ...asked } = words.remove;
    const page = confirmPage(
      c,
      {
        ...asked,
        title: title(identifier),
        crumbs: [{ label: identifier, href: `${PATH}/${id}` }],
        name: identifier,
        action: `${PATH}/${id}/delete`,
        cancel: `${PATH}/${id}`,
      },
      wrong,
    );
    return showPage(c, page);
  };
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
    .get(`${PATH}/:id/delete`, async (c) => {
      const id = c.req.param('id');
      return signInAgain(c, `${PATH}/${id}/delete`) ?? confirmDelete(c, id);
    })
    .post(`${PATH}/:id/delete`, async (c) => {
      const id = c.req.param('id');
      const again = signInAgain(c, `${PATH}/${id}/delete`);
      if (again !== undefined) return again;
      const { values } = await posted.read(c);
      const { identifier } = await accounts.describe(c.get('viewer').caller, { id });
      const wrong = wrongName(values, identifier);
      if (wrong.length > 0) return confirmDelete(c, id, wrong);
      await disconnection.remove(c.get('viewer').caller, { id });
      return flashes.goTo(c, PATH, words.remove.done(identifier));
    });
}

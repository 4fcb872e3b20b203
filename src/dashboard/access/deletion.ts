/** Deletes a thing after a page that says what goes, for a fresh sign-in and its typed name. */
import { Hono } from 'hono';
import type { FieldViolation } from '../../core/errors.ts';
import { confirmPage, wrongName } from '../components/confirm.ts';
import type { DashboardContext, DashboardEnv } from '../frame/dashboard-context.ts';
import { showPage } from '../frame/respond.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { fresh } from './fresh.ts';

/** A kind of thing that can be deleted. */
interface Deletion {
  /** Path of the list. A thing is below it by its id. */
  list: string;
  words: {
    title: (name: string) => string;
    goes: readonly string[];
    stays: readonly string[];
    button: string;
    done: (name: string) => string;
  };
  /** The name of one. @throws ServiceError RESOURCE_NOT_FOUND */
  nameOf: (c: DashboardContext, id: string) => Promise<string>;
  remove: (c: DashboardContext, id: string) => Promise<unknown>;
}

/** The page that asks, and the deletion that it leads to: `{list}/{id}/delete`. */
export function deletionRoutes(
  { posted, flashes }: Pick<DashboardDependencies, 'posted' | 'flashes'>,
  { list, words, nameOf, remove }: Deletion,
): Hono<DashboardEnv> {
  const ask = (c: DashboardContext, id: string, name: string, wrong?: readonly FieldViolation[]) => {
    const { title, goes, stays, button } = words;
    const path = `${list}/${encodeURIComponent(id)}`;
    const crumbs = [{ label: name, href: path }];
    const asked = { title: title(name), goes, stays, button, crumbs, name, cancel: path };
    return showPage(c, confirmPage(c, { ...asked, action: `${path}/delete` }, wrong));
  };
  const at = `${list}/:id/delete` as const;
  return new Hono<DashboardEnv>()
    .use(at, fresh)
    .get(at, async (c) => ask(c, c.req.param('id'), await nameOf(c, c.req.param('id'))))
    .post(at, async (c) => {
      const id = c.req.param('id');
      const { values } = await posted.read(c);
      const name = await nameOf(c, id);
      const wrong = wrongName(values, name);
      if (wrong.length > 0) return ask(c, id, name, wrong);
      await remove(c, id);
      return flashes.goTo(c, list, words.done(name));
    });
}

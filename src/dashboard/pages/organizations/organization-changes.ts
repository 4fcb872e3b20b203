/** Renaming and deleting an organization; operators only. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { signInAgain } from '../../access/fresh.ts';
import { requireOperator } from '../../access/viewer.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card } from '../../components/card.ts';
import { confirmPage, wrongName } from '../../components/confirm.ts';
import { buttons, field, form, problems } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { organizations as words } from '../../words/organizations.ts';
import { ORGANIZATIONS } from './paths.ts';

const AT = `${ORGANIZATIONS}/:id` as const;

const LABELS = { name: words.form.name };

/** Routes of both changes, each with its page. */
export function organizationChangeRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { organizations, posted, flashes } = deps;
  const confirmDelete = async (
    c: DashboardContext,
    id: string,
    wrong: readonly FieldViolation[] = [],
  ): Promise<Response> => {
    const { name } = await organizations.get(c.get('viewer').caller, id);
    const { title, goes, stays, button } = words.remove;
    const path = `${ORGANIZATIONS}/${id}`;
    const crumbs = [{ label: name, href: path }];
    const asked = { title: title(name), goes, stays, button, crumbs, name, cancel: path };
    return showPage(c, confirmPage(c, { ...asked, action: `${path}/delete` }, wrong));
  };
  return new Hono<DashboardEnv>()
    .get(`${AT}/rename`, async (c) => {
      const id = c.req.param('id');
      requireOperator(c.get('viewer'));
      const { name } = await organizations.get(c.get('viewer').caller, id);
      return showRename(c, { id, name, typed: name });
    })
    .post(`${AT}/rename`, async (c) => {
      const id = c.req.param('id');
      requireOperator(c.get('viewer'));
      const { caller } = c.get('viewer');
      const read = await posted.read(c);
      const { name } = await organizations.get(caller, id);
      const { problems: wrong } = await attempt(() =>
        organizations.update(caller, id, { name: read.text('name') }),
      );
      if (wrong !== undefined) return showRename(c, { id, name, typed: read.text('name') }, wrong);
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.form.renamed);
    })
    .get(`${AT}/delete`, async (c) => {
      const id = c.req.param('id');
      requireOperator(c.get('viewer'));
      return signInAgain(c, `${ORGANIZATIONS}/${id}/delete`) ?? confirmDelete(c, id);
    })
    .post(`${AT}/delete`, async (c) => {
      const id = c.req.param('id');
      requireOperator(c.get('viewer'));
      const again = signInAgain(c, `${ORGANIZATIONS}/${id}/delete`);
      if (again !== undefined) return again;
      const { values } = await posted.read(c);
      const { caller } = c.get('viewer');
      const { name } = await organizations.get(caller, id);
      const wrong = wrongName(values, name);
      if (wrong.length > 0) return confirmDelete(c, id, wrong);
      await organizations.remove(caller, id);
      return flashes.goTo(c, ORGANIZATIONS, words.remove.done(name));
    });
}

function showRename(
  c: DashboardContext,
  { id, name, typed }: { id: string; name: string; typed: string },
  wrong: readonly FieldViolation[] = [],
): Response | Promise<Response> {
  const path = `${ORGANIZATIONS}/${id}`;
  const { renameTitle, rename, cancel } = words.form;
  return showPage(c, {
    title: renameTitle(name),
    crumbs: [{ label: name, href: path }],
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'rename',
      kind: 'narrow',
      title: rename,
      content: form(
        c,
        `${path}/rename`,
        html`${field({ name: 'name', label: LABELS.name, value: typed }, wrong)}
        ${buttons(rename, { cancel: { href: path, label: cancel } })}`,
      ),
    })}`,
  });
}

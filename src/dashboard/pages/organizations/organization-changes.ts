/** Renaming and deleting an organization; operators only. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { requireOperator } from '../../access/viewer.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card } from '../../components/card.ts';
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
  return new Hono<DashboardEnv>()
    .use(`${AT}/:verb{rename|delete}`, async (c, next) => {
      requireOperator(c.get('viewer'));
      await next();
    })
    .get(`${AT}/rename`, async (c) => {
      const id = c.req.param('id');
      const { name } = await organizations.get(c.get('viewer').caller, id);
      return showRename(c, { id, name, typed: name });
    })
    .post(`${AT}/rename`, async (c) => {
      const id = c.req.param('id');
      const { caller } = c.get('viewer');
      const read = await posted.read(c);
      const { name } = await organizations.get(caller, id);
      const { problems: wrong } = await attempt(() =>
        organizations.update(caller, id, { name: read.text('name') }),
      );
      if (wrong !== undefined) return showRename(c, { id, name, typed: read.text('name') }, wrong);
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.form.renamed);
    })
    .route(
      '/',
      deletionRoutes(deps, {
        list: ORGANIZATIONS,
        words: words.remove,
        nameOf: async (c, id) => (await organizations.get(c.get('viewer').caller, id)).name,
        remove: async (c, id) => organizations.remove(c.get('viewer').caller, id),
      }),
    );
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

/** Changes of members: their role, and their removal. */
import { Hono } from 'hono';
import type { MemberKey } from '../../../people/members.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh, requireFresh } from '../../access/fresh.ts';
import { personName } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { confirmPage } from '../../components/confirm.ts';
import type { DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { organizations as words } from '../../words/organizations.ts';
import { showOrganization } from './organization-page.ts';
import { ORGANIZATIONS } from './paths.ts';

/** The small forms in the row of each member. */
export function memberRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { members, posted, flashes, organizations } = deps;
  const at = `${ORGANIZATIONS}/:id/members/:user` as const;
  return new Hono<DashboardEnv>()
    .post(`${at}/role`, async (c) => {
      requireFresh(c, `${ORGANIZATIONS}/${c.req.param('id')}`);
      const read = await posted.read(c);
      const key = keyOf(c.req.param());
      const { done, problems: wrong } = await attempt(() =>
        members.setRole(c.get('viewer').caller, key, read.text('role')),
      );
      if (wrong !== undefined) return showOrganization(deps, c, key.organizationId, wrong);
      const said = words.members.saved(personName(done).name, words.roles[done.role]);
      return flashes.goTo(c, `${ORGANIZATIONS}/${key.organizationId}`, said);
    })
    .use(`${at}/remove`, fresh)
    .get(`${at}/remove`, async (c) => {
      const { caller } = c.get('viewer');
      const key = keyOf(c.req.param());
      const action = removalOf(key);
      const [organization, member] = await Promise.all([
        organizations.get(caller, key.organizationId),
        members.get(caller, key),
      ]);
      const path = `${ORGANIZATIONS}/${key.organizationId}`;
      const question = {
        title: words.members.removeTitle(personName(member).name),
        crumbs: [{ label: organization.name, href: path }],
        goes: words.members.removeGoes,
        stays: words.members.removeStays,
        button: words.members.remove,
        action,
        cancel: path,
      };
      return showPage(c, confirmPage(c, question));
    })
    .post(`${at}/remove`, async (c) => {
      const key = keyOf(c.req.param());
      await posted.read(c);
      const { caller } = c.get('viewer');
      const { name } = personName(await members.get(caller, key));
      const { problems: wrong } = await attempt(() => members.remove(caller, key));
      if (wrong !== undefined) return showOrganization(deps, c, key.organizationId, wrong);
      return flashes.goTo(c, `${ORGANIZATIONS}/${key.organizationId}`, words.members.removed(name));
    });
}

/** Path of the page that asks before a member is removed. */
function removalOf({ organizationId, userId }: MemberKey): string {
  return `${ORGANIZATIONS}/${organizationId}/members/${userId}/remove`;
}

function keyOf({ id, user }: { id: string; user: string }): MemberKey {
  return { organizationId: id, userId: user };
}

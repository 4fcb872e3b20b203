/** The members of an organization with their roles, which owners and operators change here. */
import { html } from 'hono/html';
import type { MemberView } from '../../../people/members.ts';
import { ROLES } from '../../../people/people-rules.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { personName } from '../../access/names.ts';
import { monogram } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { form } from '../../components/form.ts';
import { time, isolated } from '../../components/format.ts';
import { nameCell, paging, table, type Column } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { organizations as words } from '../../words/organizations.ts';
import { ORGANIZATIONS } from './paths.ts';

/** The card with one page of members. */
export async function membersCard(
  { members }: Pick<DashboardDependencies, 'members'>,
  c: DashboardContext,
  organizationId: string,
): Promise<Html> {
  const query = new URL(c.req.url).searchParams;
  const { caller } = c.get('viewer');
  const pageToken = query.get('page_token') ?? undefined;
  const { members: listed, ...links } = await members.list(caller, organizationId, { pageToken });
  const { title, none } = words.members;
  const path = `${ORGANIZATIONS}/${organizationId}`;
  return card({
    id: 'members',
    title,
    content: listed.length === 0 ? empty(none) : table(title, columns(c, path), listed),
    foot: paging(path, query, links),
  });
}

function columns(c: DashboardContext, path: string): Column<MemberView>[] {
  const { isOperator, organization } = c.get('viewer');
  const mayChangeRoles = isOperator || organization?.role === 'owner';
  const { person, role: roleLabel, since } = words.members.columns;
  return [
    {
      label: person,
      cell: (member) => {
        const { name, detail } = personName(member);
        return nameCell({
          drawing: monogram(name),
          ...(isOperator && { href: `/dashboard/users/${member.user_id}` }),
          name: isolated(name),
          detail: isolated(detail),
        });
      },
    },
    {
      label: roleLabel,
      cell: (member) =>
        html`<div class="role-acts">
          ${mayChangeRoles ? roleForm(c, path, member) : words.roles[member.role]}
          ${
            mayChangeRoles || member.role !== 'owner'
              ? linkButton(`${path}/members/${member.user_id}/remove`, words.members.remove, 'small danger')
              : ''
          }
        </div>`,
    },
    { label: since, cell: ({ created_at }) => time(created_at), leftOutOn: 'tablet' },
  ];
}

function roleForm(c: DashboardContext, path: string, member: MemberView): Html {
  return form(
    c,
    `${path}/members/${member.user_id}/role`,
    html`<select name="role" aria-label="${words.members.roleOf(member.email)}">
        ${ROLES.map(
          (role) =>
            html`<option value="${role}" ${role === member.role ? 'selected' : ''}>
              ${words.roles[role]}
            </option>`,
        )}
      </select>
      <button class="btn small" type="submit">${words.members.save}</button>`,
    'inline role-form',
  );
}

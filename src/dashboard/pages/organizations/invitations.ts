/** Inviting somebody to an organization, and withdrawing an invitation. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import { ROLES } from '../../../people/people-rules.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh, requireFresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { card, facts, linkButton } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { buttons, field, form, problems, type Typed } from '../../components/form.ts';
import { time } from '../../components/format.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { organizations as words } from '../../words/organizations.ts';
import { invitationsCard } from './invitations-card.ts';
import { ORGANIZATIONS } from './paths.ts';

const LABELS = { email: words.invitations.email, role: words.invitations.role };

/** The list of all invitations, the form, and the buttons in each row. */
export function invitationRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { invitations, organizations, posted, flashes } = deps;
  const at = `${ORGANIZATIONS}/:id/invitations` as const;
  return new Hono<DashboardEnv>()
    .get(at, async (c) => {
      const id = c.req.param('id');
      const { name } = await organizations.get(c.get('viewer').caller, id);
      return showPage(c, {
        title: words.invitations.title,
        crumbs: [{ label: name, href: `${ORGANIZATIONS}/${id}` }],
        actions: linkButton(`${ORGANIZATIONS}/${id}/invitations/new`, words.invitations.invite, 'primary'),
        content: await invitationsCard(deps, c, { organizationId: id, isWhole: true }),
      });
    })
    .use(`${at}/new`, fresh)
    .get(`${at}/new`, (c) => showForm(deps, c, c.req.param('id'), {}))
    .post(`${at}/new`, async (c) => {
      const id = c.req.param('id');
      const read = await posted.read(c);
      const input = { email: read.text('email'), role: read.text('role') };
      const { done, problems: wrong } = await attempt(() =>
        invitations.create(c.get('viewer').caller, id, input, c.get('visitor')),
      );
      if (wrong !== undefined) return showForm(deps, c, id, read.values, besideField(wrong, 'email'));
      const { email, link, expiry } = done;
      if (link !== undefined) return showLink(c, { id, email, link, expiry });
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.invitations.invited(email));
    })
    .post(`${at}/:invitation/revoke`, async (c) => {
      const id = c.req.param('id');
      requireFresh(c, `${ORGANIZATIONS}/${id}`);
      await posted.read(c);
      await invitations.revoke(c.get('viewer').caller, id, c.req.param('invitation'));
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.invitations.revoked);
    });
}

async function showForm(
  { environments, organizations }: DashboardDependencies,
  c: DashboardContext,
  id: string,
  typed: Typed,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const { caller, isOperator, organization } = c.get('viewer');
  const { name } = await organizations.get(caller, id);
  const path = `${ORGANIZATIONS}/${id}`;
  const roles = isOperator || organization?.role === 'owner' ? ROLES : (['member'] as const);
  const { inviteTitle, inviteLead, inviteLeadClosed, card: heading, invite, cancel } = words.invitations;
  return showPage(c, {
    title: inviteTitle,
    lead: environments.get(caller.environmentId).signUp === 'closed' ? inviteLeadClosed : inviteLead,
    crumbs: [{ label: name, href: path }],
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'invite',
      kind: 'narrow',
      title: heading,
      content: form(
        c,
        `${path}/invitations/new`,
        html`${field(
          {
            name: 'email',
            label: LABELS.email,
            input: { kind: 'email', maxLength: 254 },
            value: typed['email'] ?? '',
          },
          wrong,
        )}
        ${field(
          {
            name: 'role',
            label: LABELS.role,
            input: {
              kind: 'select',
              choices: roles.map((role) => ({ value: role, label: words.roles[role] })),
            },
            value: typed['role'] ?? 'member',
          },
          wrong,
        )}
        ${buttons(invite, { cancel: { href: path, label: cancel } })}`,
      ),
    })}`,
  });
}

/**
 * The link of an invitation that was not mailed. It is the answer to the POST, so its address shows nothing later.
 */
function showLink(
  c: DashboardContext,
  made: { id: string; email: string; link: string; expiry: string },
): Response | Promise<Response> {
  const { linkTitle, linkLead, link, until, once, back } = words.invitations;
  return showPage(c, {
    title: linkTitle(made.email),
    lead: linkLead,
    content: card({
      id: 'link',
      kind: 'narrow',
      title: link,
      content: html`<div class="body">${copyable(made.link, link)}</div>
        ${facts([{ label: until, value: time(made.expiry), hint: once }])}
        <div class="buttons">${linkButton(`${ORGANIZATIONS}/${made.id}`, back)}</div>`,
    }),
  });
}

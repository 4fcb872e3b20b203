/** Forms for a new person and for a change of one. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import { ROLES } from '../../../people/people-rules.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh } from '../../access/fresh.ts';
import { personName } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { card } from '../../components/card.ts';
import { buttons, field, form, problems, type Typed } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { users as words } from '../../words/users.ts';
import { USERS } from './user-page.ts';

/** Most organizations in the list. If there are more, add the person on the organization's page. */
const MOST_CHOICES = 100;

const LABELS = {
  email: words.form.email,
  given_name: words.form.givenName,
  family_name: words.form.familyName,
  organization_id: words.form.organization,
  role: words.form.role,
};

/** Routes of both forms. */
export function userFormRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { users, posted, flashes } = deps;
  // A change needs a fresh sign-in too, because codes sent to a new address sign in as this person.
  return new Hono<DashboardEnv>()
    .use(`${USERS}/new`, fresh)
    .get(`${USERS}/new`, (c) => showNew(deps, c, {}))
    .post(`${USERS}/new`, async (c) => {
      const read = await posted.read(c);
      const organization = read.text('organization_id');
      const { done, problems: wrong } = await attempt(() =>
        users.create(c.get('viewer').caller, {
          ...namedIn(read),
          ...(organization !== '' && { organization_id: organization, role: read.text('role') }),
        }),
      );
      if (wrong !== undefined) return showNew(deps, c, read.values, besideField(wrong, 'email'));
      return flashes.goTo(c, `${USERS}/${done.id}`, words.form.created(done.email));
    })
    .use(`${USERS}/:id/edit`, fresh)
    .get(`${USERS}/:id/edit`, async (c) => {
      const user = await users.get(c.get('viewer').caller, c.req.param('id'));
      const { email, given_name, family_name } = user;
      return showEdit(c, user, { email, given_name, family_name });
    })
    .post(`${USERS}/:id/edit`, async (c) => {
      const { caller } = c.get('viewer');
      const id = c.req.param('id');
      const read = await posted.read(c);
      const user = await users.get(caller, id);
      const { problems: wrong } = await attempt(() => users.update(caller, id, namedIn(read)));
      if (wrong !== undefined) return showEdit(c, user, read.values, besideField(wrong, 'email'));
      return flashes.goTo(c, `${USERS}/${id}`, words.form.saved);
    });
}

function namedIn(read: { text(name: string): string }) {
  return {
    email: read.text('email'),
    given_name: read.text('given_name'),
    family_name: read.text('family_name'),
  };
}

async function showNew(
  { organizations }: DashboardDependencies,
  c: DashboardContext,
  typed: Typed,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const page = await organizations.list(c.get('viewer').caller, {}, { pageSize: MOST_CHOICES });
  const choices = [
    { value: '', label: words.form.noOrganization },
    ...page.organizations.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const { newTitle, newLead, card: heading, create, cancel, organizationHint } = words.form;
  return showPage(c, {
    title: newTitle,
    lead: newLead,
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'person',
      kind: 'narrow',
      title: heading,
      content: form(
        c,
        `${USERS}/new`,
        html`${personFields(typed, wrong)}
        ${field(
          {
            name: 'organization_id',
            label: LABELS.organization_id,
            hint: organizationHint,
            isOptional: true,
            input: { kind: 'select', choices },
            value: typed['organization_id'] ?? '',
          },
          wrong,
        )}
        ${field(
          {
            name: 'role',
            label: LABELS.role,
            isOptional: true,
            input: {
              kind: 'select',
              choices: ROLES.map((role) => ({ value: role, label: words.roles[role] })),
            },
            value: typed['role'] ?? 'member',
          },
          wrong,
        )}
        ${buttons(create, { cancel: { href: USERS, label: cancel } })}`,
      ),
    })}`,
  });
}

function showEdit(
  c: DashboardContext,
  user: { id: string; email: string; given_name: string; family_name: string },
  typed: Typed,
  wrong: readonly FieldViolation[] = [],
): Response | Promise<Response> {
  const { name } = personName(user);
  const path = `${USERS}/${user.id}`;
  const { editTitle, card: heading, save, cancel } = words.form;
  return showPage(c, {
    title: editTitle(name),
    crumbs: [{ label: name, href: path }],
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'person',
      kind: 'narrow',
      title: heading,
      content: form(
        c,
        `${path}/edit`,
        html`${personFields(typed, wrong, words.form.emailHint)}
        ${buttons(save, { cancel: { href: path, label: cancel } })}`,
      ),
    })}`,
  });
}

function personFields(typed: Typed, wrong: readonly FieldViolation[], emailHint?: string): Html {
  return html`${field(
    {
      name: 'email',
      label: LABELS.email,
      ...(emailHint !== undefined && { hint: emailHint }),
      input: { kind: 'email', maxLength: 254 },
      value: typed['email'] ?? '',
    },
    wrong,
  )}
  ${(['given_name', 'family_name'] as const).map((name) =>
    field({ name, label: LABELS[name], isOptional: true, value: typed[name] ?? '' }, wrong),
  )}`;
}

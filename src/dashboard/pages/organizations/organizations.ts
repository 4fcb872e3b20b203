/** `/dashboard/organizations`: organizations for operators; owners and admins go to their own. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { OrganizationView } from '../../../people/organizations.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { attempt } from '../../access/posted-forms.ts';
import { requireOperator } from '../../access/viewer.ts';
import { monogram } from '../../components/badge.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { filters } from '../../components/filters.ts';
import { buttons, field, form, problems, type Typed } from '../../components/form.ts';
import { time, isolated } from '../../components/format.ts';
import { nameCell, paging, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { goTo, showPage } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { organizations as words } from '../../words/organizations.ts';
import { invitationRoutes } from './invitations.ts';
import { memberRoutes } from './members.ts';
import { organizationChangeRoutes } from './organization-changes.ts';
import { organizationRoutes } from './organization-page.ts';
import { ORGANIZATIONS } from './paths.ts';
import { providerRoutes } from './provider.ts';

/** The page and its line in the navigation. */
export const organizations: DashboardPage = {
  entry: {
    path: ORGANIZATIONS,
    label: words.title,
    ownLabel: words.ownTitle,
    icon: 'org',
    group: 'people',
    audience: 'organization',
  },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(ORGANIZATIONS, (c) => showList(deps, c))
      .get(`${ORGANIZATIONS}/new`, (c) => {
        requireOperator(c.get('viewer'));
        return showNew(c, {});
      })
      .post(`${ORGANIZATIONS}/new`, (c) => create(deps, c))
      .route('/', invitationRoutes(deps))
      .route('/', memberRoutes(deps))
      .route('/', providerRoutes(deps))
      .route('/', organizationChangeRoutes(deps))
      .route('/', organizationRoutes(deps)),
};

const LABELS = {
  name: words.form.name,
  'user.email': words.form.email,
  'user.given_name': words.form.givenName,
  'user.family_name': words.form.familyName,
};

async function showList(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const { caller, organization } = c.get('viewer');
  if (organization !== undefined) return goTo(c, `${ORGANIZATIONS}/${organization.id}`);
  const query = new URL(c.req.url).searchParams;
  const name = query.get('name')?.trim() || undefined;
  const { organizations: rows, ...links } = await deps.organizations.list(
    caller,
    { name },
    { pageToken: query.get('page_token') ?? undefined },
  );
  const nothing =
    name === undefined
      ? empty(words.none, linkButton(`${ORGANIZATIONS}/new`, words.create))
      : empty(frame.nothingMatches);
  return showPage(c, {
    title: words.title,
    lead: words.lead,
    actions: linkButton(`${ORGANIZATIONS}/new`, words.create, 'primary'),
    content: card({
      id: 'organizations',
      title: words.title,
      content: html`${filters(ORGANIZATIONS, query, [{ name: 'name', label: words.filters.name, type: 'search' }])}
      ${rows.length === 0 ? nothing : table(words.title, COLUMNS, rows)}`,
      foot: paging(ORGANIZATIONS, query, links),
    }),
  });
}

const COLUMNS: readonly Column<OrganizationView>[] = [
  {
    label: words.columns.organization,
    cell: ({ id, name }) =>
      nameCell({
        drawing: monogram(name),
        href: `${ORGANIZATIONS}/${id}`,
        name: isolated(name),
        detail: id,
      }),
  },
  { label: words.columns.since, cell: ({ created_at }) => time(created_at), leftOutOn: 'phone' },
  { label: words.columns.changed, cell: ({ updated_at }) => time(updated_at), leftOutOn: 'tablet' },
];

async function create(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  requireOperator(c.get('viewer'));
  const read = await deps.posted.read(c);
  const input = {
    name: read.text('name'),
    user: {
      email: read.text('user.email'),
      given_name: read.text('user.given_name'),
      family_name: read.text('user.family_name'),
    },
  };
  const { done, problems: wrong } = await attempt(() =>
    deps.organizations.create(c.get('viewer').caller, input, c.get('visitor')),
  );
  if (wrong !== undefined) return showNew(c, read.values, wrong);
  const { id, name } = done.organization;
  return deps.flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.form.created(name));
}

function showNew(
  c: DashboardContext,
  typed: Typed,
  wrong: readonly FieldViolation[] = [],
): Response | Promise<Response> {
  const text = (name: keyof typeof LABELS, isOptional = false) =>
    field({ name, label: LABELS[name], isOptional, value: typed[name] ?? '' }, wrong);
  const { title, lead, card: heading, create: button, cancel } = words.form;
  return showPage(c, {
    title,
    lead,
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'new-organization',
      kind: 'narrow',
      title: heading,
      content: form(
        c,
        `${ORGANIZATIONS}/new`,
        html`${text('name')}
        ${field(
          {
            name: 'user.email',
            label: LABELS['user.email'],
            input: { kind: 'email', maxLength: 254 },
            value: typed['user.email'] ?? '',
          },
          wrong,
        )}
        ${text('user.given_name', true)} ${text('user.family_name', true)}
        ${buttons(button, { cancel: { href: ORGANIZATIONS, label: cancel } })}`,
      ),
    })}`,
  });
}

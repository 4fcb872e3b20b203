/**
 * New links: `/dashboard/accounts/new` for an account that may not exist yet, `/links` for all accounts that have
 * expired.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { copyable, copyableCode } from '../../components/code.ts';
import { buttons, checks, field, form, problems, type Typed } from '../../components/form.ts';
import { count, time, isolated } from '../../components/format.ts';
import { nameCell, table, type Column } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { accounts as words } from '../../words/accounts.ts';
import { appTitle, PATH } from './account-cells.ts';
import { showLink } from './account-page.ts';
import { accountQuery } from './account-query.ts';

const BULK = `${PATH}/links`;

/** Most links made at once; a page of the list has as many accounts. */
const MOST_LINKS = 100;

const LABELS = {
  connector: words.create.app,
  user_id: words.create.person,
  organization_id: words.create.organization,
  identifier: words.create.identifier,
};

/** A new link, or the reason why it was not made. */
interface Made {
  id: string;
  identifier: string;
  link: string;
  expiry: string;
  problem: string;
}

/** Both forms. */
export function newLinkRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  return new Hono<DashboardEnv>()
    .get(`${PATH}/new`, (c) => showForm(deps, c, new URL(c.req.url).searchParams))
    .post(`${PATH}/new`, (c) => makeOne(deps, c))
    .get(BULK, (c) => showExpired(deps, c))
    .post(BULK, (c) => makeMany(deps, c));
}

async function showForm(
  { connections }: DashboardDependencies,
  c: DashboardContext,
  typed: URLSearchParams | Typed,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const { caller, isOperator } = c.get('viewer');
  const value = (name: string): string =>
    (typed instanceof URLSearchParams ? typed.get(name) : typed[name]) ?? '';
  const choices = (await connections.list(caller.environmentId)).map(({ name }) => ({
    value: name,
    label: name,
  }));
  const { title, lead, card: heading, button, cancel, noApps, identifierHint } = words.create;
  const owners = [
    field(
      {
        name: 'user_id',
        label: LABELS.user_id,
        hint: words.create.personHint,
        isOptional: true,
        value: value('user_id'),
      },
      wrong,
    ),
    field(
      {
        name: 'organization_id',
        label: LABELS.organization_id,
        hint: words.create.organizationHint,
        isOptional: true,
        value: value('organization_id'),
      },
      wrong,
    ),
  ];
  const fields = html`${field(
    {
      name: 'connector',
      label: LABELS.connector,
      input: { kind: 'select', choices },
      value: value('connector'),
    },
    wrong,
  )}
  ${isOperator ? owners : ''}
  ${field(
    {
      name: 'identifier',
      label: LABELS.identifier,
      hint: identifierHint,
      isOptional: true,
      value: value('identifier'),
    },
    wrong,
  )}
  ${buttons(button, { cancel: { href: PATH, label: cancel } })}`;
  return showPage(c, {
    title,
    lead,
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'new-account',
      kind: 'narrow',
      title: heading,
      content: choices.length === 0 ? empty(noApps) : form(c, `${PATH}/new`, fields),
    })}`,
  });
}

async function makeOne(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const { caller, isOperator, organization } = c.get('viewer');
  const posted = await deps.posted.read(c);
  const given = (name: string): string | undefined => posted.text(name) || undefined;
  const input = {
    connector: given('connector'),
    identifier: given('identifier'),
    user_id: isOperator ? given('user_id') : undefined,
    organization_id: isOperator ? given('organization_id') : organization?.id,
  };
  const { done, problems: wrong } = await attempt(() => deps.links.create(caller, input));
  if (wrong !== undefined) return showForm(deps, c, posted.values, wrong);
  const { connector = '', user_id = '', organization_id = '' } = input;
  const identifier = input.identifier ?? (user_id || organization_id);
  return showLink(c, { ...done, identifier: `${identifier} · ${connector}` });
}

async function showExpired(
  deps: DashboardDependencies,
  c: DashboardContext,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const viewer = c.get('viewer');
  const query = await accountQuery(deps, viewer, new URL(c.req.url).searchParams);
  const page = await deps.accounts.list(viewer.caller, {
    ...query,
    page_token: undefined,
    status: 'EXPIRED',
    page_size: MOST_LINKS,
  });
  const { connected_accounts: expired, total_size: total, total_size_is_at_least: isAtLeast = false } = page;
  const { title, lead, none, card: heading, choose, make, cancel, more } = words.bulk;
  const choices = expired.map((account) => ({
    value: account.id,
    label: isolated(account.identifier),
    detail: appTitle(account, deps.catalog.in(viewer.caller.environmentId)),
  }));
  const content = form(
    c,
    BULK,
    html`${checks({ name: 'accounts', label: choose, choices, ticked: expired.map(({ id }) => id) }, wrong)}
    ${buttons(make, { cancel: { href: PATH, label: cancel } })}`,
  );
  return showPage(c, {
    title,
    lead,
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, { accounts: choose })}
    ${card({
      id: 'expired',
      kind: 'narrow',
      title: heading,
      content: expired.length === 0 ? empty(none, linkButton(PATH, cancel)) : content,
      ...(total > expired.length && { foot: more(count(total - expired.length), isAtLeast) }),
    })}`,
  });
}

async function makeMany(deps: DashboardDependencies, c: DashboardContext): Promise<Response> {
  const posted = await deps.posted.read(c);
  const ids = [...new Set(posted.all('accounts'))].slice(0, MOST_LINKS);
  if (ids.length === 0)
    return showExpired(deps, c, [violation('accounts', words.bulk.chooseOne, 'required')]);
  const { caller } = c.get('viewer');
  // All accounts are read before the first link is made: a missing account, or one of somebody else, stops
  // everything.
  const chosen = await Promise.all(ids.map((id) => deps.accounts.describe(caller, { id })));
  const made: Made[] = [];
  for (const { id, identifier } of chosen) {
    const { done, problems: wrong = [] } = await attempt(() => deps.links.create(caller, { id }));
    const problem = wrong.map(({ description }) => description).join(' ');
    made.push({ id, identifier, link: done?.link ?? '', expiry: done?.expiry ?? '', problem });
  }
  const links = made.filter(({ link }) => link !== '');
  return showPage(c, {
    title: words.bulk.doneTitle(count(links.length)),
    lead: c.get('viewer').isOperator ? words.bulk.give : words.bulk.own,
    content: html`${card({ id: 'links', title: words.bulk.done, content: table(words.bulk.done, COLUMNS, made) })}
    ${card({
      id: 'all-links',
      title: words.bulk.all,
      content: html`${copyableCode(words.bulk.all, links.map(({ identifier, link }) => `${identifier}\t${link}`).join('\n'))}
        <div class="buttons">${linkButton(PATH, words.bulk.cancel)}</div>`,
    })}`,
  });
}

const COLUMNS: readonly Column<Made>[] = [
  {
    label: words.columns.account,
    cell: ({ id, identifier }) => nameCell({ href: `${PATH}/${id}`, name: isolated(identifier) }),
  },
  {
    label: words.bulk.link,
    cell: ({ link, problem }): Text =>
      link === '' ? `${words.bulk.failed}: ${problem}` : copyable(link, words.link.name),
  },
  {
    label: words.link.until,
    cell: ({ expiry }): Text => (expiry === '' ? '' : time(expiry)),
    leftOutOn: 'tablet',
  },
];

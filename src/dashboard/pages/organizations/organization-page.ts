/**
 * `/dashboard/organizations/{id}`: its members and invitations; for operators also its identity provider, accounts
 * and deletion.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { ServiceError, type FieldViolation } from '../../../core/errors.ts';
import type { IdentityProviderView } from '../../../people/sign-in/identity-provider-rules.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { card, empty, facts, linkButton } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { refusal } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { showPage } from '../../frame/respond.ts';
import { organizations as words } from '../../words/organizations.ts';
import { invitationsCard } from './invitations-card.ts';
import { membersCard } from './members-card.ts';
import { ORGANIZATIONS } from './paths.ts';

/** The page of one organization. */
export function organizationRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  return new Hono<DashboardEnv>().get(`${ORGANIZATIONS}/:id`, (c) =>
    showOrganization(deps, c, c.req.param('id')),
  );
}

/** The page. If one of its small forms was refused, it shows the problems. */
export async function showOrganization(
  deps: DashboardDependencies,
  c: DashboardContext,
  id: string,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const { caller, isOperator } = c.get('viewer');
  const { name } = await deps.organizations.get(caller, id);
  const path = `${ORGANIZATIONS}/${id}`;
  return showPage(c, {
    title: name,
    lead: isOperator ? html`<code>${id}</code>` : words.ownLead,
    actions: html`<div class="buttons-row">
      ${isOperator ? linkButton(`/dashboard/accounts?organization_id=${id}`, words.accounts) : ''}
      ${isOperator ? linkButton(`${path}/rename`, words.actions.rename) : ''}
      ${linkButton(`${path}/invitations/new`, words.actions.invite, 'primary')}
      ${isOperator ? linkButton(`${path}/delete`, words.actions.delete, 'danger') : ''}
    </div>`,
    hasProblems: wrong.length > 0,
    content: html`${refusal(wrong)} ${await membersCard(deps, c, id)}
    ${await invitationsCard(deps, c, { organizationId: id })}
    ${isOperator ? await providerCard(deps, c, id) : ''}`,
  });
}

async function providerCard(deps: DashboardDependencies, c: DashboardContext, id: string): Promise<Html> {
  const provider = await providerOf(deps, c, id);
  const { title, none, setUp, change, remove } = words.provider;
  const path = `${ORGANIZATIONS}/${id}/provider`;
  return card({
    id: 'provider',
    title,
    action:
      provider === undefined
        ? linkButton(path, setUp, 'small')
        : html`<div class="buttons-row">
            ${linkButton(path, change, 'small')} ${linkButton(`${path}/remove`, remove, 'small danger')}
          </div>`,
    content: provider === undefined ? empty(none) : providerFacts(provider),
  });
}

/** The organization's identity provider, if it has one. */
export async function providerOf(
  { organizationProviders }: Pick<DashboardDependencies, 'organizationProviders'>,
  c: DashboardContext,
  id: string,
): Promise<IdentityProviderView | undefined> {
  try {
    return await organizationProviders.get(c.get('viewer').caller, id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
    throw error;
  }
}

function providerFacts(provider: IdentityProviderView): Text {
  const { labels, hasSecret, noSecret, noDomains, yes, no } = words.provider;
  return facts([
    { label: labels.issuer, value: html`<code>${provider.issuer}</code>` },
    { label: labels.client_id, value: html`<code>${provider.client_id}</code>` },
    { label: labels.client_secret, value: provider.has_client_secret ? hasSecret : noSecret },
    { label: labels.domains, value: provider.domains.length === 0 ? noDomains : provider.domains.join(', ') },
    { label: labels.redirect_uri, value: copyable(provider.redirect_uri, labels.redirect_uri) },
    { label: labels.assume_email_verified, value: provider.assume_email_verified ? yes : no },
    { label: labels.allow_operator_rights, value: provider.allow_operator_rights ? yes : no },
  ]);
}

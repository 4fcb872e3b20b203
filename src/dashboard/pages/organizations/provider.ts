/**
 * The OpenID provider of an organization. Operators only, because its domains decide about identity in the whole
 * environment.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { IdentityProviderView } from '../../../people/sign-in/identity-provider-rules.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { requireFresh } from '../../access/fresh.ts';
import { attempt, type Posted } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { requireOperator } from '../../access/viewer.ts';
import { card } from '../../components/card.ts';
import { confirmPage } from '../../components/confirm.ts';
import { buttons, check, field, form, problems, type Typed } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { organizations as words } from '../../words/organizations.ts';
import { providerOf } from './organization-page.ts';
import { ORGANIZATIONS } from './paths.ts';

const AT = `${ORGANIZATIONS}/:id/provider` as const;

const { labels: LABELS } = words.provider;

/** The form of the provider, and its removal. */
export function providerRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { organizations, organizationProviders, posted, flashes } = deps;
  const guarded: MiddlewareHandler<DashboardEnv> = async (c, next) => {
    requireOperator(c.get('viewer'));
    requireFresh(c);
    await next();
  };
  return new Hono<DashboardEnv>()
    .use(AT, guarded)
    .use(`${AT}/remove`, guarded)
    .get(AT, async (c) => {
      const id = c.req.param('id');
      const provider = await providerOf(deps, c, id);
      return showForm(deps, c, id, typedOf(provider));
    })
    .post(AT, async (c) => {
      const id = c.req.param('id');
      const read = await posted.read(c);
      const { done, problems: wrong } = await attempt(async () =>
        organizationProviders.put(c.get('viewer').caller, id, await inputOf(deps, c, id, read)),
      );
      if (wrong !== undefined) return showForm(deps, c, id, read.values, besideField(wrong, 'domains'));
      const said = [words.provider.saved, ...(done.warnings ?? [])].join(' ');
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, said);
    })
    .get(`${AT}/remove`, async (c) => {
      const id = c.req.param('id');
      const { name } = await organizations.get(c.get('viewer').caller, id);
      const { removeTitle, removeGoes, removeStays, remove } = words.provider;
      const page = confirmPage(c, {
        title: removeTitle(name),
        crumbs: [{ label: name, href: `${ORGANIZATIONS}/${id}` }],
        goes: removeGoes,
        stays: removeStays,
        button: remove,
        action: `${pathOf(id)}/remove`,
        cancel: `${ORGANIZATIONS}/${id}`,
      });
      return showPage(c, page);
    })
    .post(`${AT}/remove`, async (c) => {
      const id = c.req.param('id');
      await posted.read(c);
      await organizationProviders.remove(c.get('viewer').caller, id);
      return flashes.goTo(c, `${ORGANIZATIONS}/${id}`, words.provider.removed);
    });
}

/**
 * Reads the form. An empty secret keeps the stored one of the same client; a new client without a secret is public.
 */
async function inputOf(deps: DashboardDependencies, c: DashboardContext, id: string, read: Posted) {
  const before = await providerOf(deps, c, id);
  const [issuer, client_id, secret] = [
    read.text('issuer'),
    read.text('client_id'),
    read.text('client_secret'),
  ];
  const isSameClient = before?.issuer === issuer && before.client_id === client_id;
  return {
    issuer,
    client_id,
    client_secret: secret === '' ? (isSameClient ? undefined : null) : secret,
    domains: read
      .text('domains')
      .split(/[\s,]+/)
      .filter((domain) => domain !== ''),
    assume_email_verified: read.isTicked('assume_email_verified'),
    allow_operator_rights: read.isTicked('allow_operator_rights'),
  };
}

function typedOf(provider: IdentityProviderView | undefined): Typed {
  if (provider === undefined) return {};
  const { issuer, client_id, domains, assume_email_verified, allow_operator_rights } = provider;
  return {
    issuer,
    client_id,
    domains: domains.join('\n'),
    assume_email_verified: String(assume_email_verified),
    allow_operator_rights: String(allow_operator_rights),
  };
}

async function showForm(
  deps: DashboardDependencies,
  c: DashboardContext,
  id: string,
  typed: Typed,
  wrong: readonly FieldViolation[] = [],
): Promise<Response> {
  const { name } = await deps.organizations.get(c.get('viewer').caller, id);
  const stored = await providerOf(deps, c, id);
  const path = `${ORGANIZATIONS}/${id}`;
  const value = (member: string): string => typed[member] ?? '';
  const { pageTitle, pageLead, card: heading, save, cancel } = words.provider;
  const { issuerHint, secretHint, newSecretHint, domainsHint } = words.provider;
  return showPage(c, {
    title: pageTitle(name),
    lead: pageLead,
    crumbs: [{ label: name, href: path }],
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${card({
      id: 'provider',
      kind: 'narrow',
      title: heading,
      content: form(
        c,
        pathOf(id),
        html`${field(
          {
            name: 'issuer',
            label: LABELS.issuer,
            hint: issuerHint,
            input: { kind: 'url', maxLength: 2_048, placeholder: 'https://id.example.test' },
            value: value('issuer'),
          },
          wrong,
        )}
        ${field({ name: 'client_id', label: LABELS.client_id, value: value('client_id') }, wrong)}
        ${field(
          {
            name: 'client_secret',
            label: LABELS.client_secret,
            hint: stored?.has_client_secret === true ? secretHint : newSecretHint,
            isOptional: true,
            input: { kind: 'secret', maxLength: 2_000 },
          },
          wrong,
        )}
        ${field(
          {
            name: 'domains',
            label: LABELS.domains,
            hint: domainsHint,
            isOptional: true,
            input: { kind: 'lines', rows: 3 },
            value: value('domains'),
          },
          wrong,
        )}
        ${(['assume_email_verified', 'allow_operator_rights'] as const).map((member) =>
          check({ name: member, label: LABELS[member], isTicked: value(member) === 'true' }),
        )}
        ${buttons(save, { cancel: { href: path, label: cancel } })}`,
      ),
    })}`,
  });
}

function pathOf(id: string): string {
  return `${ORGANIZATIONS}/${id}/provider`;
}

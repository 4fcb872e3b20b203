/** `/dashboard/credentials`: the API credentials of programs, their secrets and their end. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { CredentialView } from '../../../api-credentials/api-credentials.ts';
import { hasScope, SCOPES } from '../../../core/caller.ts';
import type { FieldViolation } from '../../../core/errors.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { fresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card } from '../../components/card.ts';
import { confirmPage } from '../../components/confirm.ts';
import { buttons, checks, field, form, problems, type Typed } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { credentials as words } from '../../words/credentials.ts';
import { makersOf } from './credential-makers.ts';
import {
  credentialList,
  credentialPage,
  credentialPath,
  CREDENTIALS,
  secretPage,
} from './credential-pages.ts';

const NEW = `${CREDENTIALS}/new`;
const ONE = `${CREDENTIALS}/:id`;

/** The pages and their line in the navigation. */
export const credentials: DashboardPage = {
  entry: { path: CREDENTIALS, label: words.title, icon: 'key', group: 'developers', audience: 'operator' },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(CREDENTIALS, async (c) => {
      const { caller } = c.get('viewer');
      const [rows, makers] = await Promise.all([
        deps.credentials.list(caller.environmentId),
        makersOf(deps, caller),
      ]);
      return showPage(c, credentialList(rows, makers));
    });
    addCreating(routes, deps);
    routes.get(ONE, async (c) => {
      const { caller } = c.get('viewer');
      const credential = await credentialOf(deps, c);
      const [makers, until] = await Promise.all([
        makersOf(deps, caller, credential.id),
        deps.credentials.previousUntil(caller.environmentId, credential.id),
      ]);
      const overlap =
        until === null ? undefined : words.overlap(shownTime(until), left(until, deps.clock.now()));
      const canRotate = credential.scopes.every((scope) => hasScope(caller.scopes, scope));
      return showPage(c, credentialPage(credential, makers.get(credential.id), { overlap, canRotate }));
    });
    addRotating(routes, deps);
    return routes.route(
      '/',
      deletionRoutes(deps, {
        list: CREDENTIALS,
        words: words.remove,
        nameOf: async (c, id) => (await deps.credentials.get(c.get('viewer').caller.environmentId, id)).name,
        remove: async (c, id) => deps.credentials.remove(c.get('viewer').caller, id),
      }),
    );
  },
};

function addCreating(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.use(NEW, fresh);
  routes.get(NEW, (c) => showPage(c, createForm(c, {}, [])));
  routes.post(NEW, async (c) => {
    const posted = await deps.posted.read(c);
    const scopes = posted.all('scopes');
    const organizationId = posted.text('organization_id');
    const input = {
      name: posted.text('name'),
      scopes,
      ...(organizationId !== '' && { organization_id: organizationId }),
    };
    const { done, problems: found } = await attempt(async () =>
      deps.credentials.create(c.get('viewer').caller, input),
    );
    if (found !== undefined) return showPage(c, createForm(c, posted.values, scopes, found));
    const { credential } = done;
    return showPage(c, secretPage(words.secret.created(credential.name), credential, c.get('environment')));
  });
}

function createForm(
  c: DashboardContext,
  values: Typed,
  ticked: readonly string[],
  violations: readonly FieldViolation[] = [],
): Page {
  const { create } = words;
  const labels = { name: create.name, scopes: create.scopes, organization_id: create.organization };
  const given = SCOPES.filter((scope) => hasScope(c.get('viewer').caller.scopes, scope));
  const choices = given.map((scope) => ({ value: scope, label: words.scopes[scope], detail: scope }));
  const scopes = { name: 'scopes', label: create.scopes, hint: create.scopesHint, choices, ticked };
  return {
    title: create.title,
    hasProblems: violations.length > 0,
    content: html`${problems(violations, labels)}
    ${card({
      id: 'create',
      kind: 'narrow',
      title: create.heading,
      content: form(
        c,
        NEW,
        html`${field({ name: 'name', label: create.name, hint: create.nameHint, input: { kind: 'text', maxLength: 200 }, value: values['name'] ?? '' }, violations)}
        ${checks(scopes, violations)}
        ${field({ name: 'organization_id', label: create.organization, hint: create.organizationHint, isOptional: true, value: values['organization_id'] ?? '' }, violations)}
        ${buttons(create.submit, { cancel: { href: CREDENTIALS, label: create.cancel } })}`,
      ),
    })}`,
  };
}

function addRotating(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.use(`${ONE}/rotate`, fresh);
  routes.get(`${ONE}/rotate`, async (c) => {
    const credential = await credentialOf(deps, c);
    const path = credentialPath(credential);
    const question = {
      title: words.rotate.title(credential.name),
      crumbs: [{ label: credential.name, href: path }],
      goes: words.rotate.goes,
      stays: words.rotate.stays,
      button: words.rotate.button,
      action: `${path}/rotate`,
      cancel: path,
    };
    return showPage(c, confirmPage(c, question));
  });
  routes.post(`${ONE}/rotate`, async (c) => {
    await deps.posted.read(c);
    const { id } = await credentialOf(deps, c);
    const { credential, previous_until: until } = await deps.credentials.rotate(c.get('viewer').caller, id);
    const { baseUrl } = c.get('environment');
    const about = { baseUrl, until: shownTime(until) };
    return showPage(c, secretPage(words.secret.rotated(credential.name), credential, about));
  });
}

async function credentialOf(
  { credentials: service }: DashboardDependencies,
  c: DashboardContext,
): Promise<CredentialView> {
  return service.get(c.get('viewer').caller.environmentId, c.req.param('id') ?? '');
}

function shownTime(timestamp: string): string {
  return frame.utc(timestamp.slice(0, 16).replace('T', ' '));
}

/** The remaining time, in hours and minutes. */
function left(until: string, now: number): string {
  const minutes = Math.max(0, Math.ceil((Date.parse(until) - now) / 60_000));
  return words.left(Math.floor(minutes / 60), minutes % 60);
}

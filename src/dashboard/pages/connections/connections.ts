/** `/dashboard/connections`: the connectors that are set up for use, and setting up another one. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/model/types.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import { notFound, type FieldViolation } from '../../../core/errors.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh, requireFresh } from '../../access/fresh.ts';
import { attempt, type Posted } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { card, empty, linkButton } from '../../components/card.ts';
import { confirmPage, wrongName } from '../../components/confirm.ts';
import { segmented } from '../../components/filters.ts';
import { buttons, form, hidden, problems } from '../../components/form.ts';
import { count } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { connections as words } from '../../words/connections.ts';
import {
  allFields,
  atFields,
  connectionLabels,
  firstFields,
  readConnection,
  storedValues,
  typedValues,
  type ShownConnection,
} from './connection-form.ts';
import { connectionList, connectorGallery, NEW_CONNECTION } from './connection-lists.ts';
import { connectionPage, connectionPath, CONNECTIONS, testTool } from './connection-page.ts';
import { connectionShape, type ConnectionShape } from './connection-shape.ts';

const ONE = `${CONNECTIONS}/:id`;

/** The pages and their line in the navigation. */
export const connections: DashboardPage = {
  entry: { path: CONNECTIONS, label: words.title, icon: 'plug', group: 'apps', audience: 'operator' },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(CONNECTIONS, async (c) => {
      const { environmentId } = c.get('viewer').caller;
      const rows = await Promise.all(
        (await deps.connections.list(environmentId)).map(async (connection) => ({
          connection,
          usage: await deps.connections.usage(environmentId, connection.id),
        })),
      );
      return showPage(c, connectionList(deps.catalog.in(c.get('viewer').caller.environmentId), rows));
    });
    addCreating(routes, deps);
    routes.get(ONE, async (c) => {
      const connection = await connectionOf(deps, c);
      const usage = await deps.connections.usage(c.get('viewer').caller.environmentId, connection.id);
      const catalog = deps.catalog.in(c.get('viewer').caller.environmentId);
      const test = testTool(connection.connector, catalog.tools.values());
      return showPage(c, connectionPage(connection, shapeOf(catalog, connection), usage, test));
    });
    addChanging(routes, deps);
    addRemoving(routes, deps);
    return routes;
  },
};

function addCreating(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.get(NEW_CONNECTION, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const existing = await deps.connections.list(c.get('viewer').caller.environmentId);
    const connector = query.get('connector');
    if (connector === null)
      return showPage(
        c,
        connectorGallery(deps.catalog.in(c.get('viewer').caller.environmentId), existing, query),
      );
    requireFresh(c, shownAt(c));
    const shape = shapeNamed(
      deps.catalog.in(c.get('viewer').caller.environmentId),
      connector,
      query.get('type') ?? undefined,
    );
    const name = existing.some((other) => other.name === connector) ? '' : connector;
    return showPage(c, createForm(c, shape, { values: { name }, scopes: [] }));
  });
  routes.post(NEW_CONNECTION, async (c) => {
    requireFresh(c, shownAt(c));
    const posted = await deps.posted.read(c);
    const shape = shapeNamed(
      deps.catalog.in(c.get('viewer').caller.environmentId),
      posted.text('connector'),
      posted.text('type'),
    );
    const { patch, unreadable } = readConnection(shape, posted);
    const wrong =
      unreadable.length === 0
        ? []
        : [
            ...unreadable,
            ...deps.connections.violations(c.get('viewer').caller.environmentId, patch, shape.connector.name),
          ];
    const { name, scopes, params } = patch;
    const input = {
      connector: shape.connector.name,
      authorization_type: shape.auth.type,
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
      ...(params !== undefined && { params }),
    };
    const { caller } = c.get('viewer');
    const { done, problems: found } = await change(shape, posted, wrong, async () =>
      deps.connections.create(caller, input),
    );
    if (found !== undefined) return showPage(c, createForm(c, shape, typedValues(posted), found));
    return deps.flashes.goTo(c, connectionPath(done), words.create.done(done.name));
  });
}

/** Path of the form, with its connector. */
function shownAt(c: DashboardContext): string {
  const { pathname, search } = new URL(c.req.url);
  return `${pathname}${search}`;
}

function createForm(
  c: DashboardContext,
  shape: ConnectionShape,
  shown: ShownConnection,
  violations: readonly FieldViolation[] = [],
): Page {
  const { create } = words;
  const { connector, auth } = shape;
  const query = (type: string) => new URLSearchParams({ connector: connector.name, type }).toString();
  return {
    title: create.title(connector.title),
    lead: shape.isByConsent ? create.lead : create.leadWithout,
    ...(connector.auth.length > 1 && {
      actions: segmented(
        create.types,
        connector.auth.map(({ type }) => ({
          label: type,
          href: `${NEW_CONNECTION}?${query(type)}`,
          isCurrent: type === auth.type,
        })),
      ),
    }),
    crumbs: [{ label: words.gallery.title, href: NEW_CONNECTION }],
    hasProblems: violations.length > 0,
    content: html`${problems(violations, connectionLabels(shape))}
    ${card({
      id: 'create',
      kind: 'narrow',
      title: create.heading,
      content: form(
        c,
        NEW_CONNECTION,
        html`${hidden({ connector: connector.name, type: auth.type })}
        ${firstFields(shape, shown, violations)}
        ${buttons(create.submit, { cancel: { href: NEW_CONNECTION, label: words.edit.cancel } })}`,
      ),
    })}`,
  };
}

function addChanging(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  // Overrides decide where credentials are sent.
  routes.use(`${ONE}/edit`, fresh);
  routes.get(`${ONE}/edit`, async (c) => {
    const connection = await connectionOf(deps, c);
    const shape = knownShape(deps.catalog.in(c.get('viewer').caller.environmentId), connection);
    return showPage(c, await editForm(c, deps, { connection, shape }, storedValues(shape, connection)));
  });
  routes.post(`${ONE}/edit`, async (c) => {
    const posted = await deps.posted.read(c);
    const connection = await connectionOf(deps, c);
    const shape = knownShape(deps.catalog.in(c.get('viewer').caller.environmentId), connection);
    const { patch, unreadable } = readConnection(shape, posted);
    const wrong =
      unreadable.length === 0
        ? []
        : [
            ...unreadable,
            ...deps.connections.violations(c.get('viewer').caller.environmentId, patch, shape.connector.name),
          ];
    const { caller } = c.get('viewer');
    const { done, problems: found } = await change(shape, posted, wrong, async () =>
      deps.connections.update(caller, connection.id, patch),
    );
    if (found !== undefined)
      return showPage(c, await editForm(c, deps, { connection, shape }, typedValues(posted), found));
    return deps.flashes.goTo(c, connectionPath(done), words.edit.done(done.name));
  });
}

async function editForm(
  c: DashboardContext,
  { connections: service }: DashboardDependencies,
  { connection, shape }: { connection: ConnectionView; shape: ConnectionShape },
  shown: ShownConnection,
  violations: readonly FieldViolation[] = [],
): Promise<Page> {
  const path = connectionPath(connection);
  const { hasSecret } = await service.usage(c.get('viewer').caller.environmentId, connection.id);
  return {
    title: words.edit.title(connection.name),
    crumbs: [{ label: connection.name, href: path }],
    hasProblems: violations.length > 0,
    content: connection.managed_by_file
      ? note(words.declaredNote)
      : html`${problems(violations, connectionLabels(shape))}
        ${card({
          id: 'edit',
          kind: 'narrow',
          title: words.edit.heading,
          content: form(
            c,
            `${path}/edit`,
            html`${allFields(shape, shown, violations, hasSecret)}
            ${buttons(words.edit.submit, { cancel: { href: path, label: words.edit.cancel } })}`,
          ),
        })}`,
  };
}

function addRemoving(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.use(`${ONE}/delete`, fresh);
  routes.get(`${ONE}/delete`, async (c) => {
    const connection = await connectionOf(deps, c);
    return showPage(c, await removal(c, deps, connection));
  });
  routes.post(`${ONE}/delete`, async (c) => {
    const posted = await deps.posted.read(c);
    const connection = await connectionOf(deps, c);
    const wrong = wrongName(posted.values, connection.name);
    if (wrong.length > 0) return showPage(c, await removal(c, deps, connection, wrong));
    const { problems: found } = await attempt(async () =>
      deps.connections.remove(c.get('viewer').caller, connection.id),
    );
    if (found !== undefined) return showPage(c, await removal(c, deps, connection, found));
    return deps.flashes.goTo(c, CONNECTIONS, words.remove.done(connection.name));
  });
}

/** The question before removal. If the connection has accounts, the page says that they have to be removed first. */
async function removal(
  c: DashboardContext,
  { connections: service }: DashboardDependencies,
  connection: ConnectionView,
  violations: readonly FieldViolation[] = [],
): Promise<Page> {
  const { remove } = words;
  const path = connectionPath(connection);
  const crumbs = [{ label: connection.name, href: path }];
  const { accounts, isAtLeast } = await service.usage(c.get('viewer').caller.environmentId, connection.id);
  if (accounts > 0) {
    const query = new URLSearchParams({ connector: connection.name }).toString();
    const total = words.accounts(count(accounts), isAtLeast);
    return {
      title: remove.title(connection.name),
      crumbs,
      content: card({
        id: 'in-use',
        kind: 'narrow',
        title: total,
        content: empty(remove.inUse(total), linkButton(`/dashboard/accounts?${query}`, remove.seeAccounts)),
      }),
    };
  }
  const question = {
    title: remove.title(connection.name),
    crumbs,
    goes: remove.goes,
    stays: remove.stays,
    name: connection.name,
    button: remove.button,
    action: `${path}/delete`,
    cancel: path,
  };
  return confirmPage(c, question, violations);
}

/** Carries out a change. All violations are shown at the fields of the form. */
async function change<T>(
  shape: ConnectionShape,
  posted: Posted,
  wrong: readonly FieldViolation[],
  work: () => Promise<T>,
): Promise<{ done: T; problems: undefined } | { done: undefined; problems: readonly FieldViolation[] }> {
  if (wrong.length > 0) return { done: undefined, problems: atFields(shape, posted, wrong) };
  const outcome = await attempt(work);
  if (outcome.problems === undefined) return outcome;
  return { done: undefined, problems: atFields(shape, posted, besideField(outcome.problems, 'name')) };
}

async function connectionOf(
  { connections: service }: DashboardDependencies,
  c: DashboardContext,
): Promise<ConnectionView> {
  return service.get(c.get('viewer').caller.environmentId, c.req.param('id') ?? '');
}

function shapeOf(catalog: Catalog, connection: ConnectionView): ConnectionShape | undefined {
  const connector = catalog.connectors.get(connection.connector);
  return connector === undefined ? undefined : connectionShape(connector, connection.authorization_type);
}

/** @throws ServiceError RESOURCE_NOT_FOUND if the catalog no longer has the connector */
function knownShape(catalog: Catalog, connection: ConnectionView): ConnectionShape {
  return shapeNamed(catalog, connection.connector, connection.authorization_type);
}

function shapeNamed(catalog: Catalog, name: string, type: string | undefined): ConnectionShape {
  const connector = catalog.connectors.get(name);
  const shape = connector === undefined ? undefined : connectionShape(connector, type);
  if (shape === undefined) throw notFound('connector');
  return shape;
}

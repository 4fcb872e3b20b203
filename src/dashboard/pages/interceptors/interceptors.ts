/** `/dashboard/interceptors`: endpoints that are called before a flow continues, with their test and log. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { InterceptorPage } from '../../../interceptors/interceptors.ts';
import type { RecentDecisions } from '../../../interceptors/interceptor-log.ts';
import type { InterceptorTestView } from '../../../interceptors/interceptor-test.ts';
import type { InterceptorView } from '../../../interceptors/interceptor-rules.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { deletionRoutes } from '../../access/deletion.ts';
import { fresh, requireFresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { besideField } from '../../access/taken-value.ts';
import { badge, tag } from '../../components/badge.ts';
import { card, empty, facts, link, linkButton } from '../../components/card.ts';
import { copyable } from '../../components/code.ts';
import { actionButton } from '../../components/form.ts';
import { duration, time } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import { nameCell, paging, table } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { isPartial, showPage, showPart } from '../../frame/respond.ts';
import { interceptors as words } from '../../words/interceptors.ts';
import { interceptorForm, interceptorValues, NEW_INTERCEPTOR, readInterceptor } from './interceptor-form.ts';
import { decisionsOf, interceptorPath, INTERCEPTORS, logCard, testPart } from './interceptor-parts.ts';
import { addSigningSecret, SIGNING_SECRET } from './signing-secret-page.ts';

const NEW = `${INTERCEPTORS}/new`;
const ONE = `${INTERCEPTORS}/:id`;
const DAY_MS = 86_400_000;

/** Log entries on one page. Each may have an answer of several kilobytes. */
const LOG_ENTRIES = 20;

/** An interceptor with its decisions of the last 24 hours. */
interface Listed {
  interceptor: InterceptorView;
  day: RecentDecisions;
}

/** The pages and their line in the navigation. */
export const interceptors: DashboardPage = {
  entry: {
    path: INTERCEPTORS,
    label: words.title,
    icon: 'shield',
    group: 'developers',
    audience: 'operator',
  },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(INTERCEPTORS, async (c) => {
      const query = new URL(c.req.url).searchParams;
      const { environmentId } = c.get('viewer').caller;
      const page = await deps.interceptors.list(environmentId, {
        pageToken: query.get('page_token') ?? undefined,
      });
      const rows = await Promise.all(
        page.interceptors.map(async (interceptor) => ({
          interceptor,
          day: await lastDay(deps, c, interceptor),
        })),
      );
      return showPage(c, listPage(query, page, rows));
    });
    addSigningSecret(routes, deps);
    addForms(routes, deps);
    routes.get(ONE, async (c) => showPage(c, await onePage(c, deps, await interceptorOf(deps, c))));
    routes.post(`${ONE}/test`, async (c) => {
      await deps.posted.read(c);
      const interceptor = await interceptorOf(deps, c);
      const tested = await deps.interceptorTest.run(c.get('viewer').caller.environmentId, interceptor.id);
      if (isPartial(c)) return showPart(c, testPart(c, interceptor.id, tested));
      return showPage(c, await onePage(c, deps, interceptor, tested));
    });
    addSwitches(routes, deps);
    return routes.route(
      '/',
      deletionRoutes(deps, {
        list: INTERCEPTORS,
        words: words.remove,
        nameOf: async (c, id) => (await deps.interceptors.get(c.get('viewer').caller.environmentId, id)).name,
        remove: async (c, id) => deps.interceptors.remove(c.get('viewer').caller, id),
      }),
    );
  },
};

function listPage(query: URLSearchParams, page: InterceptorPage, rows: readonly Listed[]): Page {
  const { columns } = words;
  const { interceptors: _all, ...links } = page;
  return {
    title: words.title,
    lead: words.lead,
    actions: html`<div class="acts-row">
      ${linkButton(SIGNING_SECRET, words.secret.title)} ${linkButton(NEW, words.add, 'primary')}
    </div>`,
    content: card({
      id: 'interceptors',
      title: words.heading,
      content:
        rows.length === 0
          ? empty(words.none, linkButton(NEW, words.add))
          : table<Listed>(
              words.title,
              [
                { label: columns.name, cell: ({ interceptor }) => nameOf(interceptor) },
                {
                  label: columns.trigger,
                  cell: ({ interceptor }) => words.triggers[interceptor.trigger_point],
                },
                { label: columns.state, cell: ({ interceptor }) => stateOf(interceptor) },
                { label: columns.day, cell: ({ day }) => decisionsOf(day), leftOutOn: 'phone' },
              ],
              rows,
            ),
      foot: paging(INTERCEPTORS, query, links),
    }),
  };
}

function nameOf(interceptor: InterceptorView): Html {
  return nameCell({
    href: interceptorPath(interceptor),
    name: interceptor.name,
    detail: html`${interceptor.endpoint} ${interceptor.managed_by_file ? tag(words.declared) : ''}`,
  });
}

function stateOf({ enabled }: InterceptorView): Html {
  return enabled ? badge('ok', words.enabled) : badge('idle', words.disabled);
}

async function onePage(
  c: DashboardContext,
  deps: DashboardDependencies,
  interceptor: InterceptorView,
  tested?: InterceptorTestView,
): Promise<Page> {
  const query = new URL(c.req.url).searchParams;
  const { id, name } = interceptor;
  const [day, log] = await Promise.all([
    lastDay(deps, c, interceptor),
    deps.interceptorLog.list(c.get('viewer').caller.environmentId, id, {
      pageSize: LOG_ENTRIES,
      pageToken: query.get('page_token') ?? undefined,
    }),
  ]);
  const { facts: labels, columns } = words;
  return {
    title: name,
    lead: words.triggers[interceptor.trigger_point],
    ...(!interceptor.managed_by_file && { actions: actionsOf(c, interceptor) }),
    content: html`${interceptor.managed_by_file ? note(words.declaredNote) : ''}
    ${card({
      id: 'facts',
      title: labels.heading,
      action: stateOf(interceptor),
      content: facts([
        { label: labels.id, value: copyable(id, labels.id) },
        { label: columns.trigger, value: html`<code>${interceptor.trigger_point}</code>` },
        { label: labels.endpoint, value: html`<code>${interceptor.endpoint}</code>` },
        { label: labels.timeout, value: duration(interceptor.timeout_ms) },
        { label: columns.fallback, value: words.fallbacks[interceptor.fallback] },
        { label: columns.day, value: decisionsOf(day) },
        { label: labels.secret, value: link(SIGNING_SECRET, labels.secretOf) },
        { label: labels.changed, value: time(interceptor.updated_at) },
      ]),
    })}
    ${testPart(c, id, tested)} ${logCard(id, query, log)}`,
  };
}

function actionsOf(c: DashboardContext, interceptor: InterceptorView): Text {
  const path = interceptorPath(interceptor);
  const { actions } = words;
  return html`<div class="acts-row">
    ${linkButton(`${path}/edit`, actions.change)}
    ${interceptor.enabled ? actionButton(c, `${path}/disable`, actions.disable) : actionButton(c, `${path}/enable`, actions.enable, { kind: 'primary' })}
    ${linkButton(`${path}/delete`, actions.delete, 'danger')}
  </div>`;
}

function addForms(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.use(NEW, fresh).use(`${ONE}/edit`, fresh);
  routes.get(NEW, (c) => showPage(c, interceptorForm(c, undefined, NEW_INTERCEPTOR)));
  routes.post(NEW, async (c) => {
    const posted = await deps.posted.read(c);
    const input = { ...readInterceptor(posted), enabled: posted.isTicked('enabled') };
    const { done, problems } = await attempt(async () =>
      deps.interceptors.create(c.get('viewer').caller, input),
    );
    if (problems !== undefined)
      return showPage(c, interceptorForm(c, undefined, posted.values, besideField(problems, 'name')));
    return deps.flashes.goTo(c, interceptorPath(done), words.form.created(done.name));
  });
  routes.get(`${ONE}/edit`, async (c) => {
    const interceptor = await interceptorOf(deps, c);
    return showPage(c, interceptorForm(c, interceptor, interceptorValues(interceptor)));
  });
  routes.post(`${ONE}/edit`, async (c) => {
    const posted = await deps.posted.read(c);
    const interceptor = await interceptorOf(deps, c);
    const { done, problems } = await attempt(async () =>
      deps.interceptors.update(c.get('viewer').caller, interceptor.id, readInterceptor(posted)),
    );
    if (problems !== undefined)
      return showPage(c, interceptorForm(c, interceptor, posted.values, besideField(problems, 'name')));
    return deps.flashes.goTo(c, interceptorPath(done), words.form.changed(done.name));
  });
}

function addSwitches(routes: Hono<DashboardEnv>, deps: DashboardDependencies): void {
  routes.post(`${ONE}/:verb{enable|disable}`, async (c) => {
    requireFresh(c, `${INTERCEPTORS}/${c.req.param('id')}`);
    await deps.posted.read(c);
    const verb = c.req.param('verb') === 'enable' ? 'enable' : 'disable';
    const changed = await deps.interceptors[verb](c.get('viewer').caller, c.req.param('id'));
    const sentence = changed.enabled ? words.form.enabled : words.form.disabled;
    return deps.flashes.goTo(c, interceptorPath(changed), sentence(changed.name));
  });
}

async function lastDay(
  { interceptorLog, clock }: DashboardDependencies,
  c: DashboardContext,
  { id }: InterceptorView,
): Promise<RecentDecisions> {
  return interceptorLog.decisions(c.get('viewer').caller.environmentId, id, clock.now() - DAY_MS);
}

async function interceptorOf(
  { interceptors: service }: DashboardDependencies,
  c: DashboardContext,
): Promise<InterceptorView> {
  return service.get(c.get('viewer').caller.environmentId, c.req.param('id') ?? '');
}

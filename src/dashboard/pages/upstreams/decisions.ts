/**
 * Decisions of operators about a remote MCP server: publishing its tools, and accepting another authorization
 * server.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import { spelled } from '../../../upstream/definitions/plain-text.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { confirmPage } from '../../components/confirm.ts';
import { count, isolated } from '../../components/format.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { upstreams as words } from '../../words/upstreams.ts';
import { approvePage, atForms, nothingTicked, readDecisions } from './approve-page.ts';
import { ONE, upstreamPath } from './paths.ts';

/** The forms and their actions. */
export function decisionRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { operators } = deps.upstreams;
  const waitingOf = async (c: DashboardContext, name: string) => {
    const { environmentId } = c.get('viewer').caller;
    const upstream = await operators.get(environmentId, name);
    const waiting = upstream.connection_id === null ? [] : await operators.diff(environmentId, name);
    return { upstream, waiting };
  };
  return new Hono<DashboardEnv>()
    .use(`${ONE}/approve`, fresh)
    .get(`${ONE}/approve`, async (c) => {
      const name = c.req.param('name');
      return showPage(c, approvePage(c, await waitingOf(c, name), new URL(c.req.url).searchParams));
    })
    .post(`${ONE}/approve`, async (c) => {
      const name = c.req.param('name');
      const posted = await deps.posted.read(c);
      const seen = await waitingOf(c, name);
      const decisions = readDecisions(posted, seen.waiting);
      const { done, problems } =
        decisions.length === 0
          ? { done: undefined, problems: nothingTicked() }
          : await attempt(async () => operators.approve(c.get('viewer').caller, name, decisions));
      if (problems !== undefined) {
        const entered = { ticked: posted.all('ticked'), values: posted.values };
        const query = new URL(c.req.url).searchParams;
        return showPage(c, approvePage(c, seen, query, entered, atForms(problems, decisions)));
      }
      const published = words.approve.done(count(decisions.length), count(done.tools.approved));
      return deps.flashes.goTo(c, upstreamPath(done), published);
    })
    .use(`${ONE}/accept`, fresh)
    .get(`${ONE}/accept`, async (c) => {
      const upstream = await operators.get(c.get('viewer').caller.environmentId, c.req.param('name'));
      return showPage(c, acceptPage(c, upstream));
    })
    .post(`${ONE}/accept`, async (c) => {
      const name = c.req.param('name');
      const posted = await deps.posted.read(c);
      const issuer = posted.text('issuer');
      const origins = posted.text('origins').split(' ');
      const { done, problems } = await attempt(async () =>
        operators.accept(c.get('viewer').caller, name, { issuer, origins }),
      );
      if (problems !== undefined) {
        const upstream = await operators.get(c.get('viewer').caller.environmentId, name);
        return showPage(c, acceptPage(c, upstream, problems));
      }
      return deps.flashes.goTo(c, upstreamPath(done), words.accept.done(issuer));
    });
}

/** The page before accepting a change. Its form sends back the values that it showed, and only those are accepted. */
function acceptPage(
  c: DashboardContext,
  upstream: UpstreamView,
  violations: readonly FieldViolation[] = [],
): Page {
  const { accept: texts } = words;
  const path = upstreamPath(upstream);
  const { issuer, origins } = upstream.authorization_server_change ?? { issuer: '', origins: [] };
  return confirmPage(
    c,
    {
      title: texts.title(upstream.title),
      crumbs: [{ label: upstream.title, href: path }],
      lead: texts.lead,
      goes: [
        html`${texts.before} ${isolated(spelled(upstream.issuer ?? '-'))}`,
        html`${texts.after} ${isolated(spelled(issuer))}`,
        ...origins.map((origin) => html`${texts.origin} ${isolated(origin)}`),
      ],
      stays: texts.stays,
      button: texts.button,
      action: `${path}/accept`,
      cancel: path,
      values: { issuer, origins: origins.join(' ') },
    },
    violations.map((one) => ({ ...one, field: '' })),
  );
}

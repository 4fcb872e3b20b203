/** Changes the settings of a remote MCP server that was added while the program ran. Its name and address stay. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { fresh } from '../../access/fresh.ts';
import { attempt } from '../../access/posted-forms.ts';
import { card } from '../../components/card.ts';
import { buttons, check, field, form, problems, type Typed } from '../../components/form.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { showPage } from '../../frame/respond.ts';
import { upstreams } from '../../words/upstreams.ts';
import { readAddition } from './add-page.ts';
import { ONE, upstreamPath } from './paths.ts';

const words = upstreams.edit;

/** The form and its action. */
export function changingRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const { operators } = deps.upstreams;
  const named = async (c: DashboardContext): Promise<UpstreamView> =>
    operators.get(c.get('viewer').caller.environmentId, c.req.param('name') ?? '');
  return new Hono<DashboardEnv>()
    .use(`${ONE}/edit`, fresh)
    .get(`${ONE}/edit`, async (c) => {
      const upstream = await named(c);
      const values = { title: upstream.title, trusted: String(upstream.approval === 'trusted') };
      return showPage(c, changePage(c, upstream, { values }));
    })
    .post(`${ONE}/edit`, async (c) => {
      const name = c.req.param('name');
      const posted = await deps.posted.read(c);
      const { values } = posted;
      const upstream = await named(c);
      const { input, unreadable } = readAddition(posted);
      if (unreadable.length > 0)
        return showPage(c, changePage(c, upstream, { values, violations: unreadable }));
      const { title = '', connector, trusted = false } = input;
      const { done, problems: violations } = await attempt(async () =>
        operators.update(c.get('viewer').caller, name, {
          title,
          ...(connector !== undefined && { connector }),
          ...(trusted !== (upstream.approval === 'trusted') && { trusted }),
        }),
      );
      if (violations !== undefined) return showPage(c, changePage(c, upstream, { values, violations }));
      return deps.flashes.goTo(c, upstreamPath(done), words.done(done.title));
    });
}

function changePage(
  c: DashboardContext,
  upstream: UpstreamView,
  { values, violations = [] }: { values: Typed; violations?: readonly FieldViolation[] },
): Page {
  const path = upstreamPath(upstream);
  const { fields } = upstreams.add;
  return {
    title: words.title(upstream.title),
    lead: words.lead,
    crumbs: [{ label: upstream.title, href: path }],
    hasProblems: violations.length > 0,
    content: html`${problems(violations, { title: fields.title, connector: words.connector, trusted: fields.trusted })}
    ${card({
      id: 'change',
      kind: 'narrow',
      title: upstreams.add.heading,
      content: form(
        c,
        `${path}/edit`,
        html`${field({ name: 'title', label: fields.title, input: { kind: 'text', maxLength: 60 }, value: values['title'] ?? '' }, violations)}
        ${field({ name: 'connector', label: words.connector, hint: words.connectorHint, type: 'JSON', isOptional: true, input: { kind: 'lines', rows: 5 }, value: values['connector'] ?? '' }, violations)}
        ${check({ name: 'trusted', label: fields.trusted, detail: fields.trustedHint, isTicked: values['trusted'] === 'true' })}
        ${buttons(words.save, { cancel: { href: path, label: words.cancel } })}`,
      ),
    })}`,
  };
}

/** `/dashboard/upstreams`: remote MCP servers, for operators. */
import { Hono } from 'hono';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { namesOf } from '../../access/names.ts';
import { attempt } from '../../access/posted-forms.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { upstreams as words } from '../../words/upstreams.ts';
import { addingRoutes } from './adding.ts';
import { changingRoutes } from './changing.ts';
import { decisionRoutes } from './decisions.ts';
import { endingRoutes } from './ending.ts';
import { ONE, UPSTREAMS } from './paths.ts';
import { upstreamList } from './upstream-list.ts';
import { upstreamPage, type StoredUpstream } from './upstream-page.ts';

/** The pages and their line in the navigation. */
export const upstreams: DashboardPage = {
  entry: { path: UPSTREAMS, label: words.title, icon: 'ext', group: 'apps', audience: 'operator' },
  routes: (deps) =>
    new Hono<DashboardEnv>()
      .get(UPSTREAMS, async (c) => {
        const { environmentId } = c.get('viewer').caller;
        return showPage(c, upstreamList(await deps.upstreams.operators.list(environmentId)));
      })
      .get(ONE, async (c) => {
        const stored = await storedUpstream(deps, c, c.req.param('name'));
        return showPage(c, upstreamPage(c, stored));
      })
      .post(`${ONE}/probe`, async (c) => {
        const name = c.req.param('name');
        await deps.posted.read(c);
        const { environmentId } = c.get('viewer').caller;
        const { done, problems = [] } = await attempt(async () =>
          deps.upstreams.operators.probe(environmentId, name),
        );
        const stored = await storedUpstream(deps, c, name);
        return showPage(c, upstreamPage(c, stored, { findings: done?.findings ?? [], problems }));
      })
      .route('/', addingRoutes(deps))
      .route('/', changingRoutes(deps))
      .route('/', decisionRoutes(deps))
      .route('/', endingRoutes(deps)),
};

/** @throws ServiceError RESOURCE_NOT_FOUND */
async function storedUpstream(
  deps: DashboardDependencies,
  c: DashboardContext,
  name: string,
): Promise<StoredUpstream> {
  const viewer = c.get('viewer');
  const { environmentId } = viewer.caller;
  const { operators } = deps.upstreams;
  const upstream = await operators.get(environmentId, name);
  if (upstream.connection_id === null) return { upstream, forms: [], waiting: [], names: new Map() };
  const [forms, waiting] = await Promise.all([
    operators.tools(environmentId, name),
    operators.diff(environmentId, name),
  ]);
  const names = await namesOf(
    deps,
    viewer,
    forms.flatMap(({ decided_by: by }) => (by === null ? [] : [by])),
  );
  return { upstream, forms, waiting, names };
}

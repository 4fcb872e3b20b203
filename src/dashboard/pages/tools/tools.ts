/** `/dashboard/tools`: the tools of agents by app and toolset, with a page to try each. */
import { Hono } from 'hono';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import type { DashboardEnv } from '../../frame/dashboard-context.ts';
import { showPage } from '../../frame/respond.ts';
import { tools as words } from '../../words/tools.ts';
import { toolListPage, TOOLS_PATH } from './tool-list.ts';
import { ToolTrial } from './tool-trial.ts';

/** The page and its line in the navigation. */
export const tools: DashboardPage = {
  entry: { path: TOOLS_PATH, label: words.title, icon: 'tool', group: 'apps', audience: 'organization' },
  routes: (deps) => {
    const trial = new ToolTrial(deps);
    return new Hono<DashboardEnv>()
      .get(TOOLS_PATH, async (c) => {
        const catalog = deps.catalog.in(c.get('viewer').caller.environmentId);
        return showPage(c, toolListPage(catalog, new URL(c.req.url).searchParams));
      })
      .get(`${TOOLS_PATH}/:name`, async (c) => trial.open(c, c.req.param('name')))
      .post(`${TOOLS_PATH}/:name`, async (c) => trial.send(c, c.req.param('name')));
  },
};

/**
 * `/dashboard`: things that need attention, the number of calls, and the health of connections. A new installation
 * shows first steps.
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { startedCookie } from '../../../pages/frame/own-cookie.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { DashboardPage } from '../../access/dashboard-page.ts';
import { attention } from '../../components/attention.ts';
import { twoColumns } from '../../components/card.ts';
import { segmented } from '../../components/filters.ts';
import { livePart, liveSwitch } from '../../components/live.ts';
import { withQuery } from '../../components/table.ts';
import type { DashboardContext, DashboardEnv } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import type { Page } from '../../frame/layout.ts';
import { isPartial, showPage, showPart } from '../../frame/respond.ts';
import { frame } from '../../words/frame.ts';
import { overview as words } from '../../words/overview.ts';
import { ownersOf } from '../calls/call-table.ts';
import { recentCalls } from '../calls/recent-calls.ts';
import { environmentAttention, organizationAttention } from './attention-items.ts';
import { firstSteps, firstStepsCard, isStarted } from './first-steps.ts';
import {
  chartCard,
  connectionsCard,
  latestCard,
  organizationFigures,
  overviewFigures,
  reasonsCard,
} from './overview-cards.ts';
import {
  accountCounts,
  callSums,
  environmentHealth,
  isPeriod,
  latestCalls,
  PERIODS,
  type Period,
} from './overview-data.ts';

const PATH = '/dashboard';

const DISMISS_PATH = `${PATH}/first-steps`;

/** The page and its line in the navigation. */
export const overview: DashboardPage = {
  entry: { path: PATH, label: words.title, icon: 'home', group: 'start', audience: 'organization' },
  routes: (deps) => {
    const routes = new Hono<DashboardEnv>();
    routes.get(PATH, async (c) => {
      const { live, ...shown } = await page(deps, c);
      return live !== undefined && isPartial(c) ? showPart(c, live) : showPage(c, shown);
    });
    routes.post(DISMISS_PATH, async (c) => {
      await deps.posted.read(c);
      startedCookie.write(c, '1');
      return deps.flashes.goTo(c, PATH, words.start.hidden);
    });
    return routes;
  },
};

/** A page, and the part of it that refreshes itself. */
type LivePage = Page & { live?: Html };

async function page(deps: DashboardDependencies, c: DashboardContext): Promise<LivePage> {
  const { caller, organization } = c.get('viewer');
  if (organization === undefined) return environmentPage(deps, c);
  const [{ whole: accounts }, calls, latest] = await Promise.all([
    accountCounts(deps, caller),
    recentCalls(deps, caller),
    latestCalls(deps, caller),
  ]);
  return {
    title: words.title,
    lead: words.leadOfOrganization(organization.name),
    content: html`${attention(await organizationAttention(deps, caller, organization.name, accounts))}
    ${organizationFigures(calls, accounts)}
    ${latestCard(latest, await ownersOf(deps, c.get('viewer'), latest))}`,
  };
}

async function environmentPage(deps: DashboardDependencies, c: DashboardContext): Promise<LivePage> {
  const { caller } = c.get('viewer');
  const query = new URL(c.req.url).searchParams;
  const asked = query.get('period') ?? '';
  const period: Period = isPeriod(asked) ? asked : '24h';
  const [sums, { accounts, connections }, latest] = await Promise.all([
    callSums(deps, caller, period),
    environmentHealth(deps, caller),
    latestCalls(deps, caller),
  ]);
  if (startedCookie.read(c) === undefined) {
    const steps = await firstSteps(deps, caller, connections, accounts);
    if (!isStarted(steps) && !(steps.account && steps.tool))
      return { title: words.title, content: firstStepsCard(c, steps, DISMISS_PATH) };
  }
  const since = new Date(sums.since).toISOString().slice(0, 16).replace('T', ' ');
  const live = html`${attention(await environmentAttention(deps, caller, connections))}
  ${overviewFigures(sums, accounts)} ${twoColumns(chartCard(sums), reasonsCard(sums))}
  ${connectionsCard(connections, sums)} ${latestCard(latest, await ownersOf(deps, c.get('viewer'), latest))}`;
  return {
    title: words.title,
    lead: words.lead(frame.utc(since)),
    actions: html`<div class="buttons-row">${periods(period, query)} ${liveSwitch(PATH, query)}</div>`,
    content: livePart(PATH, query, live),
    live,
  };
}

function periods(current: Period, query: URLSearchParams): Html {
  return segmented(
    words.period,
    Object.keys(PERIODS)
      .filter(isPeriod)
      .map((period) => ({
        label: words.periods[period],
        href: withQuery(PATH, query, { period }),
        isCurrent: period === current,
      })),
  );
}

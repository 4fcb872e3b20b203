/**
 * The routes of the dashboard: its files, access, its pages, and a page for every failure.
 *
 * People who are not signed in go to the sign-in page and come back. Members of organizations go to their own
 * accounts.
 */
import { Hono } from 'hono';
import { assetResponse } from './assets/asset-response.ts';
import { viewerOf } from './access/viewer.ts';
import type { DashboardDependencies } from './access/dependencies.ts';
import type { DashboardPage } from './access/dashboard-page.ts';
import { failurePage, problemPage } from './failure-page.ts';
import type { DashboardContext, DashboardEnv } from './frame/dashboard-context.ts';
import { goTo, isPartial } from './frame/respond.ts';
import { PAGES } from './page-table.ts';
import { searchRoutes } from './pages/search/search.ts';
import { frame as words } from './words/frame.ts';

/** Page of people who have only their own accounts. */
const OWN_ACCOUNTS = '/accounts';

/** All routes at and below `/dashboard`. The listener sets environment and visitor before them. */
export function dashboardRoutes(deps: DashboardDependencies): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();
  routes.get('/dashboard/assets/:file', (c) => {
    const found = assetResponse(c.req.path, c.req.header('accept-encoding'));
    return found ?? c.body(null, 404);
  });
  routes.use(async (c, next) => (await enter(deps, c)) ?? next());
  for (const { routes: of } of PAGES) routes.route('/', of(deps));
  routes.route('/', searchRoutes(deps));
  routes.all('*', (c) => problemPage(c, words.problems.lost, 404));
  routes.onError((error, c) => failurePage(c, error, deps.log));
  return routes;
}

/** Finds the viewer and the data that every page shows; returns the answer for people who may not enter. */
async function enter(deps: DashboardDependencies, c: DashboardContext): Promise<Response | undefined> {
  const person = await deps.signedIn.requireSignedIn(c, wayBack(c));
  if (person instanceof Response)
    return isPartial(c) ? goTo(c, person.headers.get('location') ?? '/sign-in') : person;
  const now = deps.clock.now();
  const viewer = viewerOf(person, c.get('visitor').ip, now);
  if (viewer === undefined) return goTo(c, OWN_ACCOUNTS);
  const seen = PAGES.map(({ entry }) => entry).filter(
    ({ audience }) => viewer.isOperator || audience === 'organization',
  );
  c.set('viewer', viewer);
  c.set('csrf', deps.forms.open(c).csrf);
  c.set('shownAt', now);
  c.set(
    'navigation',
    viewer.isOperator ? seen : seen.map((entry) => ({ ...entry, label: entry.ownLabel ?? entry.label })),
  );
  c.set('environments', viewer.isOperator ? deps.environments.all : []);
  c.set('flash', c.req.method === 'GET' && !isPartial(c) ? deps.flashes.take(c) : undefined);
  const page = pageAt(c.req.path);
  if (page === undefined || seen.includes(page.entry)) return undefined;
  return problemPage(c, words.problems.operators, 403);
}

/** The page that a path belongs to: the one with the longest matching path. */
function pageAt(path: string): DashboardPage | undefined {
  return PAGES.filter(({ entry }) => path === entry.path || path.startsWith(`${entry.path}/`)).toSorted(
    (one, other) => other.entry.path.length - one.entry.path.length,
  )[0];
}

/**
 * The page that the browser opens after signing in: the one that it asked for. A posted form has to be filled in
 * again, from the page that leads to it, because not every form's address can be opened.
 */
function wayBack(c: DashboardContext): string {
  const { pathname, search } = new URL(c.req.url);
  return c.req.method === 'GET' ? `${pathname}${search}` : (pageAt(pathname)?.entry.path ?? '/dashboard');
}

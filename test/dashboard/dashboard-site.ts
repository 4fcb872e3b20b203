/**
 * The dashboard over a whole installation with a fixed clock, and browsers that are signed in to it.
 *
 *     const site = await openSite();
 *     const operator = await site.signedIn('operator');
 *     const page = await operator.get('/dashboard/calls');
 */
import { Hono } from 'hono';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorIn } from '../../src/app/commands/admin.ts';
import { buildIdentity } from '../../src/app/serve/build-identity.ts';
import { dashboardDependencies } from '../../src/app/serve/pages/dashboard-handler.ts';
import { openServices, type ServicesOptions } from '../../src/app/services/services.ts';
import { NO_VISITOR, type Caller, type Visitor } from '../../src/core/caller.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { dashboardRoutes } from '../../src/dashboard/dashboard-routes.ts';
import type { DashboardDependencies } from '../../src/dashboard/access/dependencies.ts';
import type { PageVariables } from '../../src/pages/frame/page-response.ts';
import { settingsIn } from '../app/folder.ts';
import { DeskBrowser, type Shown } from '../pages/people-desk.ts';
import { BY_EMAIL } from '../../src/people/sign-in/people-sign-in.ts';
import { closeAfterFile } from '../support/closing.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';

/** Who signs in: an operator, or the owner, an admin or a member of the organization Acme. */
export type Who = 'operator' | 'owner' | 'admin' | 'member';

const VISITOR: Visitor = {
  ...NO_VISITOR,
  ip: '192.0.2.9',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
  city: 'Oslo',
};

/** Address of the environment `development` of a site. */
export const BASE_URL = 'http://127.0.0.1:3000';

export type Site = Awaited<ReturnType<typeof openSite>>;

/** What a site is made of. */
export interface SiteOptions {
  clock?: FixedClock;
  /** Further settings. */
  env?: Readonly<Record<string, string>>;
  catalog?: ServicesOptions['catalog'];
  /** Takes the place of services of the pages. */
  replace?: Partial<DashboardDependencies>;
  baseUrl?: string;
}

/** Opens one; it is closed after the tests of the file. */
export async function openSite(options: SiteOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-dashboard-'));
  const clock = options.clock ?? fixedClock();
  const logged: unknown[][] = [];
  const log: Log = { ...silentLog, error: (event, fields) => void logged.push([event, fields]) };
  const baseUrl = options.baseUrl ?? BASE_URL;
  const services = await openServices({
    settings: settingsIn(folder, { GATEHOUSE_BASE_URL: baseUrl, ...options.env }),
    log,
    clock,
    ...(options.catalog !== undefined && { catalog: options.catalog }),
  });
  closeAfterFile(async () => {
    await services.close();
    rmSync(folder, { recursive: true });
  });
  const environment = services.environments.byName('development');
  const identity = buildIdentity(services);
  const people = await identity.people();
  const local: Caller = operatorIn(environment.id);
  const { organization } = await people.organizations.create(
    local,
    { name: 'Acme', user: { email: 'owner@acme.example', given_name: 'Olga' } },
    NO_VISITOR,
  );
  const app = new Hono<{ Variables: PageVariables }>();
  app.use(async (c, next) => {
    c.set('environment', { ...environment, baseUrl });
    c.set('visitor', VISITOR);
    await next();
  });
  const pages = { ...(await dashboardDependencies(services, identity)), ...options.replace };
  app.route('/', dashboardRoutes(pages));

  /** The user, made with the first question. */
  async function userOf(who: Who): Promise<string> {
    const email = who === 'operator' ? 'ada@example.test' : `${who}@acme.example`;
    const { users } = await people.users.list(local, { email });
    if (users[0] !== undefined) return users[0].id;
    const isMember = who === 'admin' || who === 'member';
    const given = { email, given_name: who === 'operator' ? 'Ada' : 'Max' };
    const user = await people.users.create(local, {
      ...given,
      ...(who === 'operator' && { is_operator: true }),
      ...(isMember && { organization_id: organization.id, role: who }),
    });
    return user.id;
  }

  /** The value of the cookie of a session that begins now. */
  async function cookieOf(who: Who): Promise<string> {
    const { cookie } = await identity.sessions.begin({
      environmentId: environment.id,
      kind: 'browser',
      userId: await userOf(who),
      organizationId: who === 'operator' ? '' : organization.id,
      clientId: '',
      resource: '',
      visitor: VISITOR,
      connectionDetails: BY_EMAIL,
      actor: await userOf(who),
    });
    return cookie;
  }

  const browser = (): DeskBrowser =>
    new DeskBrowser(baseUrl, async (url, init) => withoutBreaks(await app.request(url, init)));
  return {
    app,
    services,
    /** What the pages are made of. */
    pages,
    identity,
    people,
    clock,
    environment,
    organization,
    /** The command line. */
    local,
    /** Errors of the log. */
    logged,
    userOf,
    cookieOf,
    /** Nobody is signed in. */
    browser,
    signedIn: async (who: Who): Promise<DeskBrowser> => {
      const opened = browser();
      opened.cookies.set('gatehouse_session', await cookieOf(who));
      return opened;
    },
  };
}

/** Places where a line may break in a name or address are no part of it. */
async function withoutBreaks(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/html') !== true) return response;
  const { status, headers } = response;
  return new Response((await response.text()).replaceAll('<wbr />', ''), { status, headers });
}

/**
 * Sends a form of the page that a browser is on: its hidden fields, and what is entered. What a select or a tick box
 * shows is not sent by itself.
 *
 * @param action path of the form
 */
export async function submitTo(
  browser: DeskBrowser,
  action: string,
  entered: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const form = (browser.shown?.html ?? '')
    .split('<form')
    .find((part) => /^\s/.test(part) && part.slice(0, part.indexOf('>')).includes(`action="${action}"`));
  if (form === undefined) throw new Error(`the page has no form for ${action}`);
  const hidden = [...form.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')] as const,
  );
  return browser.post(action, { ...Object.fromEntries(hidden), ...entered });
}

import { beforeEach, describe, expect, it } from 'vitest';
import { OAuthRecords } from '../../../src/authorization-server/library/oauth-records.ts';
import type { StartedSession } from '../../../src/people/sessions.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { makeOrganization, makeUser, visitor } from '../../people/people-support.ts';
import { signInServices, type SignInServices } from '../../people/sign-in/sign-in-support.ts';
import { openPeopleDesk, type DeskBrowser, type PeopleDesk } from '../people-desk.ts';
import { storedForm } from '../../support/stored-rows.ts';

const MCP = 'http://127.0.0.1:3000/mcp';
const HALF_AN_HOUR = 30 * 60_000;
const NOT_THERE = { status: 404, title: 'This is no longer there' };

let services: SignInServices;
let desk: PeopleDesk;
let ada: string;
let house: string;
/** Ada's, signed in at 12:00. */
let browser: DeskBrowser;

beforeEach(async () => {
  services = await signInServices(await memoryDatabase());
  desk = openPeopleDesk(services);
  ({ id: house, ownerId: ada } = await makeOrganization(services, 'House', 'ada'));
  browser = await signedIn(ada);
});

async function begin(
  userId: string,
  holder: {
    kind?: 'browser' | 'client' | 'api' | 'mcp_server';
    clientId?: string;
    resource?: string;
    userAgent?: string;
  } = {},
  organizationId = '',
): Promise<StartedSession> {
  const { kind = 'browser', clientId = '', resource = '', userAgent = visitor.userAgent } = holder;
  return services.sessions.begin({
    environmentId: 'env_dev',
    kind,
    userId,
    organizationId,
    clientId,
    resource,
    visitor: { ...visitor, userAgent },
    connectionDetails: [],
    actor: userId,
  });
}

async function signedIn(userId: string): Promise<DeskBrowser> {
  const opened = desk.browser();
  opened.cookies.set('gatehouse_session', (await begin(userId, {}, house)).cookie);
  return opened;
}

const isLive = async ({ id }: { id: string }) => services.sessions.isLive('env_dev', id);

/** The rows of the page in words, in order. */
const rows = (): string[] =>
  [...(browser.shown?.html ?? '').matchAll(/<li(?: [^>]*)?>(.*?)<\/li>/gs)].map(([, row = '']) =>
    row
      .replaceAll(/<small/g, ' | <small')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

const csrf = (): string => /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';

/** Presses the button of a session. */
const end = async (id: string) => {
  await browser.get('/sessions');
  return browser.submit({ session_id: id });
};

describe('sessions page of a person', () => {
  it('shows browsers, apps and applications by name, place and time', async () => {
    const artifacts = new OAuthRecords({
      database: services.db,
      vault: services.vault,
      clock: services.clock,
    });
    const clientId = 'ghapp_1';
    const name = { environmentId: 'env_dev', model: 'Client', id: clientId };
    await artifacts.save(name, { client_name: 'Desk <b>App</b>' });
    const credential = {
      id: 'cred_9',
      environment_id: 'env_dev',
      name: 'Back office',
      client_id: 'backend',
      organization_id: '',
      scopes: 'admin',
      created_at: 1,
    };
    await services.db.transaction(async (tx) => tx.insertInto('credentials').values(credential).execute());
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36';
    const other = await begin(ada, { userAgent });
    await begin(ada, { kind: 'client', clientId, resource: MCP }, house);
    await begin(ada, { kind: 'client', clientId: 'https://app.example/client.json', resource: MCP });
    await begin(ada, { kind: 'client', clientId: 'ghapp_gone', resource: MCP });
    await begin(ada, { kind: 'api', clientId: 'backend', resource: 'http://127.0.0.1:3000/api' });
    await begin(ada, { kind: 'mcp_server', clientId: 'backend', resource: `${MCP}/sales` });
    services.clock.advance(HALF_AN_HOUR);
    await services.sessions.findByCookie('env_dev', other.cookie);

    const page = await browser.get('/sessions');
    expect(page).toMatchObject({ status: 200, title: 'Where you are signed in' });
    const since = 'signed in 2026-11-20 12:00:00 UTC';
    const renewed = `last renewed 30 minutes ago | ${since}`;
    expect(rows()).toEqual([
      'This browser | Lisbon | in House | signed in 30 minutes ago Sign out',
      'Chrome on Linux, Lisbon | last used now | signed in 30 minutes ago End',
      `ghapp_gone | ${renewed} | at ${MCP} End`,
      `app.example | ${renewed} | at ${MCP} End`,
      `Desk &lt;b&gt;App&lt;/b&gt; | ${renewed} | in House | at ${MCP} End`,
      `Back office | ${since} | at ${MCP}/sales End`,
      `Back office | ${renewed} | at http://127.0.0.1:3000/api End`,
    ]);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('tells apart apps of one name that signed in within a minute, and says which one each button ends', async () => {
    const apps = [];
    for (const seconds of [0, 1]) {
      services.clock.advance(seconds * 1_000);
      apps.push(await begin(ada, { kind: 'client', clientId: 'ghapp_1', resource: MCP }));
    }
    const { html } = await browser.get('/sessions');
    const at = (second: string) =>
      `ghapp_1 | last renewed now | signed in 2026-11-20 12:00:${second} UTC | at ${MCP} End`;
    expect(rows().slice(1)).toEqual([at('01'), at('00')]);
    for (const { id } of apps) {
      expect(html).toContain(`<span id="${id}"`);
      expect(html).toContain(`aria-describedby="${id}"`);
    }
  });

  it('lets host names break after their dots, and ends everything with a button that warns', async () => {
    await begin(ada, { kind: 'client', clientId: 'https://app.example/client.json', resource: MCP });
    const { html } = await browser.get('/sessions');
    expect(html).toContain('<bdi>app.<wbr />example</bdi>');
    expect(html).toContain('<a class="button quiet danger" href="/sessions/end-others">End all others</a>');
    expect(html).not.toContain('value="others"');
  });

  it('hides sessions of other people and environments, and those that are over', async () => {
    await begin(await makeUser(services, 'eve'));
    const ended = await begin(ada);
    await services.sessions.end('env_dev', ended.id, ada, '');
    const page = await browser.get('/sessions');
    expect(rows()).toHaveLength(1);
    expect(page.html).toContain('You are signed in nowhere else.');
    expect(page.html).not.toContain('End all others');
    const elsewhere = openPeopleDesk(services, { environmentId: 'env_prod' }).browser();
    elsewhere.cookies.set('gatehouse_session', browser.session ?? '');
    expect((await elsewhere.get('/sessions')).location).toBe('/sign-in?next=%2Fsessions');
  });

  it('does not say when a browser was used whose end does not move any more', async () => {
    const other = await begin(ada);
    const keep = browser.session ?? '';
    for (let i = 0; i < 23; i++) {
      services.clock.advance(HALF_AN_HOUR);
      for (const cookie of [other.cookie, keep]) await services.sessions.findByCookie('env_dev', cookie);
    }
    await browser.get('/sessions');
    expect(rows()[1]).toBe('Lisbon | signed in 11 hours ago End');
  });

  it('asks a visitor without a session to sign in', async () => {
    const stranger = desk.browser();
    expect(await stranger.get('/sessions')).toMatchObject({
      status: 303,
      location: '/sign-in?next=%2Fsessions',
    });
  });

  it('names places and times in the language of the page', async () => {
    await begin(ada, { userAgent: 'Mozilla/5.0 (iPhone) Version/18.0 Mobile/15E148 Safari/604.1' });
    services.clock.advance(2 * 60_000);
    await browser.get('/sessions', { 'accept-language': 'de' });
    expect(rows()[1]).toBe(
      'Safari unter iOS, Lisbon | zuletzt benutzt vor 2 Minuten | angemeldet vor 2 Minuten Beenden',
    );
    expect(browser.shown?.html).toContain('title="2026-11-20 12:00:00 UTC"');
  });

  it('has a menu that leads to the other pages of the person and signs out', async () => {
    const { html } = await browser.get('/sessions');
    for (const path of ['/accounts', '/organizations', '/dashboard'])
      expect(html).toContain(`href="${path}"`);
    expect(html).toMatch(/<a href="\/sessions" aria-current="page"\s*>Sessions<\/a/);
    expect(html).toContain('<form method="post" action="/sign-out">');
  });

  it('answers HEAD without a body, and ends nothing', async () => {
    const app = await begin(ada, { kind: 'client', clientId: 'ghapp_1', resource: MCP });
    const head = await browser.request(`/sessions?session_id=${app.id}`, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, html: '' });
    expect(await isLive(app)).toBe(true);
  });
});

describe('sessions page: ending one’s own sessions', () => {
  it('ends the session whose button is pressed, and writes the audit log', async () => {
    const app = await begin(ada, { kind: 'client', clientId: 'ghapp_1', resource: MCP });
    const other = await begin(ada);
    expect(await end(app.id)).toMatchObject({ status: 303, location: '/sessions' });
    expect([await isLive(app), await isLive(other)]).toEqual([false, true]);
    expect(desk.forgotten).toEqual([`env_dev ${ada} ghapp_1`]);
    const lines = await services.db.read
      .selectFrom('audit')
      .select(['actor', 'target', 'ip'])
      .where('action', '=', 'session.end')
      .execute();
    expect(lines).toEqual([{ actor: ada, target: app.id, ip: '192.0.2.9' }]);
  });

  it('ends all others, more than the page shows, and leaves this browser signed in', async () => {
    const eve = await begin(await makeUser(services, 'eve'));
    for (let i = 0; i < 101; i++) await begin(ada, { kind: 'api', clientId: 'backend', resource: MCP });
    await browser.get('/sessions');
    expect(rows()).toHaveLength(101);
    expect(browser.shown?.html).toContain('There are older ones too');
    expect(await end('others')).toMatchObject({ status: 303, location: '/sessions' });
    expect(await browser.get('/sessions')).toMatchObject({ status: 200 });
    expect(rows()).toHaveLength(1);
    expect(await isLive(eve)).toBe(true);
    const lines = (await services.auditLines()).filter((line) => line.includes('session.end'));
    expect(lines).toHaveLength(101);
  });

  it('asks before it ends all others, and says how many it ended', async () => {
    for (let i = 0; i < 3; i++) await begin(ada, { kind: 'api', clientId: 'backend', resource: MCP });
    const page = await browser.get('/sessions/end-others');
    expect(page).toMatchObject({ status: 200, title: 'End all other sessions?' });
    expect(page.html).toContain('3 sessions end.');
    expect((await browser.submit({ session_id: 'others' })).location).toBe('/sessions');
    const flash = '<p class="flash" role="status">Ended 3 sessions.</p>';
    expect((await browser.get('/sessions')).html).toContain(flash);
    expect((await browser.get('/sessions')).html).not.toContain('class="flash"');
    expect((await browser.get('/sessions/end-others')).location).toBe('/sessions');
  });

  it.each(['constructor.x', 'sessionsEnded', '<b>.x', 'sessionsEnded.<b>9</b>'])(
    'shows no markup and no unknown sentence of a cookie: %s',
    async (value) => {
      browser.cookies.set('gatehouse_notice', encodeURIComponent(value));
      const { html, status } = await browser.get('/sessions');
      expect([status, html.includes('<b>')]).toEqual([200, false]);
      expect(html.includes('class="flash"')).toBe(value.startsWith('sessionsEnded.'));
    },
  );

  it('signs out where the session is that of this browser', async () => {
    await browser.get('/sessions');
    const page = await browser.post('/sign-out', { csrf: csrf() });
    expect(page).toMatchObject({ status: 200, title: 'Signed out' });
    expect(browser.session).toBeUndefined();
  });

  it('answers for a session of somebody else as for one that does not exist or is over', async () => {
    const eve = await begin(await makeUser(services, 'eve'));
    const over = await begin(ada);
    await services.sessions.end('env_dev', over.id, ada, '');
    const pages = [];
    for (const id of [eve.id, `ses_${'0'.repeat(26)}`, over.id, 'ses_\u0000', ada, '']) {
      const page = await end(id);
      expect(page).toMatchObject(NOT_THERE);
      pages.push(page.html);
    }
    expect(new Set(pages).size).toBe(1);
    expect(await isLive(eve)).toBe(true);
  });

  it('leaves another environment alone, even for a user with the same id', async () => {
    const app = await begin(ada, { kind: 'client', clientId: 'ghapp_1', resource: MCP });
    const twin = await services.db.read
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', app.id)
      .executeTakeFirstOrThrow();
    const id = `ses_${'1'.repeat(26)}`;
    await services.db.transaction(async (tx) =>
      tx
        .insertInto('sessions')
        .values({ ...storedForm('sessions', twin), id, environment_id: 'env_prod' })
        .execute(),
    );
    expect(await end(id)).toMatchObject(NOT_THERE);
    await end('others');
    expect(await isLive(app)).toBe(false);
    expect(desk.forgotten).toEqual([`env_dev ${ada} ghapp_1`]);
    expect(await services.sessions.isLive('env_prod', id)).toBe(true);
  });

  it('requires the CSRF token of this browser and somebody who is signed in', async () => {
    const [mine, other] = [
      await services.people.ofCookie('env_dev', browser.session ?? ''),
      await begin(ada),
    ];
    await browser.get('/sessions');
    const token = csrf();
    for (const form of [{ session_id: other.id }, { session_id: other.id, csrf: `${token}x` }])
      expect(await browser.post('/sessions', form)).toMatchObject({ status: 403 });
    const form = { session_id: 'others', csrf: token };
    expect(await browser.post('/sessions', form, { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      title: 'This form came from another site',
    });
    await services.sessions.end('env_dev', mine?.session.id ?? '', ada, '');
    expect((await browser.post('/sessions', form)).location).toBe('/sign-in?next=%2Fsessions');
    expect(await isLive(other)).toBe(true);
  });
});

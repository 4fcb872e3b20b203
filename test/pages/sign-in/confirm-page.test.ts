import { beforeEach, describe, expect, it } from 'vitest';
import { SignIn } from '../../../src/people/sign-in/people-sign-in.ts';
import { testAuthorizationServer } from '../../support/authorization-server.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { visitor } from '../../people/people-support.ts';
import { signInServices } from '../../people/sign-in/sign-in-support.ts';
import {
  BROWSER,
  ENVIRONMENT_ID,
  machine,
  submitForm,
  testServices,
  type Services,
} from '../../support/services.ts';
import { inEveryEnvironment, testCatalog } from '../../support/test-catalog.ts';
import { openPeopleDesk, type DeskBrowser } from '../people-desk.ts';

let services: Services;
let open: () => DeskBrowser;

beforeEach(async () => {
  services = await testServices({
    environment: { userVerification: 'signed_in', userVerifyUrl: undefined },
  });
  const { db, clock, environments, verification } = services;
  const { sessions } = testAuthorizationServer(services);
  const people = new SignIn({ db, clock, sessions });
  const base = {
    ...(await signInServices(await memoryDatabase())),
    db,
    clock,
    environments,
    sessions,
    people,
  };
  const desk = openPeopleDesk(base, {
    environmentId: ENVIRONMENT_ID,
    verification,
    catalog: inEveryEnvironment(testCatalog),
  });
  open = () => desk.browser();
  for (const name of ['ada', 'eve']) {
    const row = {
      id: `usr_${name}`,
      environment_id: ENVIRONMENT_ID,
      email: `${name}@example.test`,
      email_verified: 1,
      given_name: '',
      family_name: '',
      is_operator: 0,
      created_at: 1,
      updated_at: 1,
    } as const;
    await db.transaction(async (tx) => tx.insertInto('users').values(row).execute());
  }
  signedIn = async (name, cookie = name === 'ada' ? BROWSER : '') => {
    const started = await sessions.begin({
      environmentId: ENVIRONMENT_ID,
      kind: 'browser',
      userId: `usr_${name}`,
      organizationId: '',
      clientId: '',
      resource: '',
      visitor,
      connectionDetails: [],
      actor: `usr_${name}`,
    });
    const browser = open();
    browser.cookies.set('gatehouse_session', started.cookie);
    if (cookie !== '') browser.cookies.set('gatehouse_browser', cookie);
    return browser;
  };
});

/** A browser in which somebody is signed in; Ada's is by default the one that consents. */
let signedIn: (name: string, cookie?: string) => Promise<DeskBrowser>;

/** The page that the browser is sent to after a form for Ada's account. */
async function confirmPath(): Promise<string> {
  const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'usr_ada' });
  const url = new URL((await submitForm(services, link, { api_key: 'k' })) ?? 'none:');
  return url.pathname + url.search;
}

const statusOf = async (): Promise<string> =>
  (
    await services.accounts.describe(machine, {
      connection: 'notes',
      identifier: 'usr_ada',
      user_id: 'usr_ada',
    })
  ).status;

describe('account on the link page of a signed-in person', () => {
  it.each([
    ['usr_ada', 'ada@example.test'],
    ['usr_nobody', 'usr_nobody'],
  ])('names the account of %s by %s', async (userId, shown) => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: userId });
    const { page } = await services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1] ?? '', undefined);
    expect(page.identifier).toBe(shown);
  });

  it('keeps a name that somebody chose', async () => {
    const key = { connector: 'notes', user_id: 'usr_ada', identifier: 'Work' };
    const { link } = await services.links.create(machine, key);
    const { page } = await services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1] ?? '', undefined);
    expect(page.identifier).toBe('Work');
  });
});

describe('link confirmation page: /connect/confirm', () => {
  it('asks to sign in first, and comes back', async () => {
    const path = await confirmPath();
    const asked = await open().get(path);
    expect(asked).toMatchObject({
      status: 303,
      location: `/sign-in?${new URLSearchParams({ next: path }).toString()}`,
    });
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
  });

  it('says at the sign-in which account it is for, in the browser that consented and in no other', async () => {
    const path = await confirmPath();
    await services.db.transaction(async (tx) => {
      const { id } = await tx.selectFrom('auth_requests').select('id').executeTakeFirstOrThrow();
      const place = { table: 'auth_requests', row: id, column: 'display_name_sealed' };
      const sealed = await services.vault.seal(place, 'Robin <b>');
      await tx
        .updateTable('auth_requests')
        .set({ display_name_sealed: sealed })
        .where('id', '=', id)
        .execute();
    });
    const shown = async (cookie: string): Promise<string> => {
      const browser = open();
      browser.cookies.set('gatehouse_browser', cookie);
      const asked = await browser.get(path);
      return (await browser.get(asked.location)).html.replaceAll(/\s+/g, ' ');
    };
    expect(await shown(BROWSER)).toContain(
      'sign in so that we know that the account <bdi>Robin &lt;b&gt;</bdi> of <bdi>Notes</bdi> that you are connecting is yours.',
    );
    const elsewhere = await shown('x'.repeat(43));
    expect(elsewhere).toContain('sign in so that we know that the account that you are connecting is yours.');
    for (const named of ['Robin', 'Notes']) expect(elsewhere).not.toContain(named);
  });

  it('shows the owner what will be connected, and connects with the form', async () => {
    const browser = await signedIn('ada');
    const page = await browser.get(await confirmPath());
    expect(page.status).toBe(200);
    expect(page.html).toContain('ada@example.test');
    expect(page.html).toContain('If you do nothing, Gatehouse deletes this access.');
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
    expect(browser.cookies.has('gatehouse_done')).toBe(false);
    expect(await browser.submit()).toMatchObject({
      status: 303,
      location: 'http://127.0.0.1:3000/connect/done',
    });
    expect(browser.cookies.get('gatehouse_done')).toMatch(/^lnk_\w{26}\.[\w-]{43}$/);
    expect(await statusOf()).toBe('ACTIVE');
    expect(await browser.get(await confirmPath())).toMatchObject({ status: 200 });
  });

  it('redirects to the page of the connection, which the policy of the page names', async () => {
    await services.connections.update(
      machine,
      (await services.connections.list(ENVIRONMENT_ID)).find(({ name }) => name === 'notes')?.id ?? '',
      { post_user_verify_redirect_url: 'https://app.example.test/connected' },
    );
    const browser = await signedIn('ada');
    const page = await browser.get(await confirmPath());
    expect(page.headers.get('content-security-policy')).toContain('https://app.example.test');
    expect((await browser.submit()).location).toBe('https://app.example.test/connected');
  });

  it('tells somebody else that the owner can still confirm, who then does', async () => {
    const path = await confirmPath();
    const page = await (await signedIn('eve')).get(path);
    const words = page.html.replaceAll(/\s+/g, ' ');
    expect(words).toContain('only they can confirm it, and nobody uses it before that');
    expect(words).not.toContain('not made');
    const ada = await signedIn('ada');
    await ada.get(path);
    expect(await ada.submit()).toMatchObject({ status: 303 });
    expect(await statusOf()).toBe('ACTIVE');
  });

  it('refuses anybody else, and counts it as a wrong identifier', async () => {
    const path = await confirmPath();
    const browser = await signedIn('eve');
    const page = await browser.get(path);
    expect(page).toMatchObject({ status: 403, title: 'This connection is not yours' });
    expect(page.html).toContain('action="/sign-out"');
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    const auth_request_id = new URLSearchParams(path.split('?')[1]).get('auth_request_id') ?? '';
    for (let i = 0; i < 4; i++)
      expect(await browser.post('/connect/confirm', { csrf, auth_request_id })).toMatchObject({
        status: 403,
      });
    expect(await statusOf()).toBe('PENDING_AUTH');
    const ada = await signedIn('ada');
    expect(await ada.get(path)).toMatchObject({ status: 404, title: 'There is nothing to confirm' });
  });

  it.each([
    ['no cookie', ''],
    ['the cookie of another browser', 'x'.repeat(43)],
    ['the hash that is stored', 'hash'],
    ['a malformed cookie', '%00'],
  ])('shows the owner no button in a browser with %s, and tells them', async (_case, cookie) => {
    const path = await confirmPath();
    const { browser_hash } = await services.db.read
      .selectFrom('auth_requests')
      .select('browser_hash')
      .executeTakeFirstOrThrow();
    const ada = await signedIn('ada', cookie === 'hash' ? (browser_hash ?? '') : cookie);
    const page = await ada.get(path);
    expect(page).toMatchObject({ status: 403, title: 'You cannot confirm this in this browser' });
    expect(page.html).not.toMatch(/<(form|button)/);
    const words = page.html.replaceAll(/\s+/g, ' ');
    expect(words).toContain('somebody may be trying to connect their own Notes account as yours');
    expect(words).toContain('<bdi>ada@example.test</bdi>');
    await ada.get('/sessions');
    const csrf = /name="csrf" value="([^"]*)"/.exec(ada.shown?.html ?? '')?.[1] ?? '';
    const auth_request_id = new URLSearchParams(path.split('?')[1]).get('auth_request_id') ?? '';
    expect(await ada.post('/connect/confirm', { csrf, auth_request_id })).toMatchObject({ status: 403 });
    expect(ada.cookies.has('gatehouse_done')).toBe(false);
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
    const own = await signedIn('ada');
    await own.get(path);
    expect(await own.submit()).toMatchObject({ status: 303 });
    expect(await statusOf()).toBe('ACTIVE');
  });

  it('refuses a form of another browser or site (CSRF)', async () => {
    const path = await confirmPath();
    const [ada, eve] = [await signedIn('ada'), await signedIn('eve')];
    const auth_request_id = new URLSearchParams(path.split('?')[1]).get('auth_request_id') ?? '';
    await eve.get('/sessions');
    const csrf = /name="csrf" value="([^"]*)"/.exec(eve.shown?.html ?? '')?.[1] ?? '';
    expect(csrf).not.toBe('');
    expect(await ada.post('/connect/confirm', { csrf, auth_request_id })).toMatchObject({ status: 403 });
    await ada.get(path);
    const own = /name="csrf" value="([^"]*)"/.exec(ada.shown?.html ?? '')?.[1] ?? '';
    const posted = await ada.post(
      '/connect/confirm',
      { csrf: own, auth_request_id },
      { origin: 'https://evil.example' },
    );
    expect(posted.status).toBe(403);
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
  });

  it('spends and counts nothing for a browser that prefetches', async () => {
    const path = await confirmPath();
    const browser = await signedIn('eve');
    for (let i = 0; i < 6; i++) {
      expect((await browser.get(path, { 'sec-purpose': 'prefetch' })).status).toBe(503);
      expect((await browser.request(path, { method: 'HEAD' })).status).toBe(200);
    }
    const [row] = await services.db.read.selectFrom('auth_requests').select('wrong_identifiers').execute();
    expect(row).toEqual({ wrong_identifiers: 0 });
  });

  it.each(['', 'x', '../../sign-out', 'a'.repeat(200), '"><script>'])(
    'says that there is nothing to confirm for %j',
    async (id) => {
      const browser = await signedIn('ada');
      const path = `/connect/confirm?${new URLSearchParams({ auth_request_id: id }).toString()}`;
      expect(await browser.get(path)).toMatchObject({ status: 404, title: 'There is nothing to confirm' });
    },
  );

  it('promises no time, because the settings say how long a confirmation is waited for', async () => {
    const browser = await signedIn('ada');
    const path = await confirmPath();
    const pages = [(await browser.get(path)).html, (await browser.get(`${path.slice(0, -4)}AAAA`)).html];
    expect(pages[1]).toContain('took too long');
    for (const html of pages) expect(html).not.toMatch(/\d+ (second|minute|hour)/);
  });
});

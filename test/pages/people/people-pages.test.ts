import { beforeEach, describe, expect, it } from 'vitest';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { machine, makeMember, makeOrganization, makeUser, visitor } from '../../people/people-support.ts';
import { acme, signInServices, type SignInServices } from '../../people/sign-in/sign-in-support.ts';
import { openPeopleDesk, type DeskBrowser, type PeopleDesk } from '../people-desk.ts';

let services: SignInServices;
let desk: PeopleDesk;
let browser: DeskBrowser;

async function open(options: Parameters<typeof signInServices>[1] = {}, change = {}): Promise<void> {
  services = await signInServices(await memoryDatabase(), options);
  desk = openPeopleDesk(services, change);
  browser = desk.browser();
}

beforeEach(() => open());

/** The code of the last mail. */
const code = (): string => /\b\d{8}\b/.exec(services.mails.at(-1)?.text ?? '')?.[0] ?? '';

async function askCode(email = 'ada@example.test', next?: string, with_ = browser) {
  await with_.get(next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`);
  return with_.submit({ email });
}

async function signIn(email = 'ada@example.test', next?: string, with_ = browser) {
  await askCode(email, next, with_);
  return with_.submit({ code: code() });
}

/** Signs out with the button of the page of sessions. */
async function signOut() {
  const { html } = await browser.get('/sessions');
  return browser.post('/sign-out', { csrf: /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '' });
}

/** Who is signed in there. */
const personIn = async (with_ = browser) => services.people.ofCookie('env_dev', with_.session ?? '');

const rowsOf = async (table: 'users' | 'sessions' | 'organizations' | 'memberships') =>
  services.db.read.selectFrom(table).selectAll().execute();

describe('sign-in page: code by e-mail', () => {
  it('redirects to the dashboard with a cookie of its own, and marks the address proven', async () => {
    const userId = await makeUser(services, 'ada');
    const page = await askCode('Ada@Example.TEST');
    expect(page.html).toContain('autocomplete="one-time-code"');
    const done = await browser.submit({ code: code() });
    expect(done).toMatchObject({ status: 303, location: '/dashboard' });
    expect(await personIn()).toMatchObject({
      userId,
      session: {
        organizationId: '',
        connectionDetails: [{ id: 'conn_email', type: 'PASSWORDLESS', provider: 'EMAIL' }],
      },
    });
    expect(await rowsOf('users')).toMatchObject([{ email_verified: true }]);
  });

  it('leads back to the beginning when the code is used up, and asks for it no more', async () => {
    await makeUser(services, 'ada');
    await askCode('ada@example.test', '/sessions');
    for (let i = 0; i < 4; i++) {
      expect((await browser.submit({ code: 'x' })).title).toBe('Error: Enter the code');
    }
    const page = await browser.submit({ code: 'x' });
    expect(page).toMatchObject({ status: 400, title: 'This code no longer works' });
    expect(page.html).toContain('<a href="/sign-in?next=%2Fsessions">Start again');
    expect(page.html).not.toContain('name="code"');
    expect(await browser.submit()).toMatchObject({ status: 200, title: 'Enter the code' });
    expect((await browser.submit({ code: code() })).location).toBe('/sessions');
  });

  it('says how long the code still works, and sends another one that replaces it', async () => {
    await makeUser(services, 'ada');
    await askCode('ada@example.test', '/sessions');
    const first = code();
    expect(browser.shown?.html).toContain('works for 10 more minutes');
    services.clock.advance(3.5 * 60_000);
    expect((await browser.submit({ code: 'x' })).html).toContain('works for 7 more minutes');
    services.clock.advance(5.6 * 60_000);
    expect((await browser.submit({ code: 'x' })).html).toContain('works for one more minute');
    const [, again = ''] = /(<form method="post" action="\/sign-in">.*?<\/form>)/s.exec(
      browser.shown?.html ?? '',
    ) ?? [''];
    expect(again).toContain('Send another code');
    const fields = [...again.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    expect((await browser.post('/sign-in', Object.fromEntries(fields))).html).toContain('10 more minutes');
    expect(code()).not.toBe(first);
    expect((await browser.submit({ code: first })).status).toBe(400);
    expect((await browser.submit({ code: code() })).location).toBe('/sessions');
  });

  it('begins in the organization that the person has belonged to longest', async () => {
    const first = await makeOrganization(services, 'First', 'ada');
    services.clock.advance(1);
    await makeOrganization(services, 'Second', 'ada');
    await signIn();
    expect((await personIn())?.session.organizationId).toBe(first.id);
  });

  it('answers an unknown address word by word like a known one, and stores as much', async () => {
    await makeUser(services, 'ada');
    const [known, unknown] = [desk.browser(), desk.browser()];
    const pages = [];
    for (const [with_, email] of [
      [known, 'ada@example.test'],
      [unknown, 'eve@example.test'],
    ] as const) {
      const asked = await askCode(email, undefined, with_);
      const answers = [asked];
      for (let i = 0; i < 5; i++) answers.push(await with_.submit({ code: 'abcdefgh' }));
      expect(answers.at(-1)?.title).toBe('This code no longer works');
      pages.push(
        answers.map(({ status, html }) => ({
          status,
          html: html
            .replaceAll('<wbr />', '')
            .replaceAll(email, 'x')
            .replaceAll(/name="csrf" value="[^"]*"/g, ''),
        })),
      );
    }
    expect(pages[1]).toEqual(pages[0]);
    expect(services.mails.map(({ to }) => to)).toEqual(['ada@example.test']);
    const rows = await services.db.read.selectFrom('email_codes').selectAll().execute();
    expect(rows.map(({ wrong_codes }) => wrong_codes)).toEqual([5, 5]);
  });

  it('refuses the code in the browser of somebody else who knows it', async () => {
    await makeUser(services, 'ada');
    await askCode();
    const other = desk.browser();
    await askCode('eve@example.test', undefined, other);
    const tried = await other.submit({ email: 'ada@example.test', code: code() });
    expect(tried.status).toBe(400);
    expect(other.session).toBeUndefined();
  });

  it('gives a fresh cookie each time, so that a planted cookie signs in as nobody', async () => {
    await makeUser(services, 'ada');
    const planted = 'p'.repeat(43);
    browser.cookies.set('gatehouse_session', planted);
    await signIn();
    expect(browser.session).toMatch(/^[\w-]{43}$/);
    expect(browser.session).not.toBe(planted);
    expect(await services.people.ofCookie('env_dev', planted)).toBeUndefined();
  });

  it('ends the session that the browser had before', async () => {
    await makeUser(services, 'ada');
    await makeUser(services, 'eve');
    await signIn();
    const before = browser.session ?? '';
    await signOut();
    browser.cookies.set('gatehouse_session', before);
    expect(await services.people.ofCookie('env_dev', before)).toBeUndefined();
    await signIn('eve@example.test');
    const eve = browser.session ?? '';
    // Signed in already: a new sign-in in the same browser begins by the form of a page kept open.
    const other = desk.browser();
    await askCode('ada@example.test', undefined, other);
    other.cookies.set('gatehouse_session', eve);
    await other.submit({ code: code() });
    expect(await services.people.ofCookie('env_dev', eve)).toBeUndefined();
    expect(await personIn(other)).toMatchObject({ email: 'ada@example.test' });
  });

  it('keeps its cookies for itself over https', async () => {
    await open({}, { baseUrl: 'https://gate.example.test' });
    await makeUser(services, 'ada');
    const done = await signIn();
    expect(done.headers.getSetCookie().toSorted()).toEqual([
      expect.stringMatching(
        /^__Host-gatehouse_known=[\w-]{43}\.\d+\.[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(/^__Host-gatehouse_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  it('shows the words of a policy that says no', async () => {
    await makeUser(services, 'ada');
    services.policy.denial = 'Only from the <office>.';
    const page = await signIn();
    expect(page).toMatchObject({ status: 403, title: 'This is not allowed' });
    expect(page.html).toContain('Only from the &lt;office&gt;.');
    expect(browser.session).toBeUndefined();
    expect(browser.cookies.has('gatehouse_known')).toBe(false);
  });

  it('says when codes are asked for too often', async () => {
    for (let i = 0; i < 5; i++) await askCode();
    const page = await askCode();
    expect(page).toMatchObject({ status: 429, title: 'Too many attempts' });
    expect(page.headers.get('retry-after')).toBe('3600');
    expect(page.html).toContain('60 minutes');
  });

  it('still sends codes to a browser that signed in as this person before', async () => {
    await makeUser(services, 'ada');
    await signIn();
    await signOut();
    const stranger = desk.browser();
    const asked = [];
    for (let i = 0; i < 6; i++) asked.push((await askCode('ada@example.test', undefined, stranger)).status);
    expect(asked).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await signIn()).status).toBe(303);
    expect(await personIn()).toMatchObject({ email: 'ada@example.test' });
    expect((await askCode('eve@example.test', undefined, stranger)).status).toBe(200);
  });

  it('says how long a code takes when many were asked for, to everybody alike', async () => {
    await makeUser(services, 'ada');
    for (const email of ['ada@example.test', 'nobody@example.test']) {
      for (let i = 0; i < 20; i++)
        await services.codes.send({
          environmentId: 'env_dev',
          email,
          browser: 'e'.repeat(43),
          known: '',
          ip: `198.18.${i}.1`,
          isMeant: async () => false,
        });
      expect((await askCode(email)).html).toMatch(/so this one comes\s+in 2 minutes\. Keep this page open/);
    }
  });

  it('says that sign-in is not set up without a mail server, except on loopback', async () => {
    await open({ hasMail: false }, { environmentId: 'env_prod' });
    services.environments.get('env_prod').isLocalOnly = false;
    const page = await askCode();
    expect(page).toMatchObject({ status: 503, title: 'Sign-in by e-mail is not set up' });
  });

  it('warns everybody alike when the mail server fails', async () => {
    services.mailer.isFailing = true;
    for (const email of ['ada@example.test', 'nobody@example.test'])
      expect((await askCode(email)).html).toContain('codes may not arrive');
  });

  it.each(['no address', 'a@b@c', 'a@example.test, b@example.test', 'a@example.test\r\nBcc: b@example.test'])(
    'refuses %j as an address',
    async (email) => {
      const page = await askCode(email);
      expect(page.status).toBe(400);
      expect(page.html).toContain('Enter an e-mail address');
      expect(services.mails).toEqual([]);
    },
  );
});

describe('sign-in page: redirect after signing in', () => {
  it.each([
    '/organizations',
    '/sessions',
    '/invitations/abc_-9',
    '/sign-up',
    '/dashboard/accounts/ca_1',
    '/dashboard/calls?status=error&from=2026-11-20T14%3A30',
    `/connect/confirm?auth_request_id=${'a'.repeat(43)}`,
  ])('redirects to %s as the request asks', async (next) => {
    await makeUser(services, 'ada');
    expect(await signIn('ada@example.test', next)).toMatchObject({ status: 303, location: next });
  });

  it('asks a signed-in person for a new proof, and begins a new session with it', async () => {
    await makeUser(services, 'ada');
    await signIn();
    const before = browser.session ?? '';
    expect(await browser.get('/sign-in?next=%2Fdashboard%2Fcredentials')).toMatchObject({ status: 303 });
    const page = await browser.get('/sign-in?again=1&next=%2Fdashboard%2Fcredentials');
    expect(page).toMatchObject({ status: 200, title: 'Sign in' });
    await browser.submit({ email: 'ada@example.test' });
    expect(await browser.submit({ code: code() })).toMatchObject({ location: '/dashboard/credentials' });
    expect(await services.people.ofCookie('env_dev', before)).toBeUndefined();
    expect(await personIn()).toMatchObject({ email: 'ada@example.test' });
  });

  it('says which app a consent is asked for, in the browser that the app sent here and for that consent only', async () => {
    const waiting = new Map([
      ['/oauth/interaction/one', { clientName: 'Claude <b>', clientHost: undefined }],
      ['/oauth/interaction/two', { clientName: undefined, clientHost: undefined }],
      ['/oauth/interaction/three', { clientName: undefined, clientHost: 'agent.example.test' }],
    ]);
    await open(
      {},
      {
        consents: { asking: async ({ uid }: { uid: string }) => waiting.get(`/oauth/interaction/${uid}`) },
      },
    );
    const shown = async (next: string): Promise<string> =>
      (await browser.get(`/sign-in?next=${encodeURIComponent(next)}`)).html.replaceAll(/\s+/g, ' ');
    await browser.get('/oauth/interaction/one');
    expect(await shown('/oauth/interaction/one')).toContain(
      '<p>An app that calls itself <bdi>Claude &lt;b&gt;</bdi> wants to act for you. Sign in to decide.</p>',
    );
    expect(await shown('/oauth/interaction/two')).not.toContain('Claude');
    await browser.get('/oauth/interaction/two');
    expect(await shown('/oauth/interaction/two')).toContain('<p>An app wants to act for you.');
    await browser.get('/oauth/interaction/three');
    expect(await shown('/oauth/interaction/three')).toContain(
      '<p>An app of <bdi>agent.example.test</bdi> wants to act for you.',
    );
    browser.cookies.clear();
    expect(await shown('/oauth/interaction/one')).not.toContain('Claude');
  });

  it('redirects to the consent page by way of a page of its own', async () => {
    await makeUser(services, 'ada');
    const page = await signIn('ada@example.test', '/oauth/interaction/abc');
    expect(page.status).toBe(200);
    expect(page.html).toContain('<meta http-equiv="refresh" content="0; url=/oauth/interaction/abc" />');
    expect(browser.session).toBeDefined();
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/%2F%2Fevil.example',
    'javascript:alert(1)',
    '/dashboard\r\nset-cookie: a=b',
    '/organizations@evil.example',
    '/dashboard/../sign-out',
    '/dashboard/%2e%2e/sign-out',
    '/dashboard//evil.example',
    '/dashboard?a=b#c',
    '/oauth/interaction/../../sign-out',
    '/connect/confirm?auth_request_id=a&next=https://evil.example',
    '/api/v1/organizations',
    '',
  ])('redirects to the dashboard instead of %j', async (next) => {
    await makeUser(services, 'ada');
    await askCode('ada@example.test');
    const done = await browser.submit({ code: code(), next });
    expect(done.location).toBe('/dashboard');
    const again = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(again.location).toBe('/dashboard');
  });
});

describe('CSRF protection of forms for people', () => {
  const FORMS = [
    ['/sign-in', { email: 'ada@example.test' }],
    ['/sign-in/code', { email: 'ada@example.test', code: '12345678' }],
    ['/sign-up', { name: 'x', email: 'a@example.test' }],
    ['/sign-up/code', { name: 'x', email: 'a@example.test', code: '12345678' }],
    ['/sign-out', {}],
    ['/organizations', { organization_id: 'org_1' }],
    ['/sessions', { session_id: 'others' }],
    ['/invitations/abc', {}],
    ['/invitations/abc/code', { code: '12345678' }],
    ['/connect/confirm', { auth_request_id: 'a'.repeat(43) }],
  ] as const;

  it.each(FORMS)(
    'accepts a post of %s with the CSRF token of the same browser only',
    async (path, fields) => {
      await browser.get('/sign-in');
      const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
      const foreign = desk.browser();
      await foreign.get('/sign-in');
      expect(await browser.post(path, fields)).toMatchObject({ status: 403 });
      expect(await browser.post(path, { ...fields, csrf: `${csrf}x` })).toMatchObject({ status: 403 });
      const stolen = await foreign.post(path, { ...fields, csrf });
      expect(stolen).toMatchObject({ status: 403, title: 'This form is no longer valid' });
      expect(await desk.browser().post(path, { ...fields, csrf })).toMatchObject({ status: 403 });
    },
  );

  it.each(FORMS)('answers 403 to a post of %s from another origin', async (path, fields) => {
    await browser.get('/sign-in');
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:3001'])
      expect(await browser.post(path, { ...fields, csrf }, { origin })).toMatchObject({
        status: 403,
        title: 'This form came from another site',
      });
  });

  it('accepts small forms and nothing else', async () => {
    await browser.get('/sign-in');
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    expect(await browser.post('/sign-in', { csrf, email: 'x'.repeat(20_000) })).toMatchObject({
      status: 413,
    });
    expect(await browser.post('/sign-in', { csrf }, { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
    });
  });

  it('serves pages that nobody can frame, store or script', async () => {
    await open({ signUp: 'open' });
    await makeUser(services, 'ada');
    for (const page of [await browser.get('/sign-in'), await browser.get('/sign-up'), await askCode()]) {
      const csp = page.headers.get('content-security-policy') ?? '';
      expect(csp).toContain("default-src 'none'");
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).toContain("form-action 'self';");
      expect(csp).not.toContain('script-src');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.html).not.toContain('<script');
    }
  });

  it('shows the entered values as text', async () => {
    await browser.get('/sign-in');
    const page = await browser.submit({ email: '"><script>alert(1)</script>' });
    expect(page.html).not.toContain('<script>alert');
    expect(page.html).toContain('&quot;&gt;&lt;script&gt;');
  });
});

describe('sign-up page for a new organization', () => {
  const FIELDS = { name: 'Engines', email: 'ada@example.test', given_name: 'Ada', family_name: 'Lovelace' };

  async function signUp(fields = FIELDS) {
    await browser.get('/sign-up');
    return browser.submit(fields);
  }

  it('says that a code is on its way, which the sign-in page does not say', async () => {
    await open({ signUp: 'open' });
    expect((await signUp()).html).toContain(
      'A code is on its way to <bdi>ada@<wbr />example.<wbr />test</bdi>.',
    );
    expect((await askCode()).html).toContain('If somebody here has the address');
  });

  it('says before the form is sent where the code will be', async () => {
    await open({ signUp: 'open' });
    expect((await browser.get('/sign-up')).html).toContain('We send a code to it in the next step.');
    await open({ signUp: 'open', hasMail: false });
    const { html } = await browser.get('/sign-up');
    expect(html).toContain('This Gatehouse has no mail server: the code for the next step is in its log.');
    expect(html).not.toContain('We send a code');
  });

  it('makes an organization and its owner once the address is proven', async () => {
    await open({ signUp: 'open' });
    await signUp();
    expect(await rowsOf('users')).toEqual([]);
    const done = await browser.submit({ code: code() });
    expect(done).toMatchObject({ status: 303, location: '/dashboard' });
    expect(await personIn()).toMatchObject({
      email: 'ada@example.test',
      name: 'Ada Lovelace',
      organizations: [{ name: 'Engines', role: 'owner' }],
    });
    expect(services.policy.asked.map(({ trigger }) => trigger)).toEqual([
      'PRE_SIGNUP',
      'PRE_SESSION_CREATION',
    ]);
  });

  it('makes nothing with a wrong code, or with the code of another address', async () => {
    await open({ signUp: 'open' });
    await signUp();
    const right = code();
    const wrong = right === '00000000' ? '00000001' : '00000000';
    expect(await browser.submit({ code: wrong })).toMatchObject({ status: 400 });
    expect(await browser.submit({ code: right, email: 'victim@example.test' })).toMatchObject({
      status: 400,
    });
    expect(await rowsOf('users')).toEqual([]);
    expect(await rowsOf('organizations')).toEqual([]);
  });

  it('makes nothing where a policy says no, and shows its words', async () => {
    await open({ signUp: 'open' });
    services.policy.denial = 'Ask sales first.';
    await signUp();
    const page = await browser.submit({ code: code() });
    expect(page).toMatchObject({ status: 403, title: 'This is not allowed' });
    expect(page.html).toContain('Ask sales first.');
    expect(await rowsOf('organizations')).toEqual([]);
    expect(await rowsOf('users')).toEqual([]);
  });

  it('gives a signed-in person another organization, and continues in it', async () => {
    await open({ signUp: 'open' });
    await makeUser(services, 'ada');
    await signIn();
    const before = browser.session;
    await browser.get('/sign-up');
    expect(browser.shown?.html).not.toContain('name="email"');
    expect(await browser.submit({ name: 'Second' })).toMatchObject({ status: 303, location: '/dashboard' });
    expect(browser.session).not.toBe(before);
    const person = await personIn();
    expect(person?.organizations).toMatchObject([{ name: 'Second', role: 'owner' }]);
    expect(person?.session.organizationId).toBe(person?.organizations[0]?.id);
  });

  it('makes one organization for a double click', async () => {
    await open({ signUp: 'open' });
    await makeUser(services, 'ada');
    await signIn();
    const form = await browser.get('/sign-up');
    await browser.submit({ name: 'Twice' });
    browser.shown = form;
    const again = await browser.submit({ name: 'Twice' });
    expect(again.status).toBe(409);
    expect(again.html).toContain('This form arrived before and is not carried out again.');
    expect((await personIn())?.organizations.map(({ name }) => name)).toEqual(['Twice']);
  });

  it('gives a signed-in person five organizations a minute and no more', async () => {
    await open({ signUp: 'open' });
    await makeUser(services, 'ada');
    await signIn();
    for (let i = 0; i < 5; i++) {
      await browser.get('/sign-up');
      expect(await browser.submit({ name: `Engines ${i}` })).toMatchObject({ status: 303 });
    }
    const form = await browser.get('/sign-up');
    expect(await browser.submit({ name: 'One more' })).toMatchObject({
      status: 429,
      title: 'Too many attempts',
    });
    expect(await rowsOf('organizations')).toHaveLength(5);
    services.clock.advance(60_000);
    browser.shown = form;
    expect(await browser.submit({ name: 'One more' })).toMatchObject({ status: 303 });
    expect(await rowsOf('organizations')).toHaveLength(6);
  });

  it('names every mistake, each at its field', async () => {
    await open({ signUp: 'open' });
    const page = await signUp({ ...FIELDS, name: ' ', email: 'nobody', given_name: 'x'.repeat(101) });
    expect(page.status).toBe(400);
    for (const field of ['name', 'email', 'given_name'])
      expect(page.html).toMatch(new RegExp(`id="${field}-error"`));
    expect(services.mails).toEqual([]);
  });

  it.each(['closed', 'invited'] as const)('answers 403 while sign_up is %s', async (mode) => {
    await open({ signUp: mode });
    const page = await browser.get('/sign-up');
    expect(page).toMatchObject({ status: 403, title: 'Nobody can sign up here' });
    expect(page.html).toContain('<a href="/sign-in">sign in</a>');
    await browser.get('/sign-in');
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    for (const path of ['/sign-up', '/sign-up/code'])
      expect(await browser.post(path, { ...FIELDS, csrf, code: '1' })).toMatchObject({ status: 403 });
    expect(services.mails).toEqual([]);
  });
});

describe('invitation page', () => {
  async function invited(email = 'mary@example.test', role?: string) {
    const { id } = await makeOrganization(services, 'House', 'root');
    const input = { email, ...(role !== undefined && { role }) };
    const { link } = await services.invitations.create(machine, id, input, visitor);
    return { path: new URL(link ?? '').pathname, organizationId: id };
  }

  it('accepts the invitation of a person who proves the address, and creates the user', async () => {
    const { path, organizationId } = await invited('mary@example.test', 'admin');
    await browser.get(path);
    expect(browser.shown?.title).toBe('Join House');
    await browser.submit();
    expect(services.mails.map(({ to }) => to)).toEqual(['mary@example.test']);
    expect(await browser.submit({ code: code() })).toMatchObject({ status: 303, location: '/dashboard' });
    expect(await personIn()).toMatchObject({
      email: 'mary@example.test',
      session: { organizationId },
      organizations: [{ id: organizationId, role: 'admin' }],
    });
    const used = await browser.get(path);
    expect(used).toMatchObject({ status: 404, title: 'This invitation cannot be used' });
    expect(used.html).toContain('<a href="/sign-in">sign in</a>');
  });

  it('accepts the invitation with one click of the invited person who is signed in', async () => {
    await makeUser(services, 'mary');
    await signIn('mary@example.test');
    const { path, organizationId } = await invited();
    await browser.get(path);
    expect(await browser.submit()).toMatchObject({ status: 303, location: '/dashboard' });
    expect((await personIn())?.session.organizationId).toBe(organizationId);
  });

  it('refuses a signed-in person with another address, whatever is posted', async () => {
    await makeUser(services, 'eve');
    await signIn('eve@example.test');
    const { path, organizationId } = await invited();
    const page = await browser.get(path);
    expect(page).toMatchObject({ status: 403, title: 'This invitation is for another address' });
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    expect(await browser.post(path, { csrf, email: 'eve@example.test' })).toMatchObject({ status: 403 });
    await askCode('eve@example.test', undefined, desk.browser());
    const tried = await browser.post(`${path}/code`, { csrf, email: 'eve@example.test', code: code() });
    expect(tried.status).toBe(400);
    const members = (await rowsOf('memberships')).filter((row) => 'organization_id' in row);
    expect(members).toMatchObject([{ organization_id: organizationId, role: 'owner' }]);
  });

  it('leads somebody else from signing out back to it, where an unknown person gets a code', async () => {
    await makeUser(services, 'eve');
    await signIn('eve@example.test');
    const { path } = await invited();
    await browser.get(path);
    const out = await browser.submit();
    expect(out.html).toContain(`href="${path}"`);
    await browser.get(path);
    await browser.submit();
    expect(await browser.submit({ code: code() })).toMatchObject({ status: 303 });
    expect(await personIn()).toMatchObject({ email: 'mary@example.test' });
  });

  it('says that an invitation was revoked between page and click', async () => {
    await makeUser(services, 'mary');
    await signIn('mary@example.test');
    const { path, organizationId } = await invited();
    const links = services.invitationLinks;
    let isLast = false;
    const racing = openPeopleDesk(services, {
      invitations: {
        accept: (...args) => links.accept(...args),
        find: async (...args) => {
          const offer = await links.find(...args);
          if (isLast) await services.invitations.revoke(machine, organizationId, offer?.id ?? '');
          return offer;
        },
      },
    }).browser();
    racing.cookies.set('gatehouse_session', browser.session ?? '');
    await racing.get(path);
    isLast = true;
    expect(await racing.submit()).toMatchObject({ status: 404, title: 'This is no longer there' });
  });

  it('refuses unknown people while sign_up is closed, and sends no code', async () => {
    await open({ signUp: 'closed' });
    const { path } = await invited();
    await browser.get(path);
    expect(await browser.submit()).toMatchObject({ status: 403, title: 'You are not known here yet' });
    expect(services.mails).toEqual([]);
  });

  it('answers an unknown invitation like a used one', async () => {
    expect(await browser.get('/invitations/nothing')).toMatchObject({ status: 404 });
    expect(await browser.get(`/invitations/${'a'.repeat(5_000)}`)).toMatchObject({ status: 404 });
  });
});

describe('sign-in page: identity provider of an organization', () => {
  it('refuses codes to addresses of its domains, everywhere', async () => {
    await open({ signUp: 'open' });
    const organizationId = await acme(services);
    await makeMember(services, organizationId, 'member');
    const page = await askCode('ada@acme.example', '/organizations');
    expect(page.title).toBe('Sign in with your organization');
    const href = `/sign-in/provider?organization_id=${organizationId}&amp;email=ada%40acme.example&amp;next=%2Forganizations`;
    expect(page.html).toContain(`href="${href}"`);
    await browser.get('/sign-up');
    const signUp = await browser.submit({ name: 'X', email: 'ada@acme.example' });
    expect(signUp.title).toBe('Sign in with your organization');
    await browser.get('/sign-in');
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    for (const path of ['/sign-in/code', '/sign-up/code']) {
      const posted = await browser.post(path, { csrf, name: 'X', email: 'ada@acme.example', code: '1' });
      expect(posted.title).toBe('Sign in with your organization');
    }
    const other = await makeOrganization(services, 'Other', 'other');
    const { link } = await services.invitations.create(
      machine,
      other.id,
      { email: 'ada@acme.example' },
      visitor,
    );
    await browser.get(new URL(link ?? '').pathname);
    expect((await browser.submit()).title).toBe('Sign in with your organization');
    expect(services.mails).toEqual([]);
  });

  const signInByProvider = async (organizationId: string) => {
    await browser.get('/sign-in');
    const start = `/sign-in/provider?organization_id=${organizationId}&next=/organizations&email=ada@acme.example`;
    const away = await browser.get(start, { 'sec-fetch-site': 'same-origin' });
    expect(away).toMatchObject({ status: 303 });
    expect(away.location).toMatch(/^https:\/\/login\.acme\.example\/authorize\?/);
    const answer = services.openId.signIn(away.location, { email: 'ada@acme.example', email_verified: true });
    const back = await browser.get(`/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`);
    expect(back).toMatchObject({ status: 303, location: '/organizations' });
    return answer;
  };

  it('signs the people of the organization in, and redirects to where the sign-in began', async () => {
    const organizationId = await acme(services);
    const answer = await signInByProvider(organizationId);
    expect(await personIn()).toMatchObject({ email: 'ada@acme.example', session: { organizationId } });
    const replayed = await browser.get(`/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`);
    expect(replayed).toMatchObject({ status: 400, title: 'We did not expect this answer' });
  });

  it('carries the wish for a new proof to the provider, from the sign-in page on', async () => {
    const organizationId = await acme(services);
    await signInByProvider(organizationId);
    await browser.get('/sign-in?again=1&next=%2Forganizations');
    expect(browser.shown?.html).toContain(
      'we know of no proof from the last ten minutes. If you had just sent a form, fill it in again afterwards',
    );
    const page = await browser.submit({ email: 'ada@acme.example' });
    const [, href = ''] = /href="(\/sign-in\/provider[^"]*)"/.exec(page.html) ?? [];
    const away = await browser.get(href.replaceAll('&amp;', '&'), { 'sec-fetch-site': 'same-origin' });
    expect(new URL(away.location).searchParams.get('prompt')).toBe('login');
    const answer = services.openId.signIn(away.location, { email: 'ada@acme.example', email_verified: true });
    const back = await browser.get(`/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`);
    expect(back).toMatchObject({ status: 403, title: 'Your organization did not ask you again' });
    expect(await personIn()).toMatchObject({ email: 'ada@acme.example' });
  });

  it('starts no sign-in from a link on another site', async () => {
    const organizationId = await acme(services);
    const start = `/sign-in/provider?organization_id=${organizationId}`;
    const first = await browser.get(start, { 'sec-fetch-site': 'cross-site' });
    expect(first).toMatchObject({ status: 200, title: 'Sign in with your organization' });
    expect(await services.db.read.selectFrom('sign_in_flows').selectAll().execute()).toEqual([]);
  });

  it('starts and finishes no sign-in for HEAD or for a browser that prefetches', async () => {
    const organizationId = await acme(services);
    await makeMember(services, organizationId, 'ada');
    await browser.get('/sign-in');
    const sameOrigin = { 'sec-fetch-site': 'same-origin' };
    const notVisited = async (path: string) => {
      const prefetched = await browser.get(path, { ...sameOrigin, 'sec-purpose': 'prefetch' });
      const head = await browser.request(path, { method: 'HEAD', headers: sameOrigin });
      return [prefetched.status, head.status, head.location];
    };
    const start = `/sign-in/provider?organization_id=${organizationId}&email=ada@acme.example`;
    expect(await notVisited(start)).toEqual([503, 200, '']);
    expect(await services.db.read.selectFrom('sign_in_flows').selectAll().execute()).toEqual([]);
    const away = await browser.get(start, sameOrigin);
    const answer = services.openId.signIn(away.location, { email: 'ada@acme.example', email_verified: true });
    const callback = `/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`;
    expect(await notVisited(callback)).toEqual([503, 200, '']);
    expect(browser.session).toBeUndefined();
    expect((await browser.get(callback)).status).toBe(303);
    expect(browser.session).toBeDefined();
  });

  it.each<Record<string, string>>([{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }])(
    'names the issuer and the host gone to, and continues by a button, for a browser with %j',
    async (headers) => {
      const organizationId = await acme(services);
      services.openId.misbehaviour = {
        metadata: { authorization_endpoint: 'https://elsewhere.example/authorize' },
      };
      await browser.get('/sign-in');
      const start = `/sign-in/provider?organization_id=${organizationId}&email=ada@acme.example`;
      const page = await browser.get(start, headers);
      expect(page.status).toBe(200);
      expect(page.html).toContain('<bdi>login.acme.example</bdi>');
      expect(page.html).toContain('Continue to <bdi>elsewhere.example</bdi>');
      expect(await services.db.read.selectFrom('sign_in_flows').selectAll().execute()).toEqual([]);
      const leaving = await browser.submit();
      expect(leaving.status).toBe(200);
      expect(leaving.html).toContain('content="0; url=https://elsewhere.example/authorize?');
      const foreign = await browser.post(
        '/sign-in/provider',
        { organization_id: organizationId },
        { origin: 'https://evil.example' },
      );
      expect(foreign.status).toBeGreaterThanOrEqual(400);
    },
  );

  it('names the destination host on the page after the address too', async () => {
    await acme(services);
    services.openId.misbehaviour = {
      metadata: { authorization_endpoint: 'https://elsewhere.example/authorize' },
    };
    const page = await askCode('ada@acme.example');
    expect(page.html).toContain('<bdi>login.acme.example</bdi>');
    expect(page.html).toContain('Continue to <bdi>elsewhere.example</bdi>');
  });

  it.each(['bob@acme.example', 'bob@sub.evil.example', 'no address'])(
    'refuses %s at the provider of an organization with other domains, and names no host',
    async (email) => {
      await acme(services);
      const { id } = await makeOrganization(services, 'Evil', 'eve');
      const issuer = 'https://login.evil.example';
      await services.providers.put(machine, id, { issuer, client_id: 'x', domains: ['evil.example'] });
      await browser.get('/sign-in');
      const start = `/sign-in/provider?organization_id=${id}&email=${encodeURIComponent(email)}`;
      for (const site of ['same-origin', 'cross-site']) {
        const page = await browser.get(start, { 'sec-fetch-site': site });
        expect(page).toMatchObject({
          status: 403,
          title: 'This address does not belong to your organization',
        });
        expect(page.html).not.toMatch(/login\.(acme|evil)/);
      }
      expect(services.openId.received).toEqual([]);
    },
  );

  it('starts no sign-in at a provider without domains', async () => {
    const organizationId = await acme(services, { domains: [] });
    await browser.get('/sign-in');
    for (const site of ['same-origin', 'cross-site']) {
      const start = `/sign-in/provider?organization_id=${organizationId}`;
      const page = await browser.get(start, { 'sec-fetch-site': site });
      expect(page).toMatchObject({ status: 404, title: 'This organization does not sign in this way' });
    }
    expect(services.openId.received).toEqual([]);
  });

  it('answers 429 after twenty starts a minute from one place', async () => {
    const organizationId = await acme(services);
    await browser.get('/sign-in');
    const start = `/sign-in/provider?organization_id=${organizationId}`;
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (let i = 0; i < 20; i++) expect((await browser.get(start, headers)).status).toBe(303);
    expect(await browser.get(start, headers)).toMatchObject({ status: 429 });
  });

  it('explains a wrong answer in words and logs it without what it said', async () => {
    const organizationId = await acme(services);
    await browser.get('/sign-in');
    const start = `/sign-in/provider?organization_id=${organizationId}`;
    const away = await browser.get(start, { 'sec-fetch-site': 'same-origin' });
    const answer = services.openId.signIn(away.location, { email: 'victim@example.test' });
    const page = await browser.get(`/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`);
    expect(page).toMatchObject({ status: 403, title: 'This address does not belong to your organization' });
    expect(page.html).toContain('If you are signed in there with another address, sign out there and');
    expect(browser.session).toBeUndefined();
    expect(desk.logged).toMatchObject([['sign_in_failed', { error_code: 'email' }]]);
    expect(JSON.stringify(desk.logged)).not.toContain('victim');
  });

  it.each(['state=%ff', 'error=%', 'code=a&code=b', ''])(
    'does not blame the provider for an address that it never wrote: %s',
    async (query) => {
      const page = await browser.get(`/sso/v1/oidc/${await acme(services)}/callback?${query}`);
      expect(page).toMatchObject({ status: 400, title: 'We did not expect this answer' });
    },
  );

  it('explains that an organization has no identity provider', async () => {
    await browser.get('/sign-in');
    for (const id of ['org_none', '../x', '']) {
      const page = await browser.get(`/sign-in/provider?organization_id=${encodeURIComponent(id)}`, {
        'sec-fetch-site': 'same-origin',
      });
      expect(page).toMatchObject({ status: 404, title: 'This organization does not sign in this way' });
      expect(page.html).toContain('<a href="/sign-in">Start again</a>');
    }
  });
});

describe('pages of a signed-in person', () => {
  it('shows who is signed in, and signs out', async () => {
    await makeOrganization(services, 'House', 'ada');
    await signIn();
    const page = await browser.get('/sessions');
    expect(page.html).toContain('ada@<wbr />example.<wbr />test');
    expect(page.html).toContain('House');
    const cookie = browser.session ?? '';
    expect(await signOut()).toMatchObject({ status: 200, title: 'Signed out' });
    expect(browser.session).toBeUndefined();
    expect(await services.people.ofCookie('env_dev', cookie)).toBeUndefined();
    const lines = await services.auditLines();
    expect(lines.filter((line) => /session\./.test(line)).map((line) => line.split(' ')[1])).toEqual([
      'session.create',
      'session.end',
    ]);
  });

  it('switches to another organization with another cookie', async () => {
    await makeOrganization(services, 'First', 'ada');
    services.clock.advance(1);
    const second = await makeOrganization(services, 'Second', 'ada');
    await signIn();
    const before = browser.session ?? '';
    await browser.get('/organizations');
    expect(await browser.submit({ organization_id: second.id })).toMatchObject({ location: '/dashboard' });
    expect((await personIn())?.session.organizationId).toBe(second.id);
    expect(await services.people.ofCookie('env_dev', before)).toBeUndefined();
  });

  it('refuses an organization of others', async () => {
    await makeOrganization(services, 'Own', 'ada');
    const other = await makeOrganization(services, 'Other', 'eve');
    await signIn();
    const before = (await personIn())?.session.organizationId;
    await browser.get('/organizations');
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
    const page = await browser.post('/organizations', { csrf, organization_id: other.id });
    expect(page).toMatchObject({ status: 403, title: 'You may not do this' });
    expect((await personIn())?.session.organizationId).toBe(before);
  });

  it('treats the person as a stranger in another environment', async () => {
    await makeUser(services, 'ada');
    await signIn();
    const elsewhere = openPeopleDesk(services, { environmentId: 'env_prod' }).browser();
    elsewhere.cookies.set('gatehouse_session', browser.session ?? '');
    expect((await elsewhere.get('/organizations')).location).toBe('/sign-in?next=%2Forganizations');
  });

  it('asks to sign in again when the session is over', async () => {
    await makeUser(services, 'ada');
    await signIn();
    services.clock.advance(3_600_001);
    expect((await browser.get('/organizations')).location).toBe('/sign-in?next=%2Forganizations');
  });
});

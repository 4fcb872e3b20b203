import { beforeEach, describe, expect, it } from 'vitest';
import { OperatorLinks } from '../../../src/people/sign-in/operator-links.ts';
import { rows } from '../../../src/store/engine/rows.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { machine } from '../../people/people-support.ts';
import { signInServices, type SignInServices } from '../../people/sign-in/sign-in-support.ts';
import { openPeopleDesk, type DeskBrowser, type PeopleDesk } from '../people-desk.ts';

const OVER = { status: 410, title: 'This link no longer works' };

let services: SignInServices;
let desk: PeopleDesk;
let browser: DeskBrowser;

beforeEach(async () => {
  services = await signInServices(await memoryDatabase());
  desk = openPeopleDesk(services);
  browser = desk.browser();
});

const link = async (userId?: string): Promise<string> => services.operatorLinks.create('env_dev', userId);

const operators = async (): Promise<string[]> =>
  (await rows(services.db.read, 'users').list('env_dev', { where: { is_operator: 1 } })).map(
    ({ email }) => email,
  );

/** The user made over the API. */
const user = async (email: string, isOperator = false): Promise<string> =>
  (await services.users.create(machine, { email, is_operator: isOperator })).id;

describe('link of the first operator', () => {
  it('asks for an address, makes its user operator, signs them in, and is audited', async () => {
    const path = await link();
    expect(path).toMatch(/^\/operator\/[A-Za-z0-9_-]{43}$/);
    const page = await browser.get(path);
    expect(page).toMatchObject({ status: 200, title: 'Become the operator' });
    expect(page.html).toContain('<bdi>development</bdi>');
    const sent = await browser.submit({ email: ' Ada@Example.test ' });
    expect(sent).toMatchObject({ status: 303, location: '/dashboard' });
    expect(await operators()).toEqual(['ada@example.test']);
    const [ada] = await rows(services.db.read, 'users').list('env_dev');
    expect(await services.people.ofCookie('env_dev', browser.session ?? '')).toMatchObject({
      email: 'ada@example.test',
      isOperator: true,
    });
    expect(await services.auditLines()).toEqual([
      'local operator_link.create env_dev',
      `local user.create ${ada?.id}`,
      expect.stringMatching(`^${ada?.id} session.create ses_`),
      `local user.update ${ada?.id}`,
      `${ada?.id} operator_link.use ${ada?.id}`,
    ]);
    expect(ada?.email_verified).toBe(false);
  });

  it('makes a person operator who is known already', async () => {
    const id = await user('ada@example.test');
    await browser.get(await link());
    await browser.submit({ email: 'ada@example.test' });
    expect(await operators()).toEqual(['ada@example.test']);
    expect((await services.people.ofCookie('env_dev', browser.session ?? ''))?.userId).toBe(id);
  });

  it('works once, also in the browser that used it', async () => {
    const path = await link();
    await browser.get(path);
    const other = desk.browser();
    await other.get(path);
    await browser.submit({ email: 'ada@example.test' });
    expect(await browser.get(path)).toMatchObject(OVER);
    expect(await other.submit({ email: 'eve@example.test' })).toMatchObject(OVER);
    expect(other.session).toBeUndefined();
    expect(await operators()).toEqual(['ada@example.test']);
  });

  it('makes one operator of two people who press the button at once', async () => {
    const path = await link();
    const others = [browser, desk.browser()];
    for (const each of others) await each.get(path);
    const answers = await Promise.all(
      others.map(async (each, index) => each.submit({ email: `user${index}@example.test` })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
    expect(await operators()).toHaveLength(1);
  });

  it('stays unspent and makes nobody operator where a policy refuses the sign-in', async () => {
    const path = await link();
    await browser.get(path);
    services.policy.denial = 'Not on Sundays.';
    const refused = await browser.submit({ email: 'ada@example.test' });
    expect(refused).toMatchObject({ status: 403, title: 'This is not allowed' });
    expect(await operators()).toEqual([]);
    services.policy.denial = undefined;
    await browser.get(path);
    expect(await browser.submit({ email: 'ada@example.test' })).toMatchObject({ status: 303 });
    expect(await operators()).toEqual(['ada@example.test']);
  });

  it('ends after 15 minutes, also on a page that is open', async () => {
    const path = await link();
    services.clock.advance(15 * 60_000 - 1);
    expect((await browser.get(path)).status).toBe(200);
    services.clock.advance(1);
    expect(await browser.submit({ email: 'ada@example.test' })).toMatchObject(OVER);
    expect(await browser.get(path)).toMatchObject(OVER);
    expect(await operators()).toEqual([]);
  });

  it('ends with the next one, and with the next start', async () => {
    const [first, second] = [await link(), await link()];
    expect(await browser.get(first)).toMatchObject(OVER);
    expect((await browser.get(second)).status).toBe(200);
    await services.operatorLinks.end();
    expect(await browser.submit({ email: 'ada@example.test' })).toMatchObject(OVER);
  });

  it('ends when the environment gets an operator in another way, and no further one is made', async () => {
    const path = await link();
    await user('ada@example.test', true);
    expect(await browser.get(path)).toMatchObject(OVER);
    await expect(link()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('has an operator') as unknown,
    });
  });

  it('waits for its button, whatever else asks for the page', async () => {
    const path = await link();
    const head = await browser.request(path, { method: 'HEAD' });
    expect([head.status, head.html]).toEqual([200, '']);
    for (const purpose of ['prefetch', 'prefetch;prerender'])
      expect((await browser.get(path, { 'sec-purpose': purpose })).status).toBe(503);
    for (let n = 0; n < 3; n++) expect((await browser.get(path)).status).toBe(200);
    expect(await operators()).toEqual([]);
    expect((await browser.submit({ email: 'ada@example.test' })).status).toBe(303);
  });

  it('takes no form of another site or another browser', async () => {
    const path = await link();
    const { html } = await browser.get(path);
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
    const form = { csrf, email: 'eve@example.test' };
    const origin = 'https://evil.example';
    expect((await browser.post(path, form, { origin })).status).toBe(403);
    expect((await desk.browser().post(path, form)).status).toBe(403);
    expect((await browser.post(path, { email: 'eve@example.test' })).status).toBe(403);
    expect(await operators()).toEqual([]);
    expect((await browser.post(path, form)).status).toBe(303);
  });

  it.each(['', 'ada', 'ada@', '<b>@example.test</b>', `${'a'.repeat(300)}@example.test`])(
    'stays usable after a bad address: %j',
    async (email) => {
      const path = await link();
      await browser.get(path);
      const answer = await browser.submit({ email });
      expect(answer).toMatchObject({ status: 400, title: 'Error: Become the operator' });
      expect(answer.html).toContain('aria-invalid="true"');
      expect(answer.html).not.toContain('<b>');
      expect((await browser.submit({ email: 'ada@example.test' })).status).toBe(303);
    },
  );

  it('stores the token as a hash only', async () => {
    const token = (await link()).slice('/operator/'.length);
    const stored = await services.db.read.selectFrom('installation').selectAll().execute();
    expect(JSON.stringify(stored)).toContain('"key":"operator_link"');
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it.each(['x', 'a%2Fb', 'a'.repeat(5000)])('says the same of a token that never existed', async (token) => {
    await link();
    expect(await browser.get(`/operator/${token}`)).toMatchObject(OVER);
  });

  it('belongs to one environment of the installation', async () => {
    const path = await link();
    const elsewhere = openPeopleDesk(services, { environmentId: 'env_prod' }).browser();
    expect(await elsewhere.get(path)).toMatchObject(OVER);
    const prod = await services.operatorLinks.create('env_prod');
    expect(await browser.get(path)).toMatchObject(OVER);
    expect((await elsewhere.get(prod)).status).toBe(200);
  });

  it('gives one operator, however many processes take it at once', async () => {
    const { db, clock } = services;
    const other = new OperatorLinks({ db, clock });
    const path = await link();
    const token = path.slice('/operator/'.length);
    const used = await Promise.all(
      [services.operatorLinks, other].map(async (links, index) =>
        links.use('env_dev', token, { userId: await user(`user${index}@example.test`), ip: '' }),
      ),
    );
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await operators()).toHaveLength(1);
  });
});

describe('link for an operator who is known', () => {
  it('names them, signs them in, and asks for nothing', async () => {
    const id = await user('ada@example.test', true);
    const page = await browser.get(await link(id));
    expect(page).toMatchObject({ status: 200, title: 'Sign in as operator' });
    expect(page.html).toContain('<bdi>ada@<wbr />example.<wbr />test</bdi>');
    expect(page.html).not.toContain('type="email"');
    // Whatever the form says: the link is for this operator.
    expect((await browser.submit({ email: 'eve@example.test' })).status).toBe(303);
    expect((await services.people.ofCookie('env_dev', browser.session ?? ''))?.userId).toBe(id);
    expect((await services.auditLines()).slice(1)).toEqual([
      `local operator_link.create ${id}`,
      expect.stringMatching(`^${id} session.create ses_`),
      `${id} operator_link.use ${id}`,
    ]);
  });

  it('ends when they are no operator any more', async () => {
    const id = await user('ada@example.test', true);
    const path = await link(id);
    await services.users.update(machine, id, { is_operator: false });
    expect(await browser.get(path)).toMatchObject(OVER);
    await expect(link(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('replaces the session that the browser had', async () => {
    const [ada, bob] = [await user('ada@example.test', true), await user('bob@example.test', true)];
    await browser.get(await link(ada));
    await browser.submit();
    const before = browser.session ?? '';
    await browser.get(await link(bob));
    await browser.submit();
    expect(await services.people.ofCookie('env_dev', before)).toBeUndefined();
    expect((await services.people.ofCookie('env_dev', browser.session ?? ''))?.userId).toBe(bob);
  });
});

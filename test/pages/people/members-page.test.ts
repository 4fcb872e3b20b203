import { beforeEach, describe, expect, it } from 'vitest';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { machine, makeMember, visitor } from '../../people/people-support.ts';
import { acme, PROVIDER, signInServices, type SignInServices } from '../../people/sign-in/sign-in-support.ts';
import { openPeopleDesk, type DeskBrowser, type PeopleDesk } from '../people-desk.ts';

let services: SignInServices;
let desk: PeopleDesk;
let organizationId: string;
/** A member whose address the provider of the organization has. */
let ada: string;

beforeEach(async () => {
  services = await signInServices(await memoryDatabase());
  desk = openPeopleDesk(services);
  organizationId = await acme(services);
  const input = { email: 'ada@acme.example', organization_id: organizationId };
  ({ id: ada } = await services.users.create(machine, input));
});

async function signedIn(userId: string): Promise<DeskBrowser> {
  const browser = desk.browser();
  const { cookie } = await services.sessions.begin({
    environmentId: 'env_dev',
    kind: 'browser',
    userId,
    organizationId,
    clientId: '',
    resource: '',
    visitor,
    connectionDetails: [],
    actor: userId,
  });
  browser.cookies.set('gatehouse_session', cookie);
  return browser;
}

const owner = async () => {
  const { users } = await services.users.list(machine, { email: 'root@example.test' });
  return signedIn(users[0]?.id ?? '');
};

const unbindings = async () => (await services.auditLines()).filter((line) => line.includes('member.unbind'));

/** The provider's answer about a person, come back to the sign-in page. */
async function comesBack(browser: DeskBrowser, sub: string) {
  await browser.get('/sign-in');
  const start = `/sign-in/provider?organization_id=${organizationId}&email=ada@acme.example`;
  const away = await browser.get(start, { 'sec-fetch-site': 'same-origin' });
  const claims = { sub, email: 'ada@acme.example', email_verified: true };
  const answer = services.openId.signIn(away.location, claims);
  return browser.get(`/sso/v1/oidc/${organizationId}/callback?${answer.toString()}`);
}

describe('members page of an organization', () => {
  it('receives a person again who was sent from it to sign in', async () => {
    const browser = desk.browser();
    expect((await browser.get('/members')).location).toBe('/sign-in?next=%2Fmembers');
    await browser.get('/sign-in?next=%2Fmembers');
    await browser.submit({ email: 'root@example.test' });
    const code = /\b\d{8}\b/.exec(services.mails.at(-1)?.text ?? '')?.[0] ?? '';
    expect((await browser.submit({ code })).location).toBe('/members');
  });

  it('lets an owner unbind a member, who is signed out and bound again', async () => {
    const member = desk.browser();
    await comesBack(member, 'ada-1');
    const another = desk.browser();
    expect(await comesBack(another, 'ada-2')).toMatchObject({
      status: 403,
      title: 'This address belongs to somebody else here',
    });
    expect(another.session).toBeUndefined();
    expect(desk.logged).toMatchObject([['sign_in_failed', { error_code: 'identity' }]]);

    const browser = await owner();
    const page = await browser.get('/members');
    expect(page.html).toContain('aria-label="Unbind ada@acme.example"');
    expect(page.html).not.toContain('Unbind root@example.test');
    expect(await browser.submit({ user_id: ada })).toMatchObject({ status: 303, location: '/members' });
    expect(await unbindings()).toHaveLength(1);
    expect(await services.people.ofCookie('env_dev', member.session ?? '')).toBeUndefined();
    expect((await comesBack(another, 'ada-2')).status).toBe(303);
  });

  it('shows no button to an admin, and refuses the form of one', async () => {
    const browser = await signedIn(await makeMember(services, organizationId, 'anna', 'admin'));
    const page = await browser.get('/members');
    expect(page.html).toContain('ada@<wbr />acme.<wbr />example');
    expect(page.html).not.toContain('Unbind');
    expect(await browser.submit({ user_id: ada })).toMatchObject({ status: 403 });
    expect(await unbindings()).toEqual([]);
  });

  it('refuses members, visitors, forms of other sites and members whose address is of other domains', async () => {
    const mike = await makeMember(services, organizationId, 'mike');
    expect((await (await signedIn(mike)).get('/members')).status).toBe(403);
    expect((await desk.browser().get('/members')).location).toBe('/sign-in?next=%2Fmembers');
    const browser = await owner();
    for (const [fields, status] of [
      [{ user_id: mike }, 400],
      [{ user_id: 'usr_none' }, 404],
      [{}, 404],
      [{ user_id: ada, csrf: 'x' }, 403],
    ] as const) {
      await browser.get('/members');
      expect((await browser.submit(fields)).status).toBe(status);
    }
    const foreign = { origin: 'https://evil.example' };
    expect((await browser.post('/members', { user_id: ada }, foreign)).status).toBe(403);
    expect(await unbindings()).toEqual([]);
  });

  it('leads through pages of thirty members', async () => {
    await services.providers.put(machine, organizationId, { ...PROVIDER, domains: [] });
    for (let i = 0; i < 31; i++) await makeMember(services, organizationId, `member-${i}`);
    const browser = await owner();
    const first = await browser.get('/members');
    const more = /<a href="(\/members\?page_token=[^"]+)">More<\/a>/.exec(first.html)?.[1] ?? '';
    const second = await browser.get(more);
    expect([first.html.match(/<li>/g)?.length, second.html.match(/<li>/g)?.length]).toEqual([30, 3]);
    expect(second.html).not.toContain('>More</a>');
    expect((await browser.get('/members?page_token=made-up')).status).toBe(400);
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&`;
const ESCAPED = '&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;';

let site: Site;
let operator: DeskBrowser;

async function made(
  email: string,
  more: { given_name?: string; family_name?: string } = {},
): Promise<string> {
  return (await site.people.users.create(site.local, { email, ...more })).id;
}

beforeAll(async () => {
  site = await openSite();
});

beforeEach(async () => {
  operator = await site.signedIn('operator');
});

describe('dashboard: the list of users', () => {
  it('shows who can sign in, with organizations, roles and rights', async () => {
    await site.userOf('admin');
    const { html, status } = await operator.get('/dashboard/users');
    expect(status).toBe(200);
    expect(html).toContain('<bdi>ada@example.test</bdi>');
    expect(html).toMatch(/<bdi>Acme<\/bdi> <span class="soft">Admin<\/span>/);
    expect(html).toContain('Operator');
  });

  it('shows hostile names as text', async () => {
    await made('hostile@users.example', { given_name: HOSTILE });
    const { html } = await operator.get('/dashboard/users');
    expect(html).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(html).not.toContain('<img');
  });

  it('finds a person by their address in any spelling', async () => {
    await made('needle@users.example');
    const { html } = await operator.get('/dashboard/users?email=Needle%40users.example');
    expect(html).toContain('needle@users.example');
    expect(html).not.toContain('ada@example.test</bdi>');
  });

  it.each(['owner', 'admin'] as const)('refuses the %s of an organization', async (who) => {
    const browser = await site.signedIn(who);
    const id = await site.userOf('operator');
    for (const path of ['', '/new', `/${id}`, `/${id}/delete`, `/${id}/make-operator`])
      expect((await browser.get(`/dashboard/users${path}`)).status).toBe(403);
  });
});

describe('dashboard: a new person', () => {
  it('becomes a member of the organization that is chosen', async () => {
    const form = await operator.get('/dashboard/users/new');
    expect(form.html).toContain('on your own computer the code is in the log');
    const { status, location } = await submitTo(operator, '/dashboard/users/new', {
      email: 'New@users.example',
      given_name: 'Nora',
      family_name: '',
      organization_id: site.organization.id,
      role: 'admin',
    });
    expect(status).toBe(303);
    expect((await operator.get(location)).html).toContain('new@users.example can sign in now.');
    expect(await site.people.users.list(site.local, { email: 'new@users.example' })).toMatchObject({
      users: [
        { given_name: 'Nora', memberships: [{ organization_id: site.organization.id, role: 'admin' }] },
      ],
    });
  });

  it('needs a real address; the form says so at the field and keeps the entered text', async () => {
    await operator.get('/dashboard/users/new');
    const shown = await submitTo(operator, '/dashboard/users/new', {
      email: 'nobody',
      given_name: HOSTILE,
      organization_id: '',
    });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('id="f-email-wrong"');
    expect(shown.html).toContain(`value="${ESCAPED}"`);
  });

  it('comes once from a form that is sent twice', async () => {
    await operator.get('/dashboard/users/new');
    const page = operator.shown;
    const entered = { email: 'twice@users.example', organization_id: '' };
    await submitTo(operator, '/dashboard/users/new', entered);
    operator.shown = page;
    expect((await submitTo(operator, '/dashboard/users/new', entered)).status).toBe(409);
    const { users } = await site.people.users.list(site.local, { email: 'twice@users.example' });
    expect(users).toHaveLength(1);
  });

  it('cannot have an address that is taken', async () => {
    await operator.get('/dashboard/users/new');
    const shown = await submitTo(operator, '/dashboard/users/new', {
      email: 'ada@example.test',
      organization_id: '',
    });
    expect(shown.status).toBe(400);
    expect(shown.html).toMatch(/id="f-email-wrong">\s*There is a user with this e-mail address already\./);
    expect(shown.html).toContain('value="ada@example.test"');
  });
});

describe('dashboard: one person', () => {
  it('shows sessions and ends one of them', async () => {
    const member = await site.signedIn('member');
    const id = await site.userOf('member');
    const { html } = await operator.get(`/dashboard/users/${id}`);
    expect(html).toContain('A browser');
    expect(html).toContain('Firefox on Linux, Oslo');
    const session = /sessions\/(ses_\w+)\/end/.exec(html)?.[1] ?? '';
    const done = await submitTo(operator, `/dashboard/users/${id}/sessions/${session}/end`);
    expect((await operator.get(done.location)).html).toContain('The session is ended.');
    expect(await member.get('/dashboard')).toMatchObject({ status: 303, location: '/sign-in' });
  });

  it('ends all sessions after a question', async () => {
    const id = await site.userOf('member');
    const [one, two] = [await site.signedIn('member'), await site.signedIn('member')];
    await operator.get(`/dashboard/users/${id}/sessions/end`);
    const done = await submitTo(operator, `/dashboard/users/${id}/sessions/end`);
    expect((await operator.get(done.location)).html).toContain('2 sessions ended.');
    for (const browser of [one, two]) expect((await browser.get('/dashboard')).location).toBe('/sign-in');
  });

  it('changes an address and names', async () => {
    const id = await made('before@users.example');
    await operator.get(`/dashboard/users/${id}/edit`);
    expect(operator.shown?.html).toContain('value="before@users.example"');
    await submitTo(operator, `/dashboard/users/${id}/edit`, {
      email: 'after@users.example',
      given_name: 'Al',
      family_name: 'Ter',
    });
    expect(await site.people.users.get(site.local, id)).toMatchObject({
      email: 'after@users.example',
      given_name: 'Al',
      family_name: 'Ter',
    });
  });

  it('becomes an operator and stops being one, each after a question', async () => {
    const id = await made('rights@users.example');
    await operator.get(`/dashboard/users/${id}/make-operator`);
    await submitTo(operator, `/dashboard/users/${id}/make-operator`);
    expect((await site.people.users.get(site.local, id)).is_operator).toBe(true);
    await operator.get(`/dashboard/users/${id}/take-rights`);
    await submitTo(operator, `/dashboard/users/${id}/take-rights`);
    expect((await site.people.users.get(site.local, id)).is_operator).toBe(false);
  });

  it('goes away only when the address is typed', async () => {
    const id = await made('gone@users.example');
    await operator.get(`/dashboard/users/${id}/delete`);
    const wrong = await submitTo(operator, `/dashboard/users/${id}/delete`, { typed_name: 'gone' });
    expect(wrong.status).toBe(400);
    await submitTo(operator, `/dashboard/users/${id}/delete`, { typed_name: 'gone@users.example' });
    await expect(site.people.users.get(site.local, id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it.each(['take-rights', 'delete'])(
    'warns operators at %s that it is them, with the way back for the last one',
    async (verb) => {
      const own = await openSite();
      const ada = await own.signedIn('operator');
      const path = `/dashboard/users/${await own.userOf('operator')}/${verb}`;
      expect((await ada.get(path)).html).toContain(
        'This is you, and you are the last operator. Nobody administers this environment then, until &quot;gatehouse users sign-in-link&quot;',
      );
      const email = 'second@users.example';
      const second = await own.people.users.create(own.local, { email, is_operator: true });
      const { html } = await ada.get(path);
      expect(html).toContain('This is you. You lose the pages of operators at once');
      expect(html).not.toContain('the last operator');
      const other = await ada.get(`/dashboard/users/${second.id}/${verb}`);
      expect(other.html).not.toContain('This is you');
    },
  );

  it('stays, and the page says why, as the only owner of an organization', async () => {
    const id = await site.userOf('owner');
    await operator.get(`/dashboard/users/${id}/delete`);
    const refused = await submitTo(operator, `/dashboard/users/${id}/delete`, {
      typed_name: 'owner@acme.example',
    });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(`The user is the only owner of ${site.organization.id}.`);
    expect(await site.people.users.get(site.local, id)).toMatchObject({ email: 'owner@acme.example' });
  });

  it('does not exist for an id that nobody has', async () => {
    expect((await operator.get('/dashboard/users/usr_01m7wd7tg0yk3eks5eesgmh8xd')).status).toBe(404);
  });
});

describe('dashboard: rights of users in a session that is not fresh', () => {
  it.each(['make-operator', 'unbind', 'delete'])('stay what they are at %s', async (verb) => {
    const own = await openSite();
    const browser = await own.signedIn('operator');
    const { id } = await own.people.users.create(own.local, { email: 'stale@users.example' });
    const path = `/dashboard/users/${id}/${verb}`;
    await browser.get(path);
    own.clock.advance(11 * 60_000);
    const refused = await submitTo(browser, path, { typed_name: 'stale@users.example' });
    expect(refused).toMatchObject({
      status: 303,
      location: `/sign-in?again=1&next=${encodeURIComponent(path)}`,
    });
    expect(await own.people.users.get(own.local, id)).toMatchObject({ is_operator: false });
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formMark } from '../../src/pages/frame/spent-forms.ts';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';

const HOSTILE = `<script>alert(1)</script>"'&`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;';

const LINK = /https?:\/\/[^"<\s]+\/invitations\/[\w-]{43}/;

let site: Site;
let operator: DeskBrowser;
let owner: DeskBrowser;
/** Address of the organization Acme. */
let acme: string;
/** Address of an organization that nobody of Acme belongs to. */
let other: string;

async function organization(name: string): Promise<string> {
  const input = { name, user: { email: 'boss@other.example' } };
  const made = await site.people.organizations.create(site.local, input, {
    ip: '',
    userAgent: '',
    region: '',
    city: '',
  });
  return made.organization.id;
}

beforeAll(async () => {
  site = await openSite();
  acme = `/dashboard/organizations/${site.organization.id}`;
  other = `/dashboard/organizations/${await organization('Other')}`;
  await site.userOf('member');
  await site.userOf('admin');
});

beforeEach(async () => {
  operator = await site.signedIn('operator');
  owner = await site.signedIn('owner');
});

describe('dashboard: organizations', () => {
  it('appear to operators in a list, hostile names as text', async () => {
    await organization(HOSTILE);
    const { html } = await operator.get('/dashboard/organizations');
    expect(html).toContain('<bdi>Acme</bdi>');
    expect(html).toContain('<bdi>Other</bdi>');
    expect(html).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(html).not.toContain('<script>alert');
  });

  it('send owners and admins to their own one, which the navigation calls People', async () => {
    for (const who of ['owner', 'admin'] as const) {
      const browser = await site.signedIn(who);
      expect(await browser.get('/dashboard/organizations')).toMatchObject({ status: 303, location: acme });
      const { html } = await browser.get(acme);
      expect(html).toMatch(/aria-current="page"[\s\S]{0,200}People/);
      expect(html).toContain('member@acme.example');
    }
  });

  it.each(['', '/invitations', '/invitations/new', '/rename', '/delete', '/provider'])(
    'stay hidden from the owner of another one at %s',
    async (path) => {
      const { status, html } = await owner.get(`${other}${path}`);
      expect([403, 404]).toContain(status);
      expect(html).not.toContain('boss@other.example');
    },
  );

  it('begin with their first owner', async () => {
    await operator.get('/dashboard/organizations/new');
    const { location, status } = await submitTo(operator, '/dashboard/organizations/new', {
      name: 'Northlight',
      'user.email': 'first@northlight.example',
    });
    expect(status).toBe(303);
    const { html } = await operator.get(location);
    expect(html).toContain('Northlight is created.');
    expect(html).toContain('first@northlight.example');
  });

  it('keep the entered text where the name or the address is wrong', async () => {
    await operator.get('/dashboard/organizations/new');
    const shown = await submitTo(operator, '/dashboard/organizations/new', {
      name: '',
      'user.email': 'not an address',
      'user.given_name': HOSTILE,
    });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('id="f-name-wrong"');
    expect(shown.html).toContain('id="f-user-email-wrong"');
    expect(shown.html).toContain(`value="${ESCAPED}"`);
  });

  it.each(['/rename', '/delete', '/provider', '/provider/remove'])(
    'cannot be changed by their owner at %s',
    async (path) => {
      expect((await owner.get(`${acme}${path}`)).status).toBe(403);
      await owner.get(acme);
      expect((await submitPath(owner, `${acme}${path}`)).status).toBe(403);
    },
  );

  it('get another name from operators', async () => {
    const id = await organization('Before');
    const path = `/dashboard/organizations/${id}`;
    await operator.get(`${path}/rename`);
    await submitTo(operator, `${path}/rename`, { name: 'After' });
    expect(await site.people.organizations.get(site.local, id)).toMatchObject({ name: 'After' });
  });

  it('end only when the name is typed', async () => {
    const id = await organization('Gone');
    const path = `/dashboard/organizations/${id}`;
    await operator.get(`${path}/delete`);
    expect((await submitTo(operator, `${path}/delete`, { typed_name: 'gone' })).status).toBe(400);
    await submitTo(operator, `${path}/delete`, { typed_name: 'Gone' });
    await expect(site.people.organizations.get(site.local, id)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });
});

/** Posts to a path with the token of the page that a browser is on. */
async function submitPath(browser: DeskBrowser, path: string) {
  const csrf = /name="csrf" value="([^"]*)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
  return browser.post(path, { csrf, once: formMark(site.clock.now()) });
}

describe('dashboard: members of an organization', () => {
  it('get another role from an owner', async () => {
    const user = await site.userOf('member');
    await owner.get(acme);
    const { location } = await submitTo(owner, `${acme}/members/${user}/role`, { role: 'admin' });
    expect((await owner.get(location)).html).toContain('Max has the role Admin now.');
    await submitTo(owner, `${acme}/members/${user}/role`, { role: 'member' });
  });

  it('show an admin no form for roles, and one that is sent anyway changes nothing', async () => {
    const user = await site.userOf('member');
    const admin = await site.signedIn('admin');
    const { html } = await admin.get(acme);
    expect(html).not.toContain('/role"');
    const refused = await submitPath(admin, `${acme}/members/${user}/role`);
    expect(refused.status).toBe(400);
    expect((await site.people.users.get(site.local, user)).memberships).toMatchObject([{ role: 'member' }]);
  });

  it('keep their last owner, and the page says so', async () => {
    const user = await site.userOf('owner');
    await owner.get(acme);
    const refused = await submitTo(owner, `${acme}/members/${user}/role`, { role: 'member' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('Please correct this');
    expect((await site.people.users.get(site.local, user)).memberships).toMatchObject([{ role: 'owner' }]);
  });

  it('leave the organization after a question', async () => {
    const { id: user } = await site.people.users.create(site.local, {
      email: 'leaving@acme.example',
      organization_id: site.organization.id,
    });
    const { html } = await owner.get(`${acme}/members/${user}/remove`);
    expect(html).toContain('Remove leaving@acme.example from the organization?');
    await submitTo(owner, `${acme}/members/${user}/remove`);
    expect((await site.people.users.get(site.local, user)).memberships).toEqual([]);
  });
});

describe('dashboard: invitations of an organization', () => {
  it('show their link once where no mail is sent', async () => {
    await owner.get(`${acme}/invitations/new`);
    const made = await submitTo(owner, `${acme}/invitations/new`, {
      email: 'guest@acme.example',
      role: 'admin',
    });
    expect(made.status).toBe(200);
    expect(made.html).toMatch(LINK);
    const { html } = await owner.get(acme);
    expect(html).toContain('guest@acme.example');
    expect(html).not.toMatch(LINK);
  });

  it('say beforehand where nobody new can accept them', async () => {
    const NEEDS_USER = 'only somebody who is a user already can accept';
    expect((await owner.get(`${acme}/invitations/new`)).html).not.toContain(NEEDS_USER);
    const closed = await openSite({ env: { GATEHOUSE_SIGN_UP: 'closed' } });
    const { html } = await (
      await closed.signedIn('owner')
    ).get(`/dashboard/organizations/${closed.organization.id}/invitations/new`);
    expect(html).toContain(NEEDS_USER);
  });

  it('end when they are revoked', async () => {
    await owner.get(`${acme}/invitations/new`);
    await submitTo(owner, `${acme}/invitations/new`, { email: 'revoked@acme.example', role: 'member' });
    const { html } = await owner.get(`${acme}/invitations`);
    const row = html.slice(html.indexOf('revoked@acme.example'));
    const path = /action="([^"]*\/revoke)"/.exec(row)?.[1] ?? '';
    const { location } = await submitTo(owner, path);
    expect((await owner.get(location)).html).toContain('The invitation is revoked.');
    const { invitations } = await site.people.invitations.list(site.local, site.organization.id);
    expect(invitations.find(({ email }) => email === 'revoked@acme.example')?.status).toBe('revoked');
  });

  it('answer at the field for a member who is there already', async () => {
    await owner.get(`${acme}/invitations/new`);
    const refused = await submitTo(owner, `${acme}/invitations/new`, {
      email: 'member@acme.example',
      role: 'member',
    });
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(
      /id="f-email-wrong">\s*This person is a member of the organization already\./,
    );
    expect(refused.html).toContain('value="member@acme.example"');
  });

  it('do not let an admin give another role than member', async () => {
    const admin = await site.signedIn('admin');
    const { html } = await admin.get(`${acme}/invitations/new`);
    expect(html).not.toContain('value="owner"');
    const refused = await submitTo(admin, `${acme}/invitations/new`, {
      email: 'king@acme.example',
      role: 'owner',
    });
    expect(refused.status).toBe(400);
    expect(refused.html).not.toMatch(LINK);
  });
});

describe('dashboard: the OpenID provider of an organization', () => {
  const entered = {
    issuer: 'https://id.acme.example',
    client_id: 'client-1',
    client_secret: 'planted-secret',
    domains: 'acme.example\nacme.test',
    assume_email_verified: 'true',
  };

  it('comes from an operator and never shows its secret', async () => {
    await operator.get(`${acme}/provider`);
    await submitTo(operator, `${acme}/provider`, entered);
    const { html } = await operator.get(acme);
    expect(html).toContain('https://id.acme.example');
    expect(html).toContain('acme.example, acme.test');
    expect((await operator.get(`${acme}/provider`)).html).not.toContain('planted-secret');
    expect(html).not.toContain('planted-secret');
  });

  it('keeps its secret when the form is sent without one', async () => {
    await operator.get(`${acme}/provider`);
    await submitTo(operator, `${acme}/provider`, { ...entered, client_secret: '', domains: 'acme.example' });
    expect(await site.people.organizationProviders.get(site.local, site.organization.id)).toMatchObject({
      has_client_secret: true,
      domains: ['acme.example'],
    });
  });

  it('says at the field what is wrong and does not show the secret again', async () => {
    await operator.get(`${acme}/provider`);
    const shown = await submitTo(operator, `${acme}/provider`, {
      ...entered,
      issuer: 'nowhere',
      domains: 'no@domain',
    });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('id="f-issuer-wrong"');
    expect(shown.html).toContain('id="f-domains-wrong"');
    expect(shown.html).toContain('no@domain');
    expect(shown.html).not.toContain('planted-secret');
  });

  it('says at the domains that another organization has one', async () => {
    await operator.get(`${acme}/provider`);
    await submitTo(operator, `${acme}/provider`, entered);
    await operator.get(`${other}/provider`);
    const shown = await submitTo(operator, `${other}/provider`, entered);
    expect(shown.status).toBe(400);
    expect(shown.html).toMatch(/id="f-domains-wrong">\s*Another organization has the domain acme\.example\./);
  });

  it('goes away after a question', async () => {
    await operator.get(`${acme}/provider/remove`);
    await submitTo(operator, `${acme}/provider/remove`);
    expect((await operator.get(acme)).html).toContain('Its members sign in with a code by e-mail.');
  });

  it('needs a fresh sign-in', async () => {
    const own = await openSite();
    const browser = await own.signedIn('operator');
    const path = `/dashboard/organizations/${own.organization.id}/provider`;
    await browser.get(path);
    own.clock.advance(11 * 60_000);
    const refused = await submitTo(browser, path, entered);
    expect(refused).toMatchObject({
      status: 303,
      location: `/sign-in?again=1&next=${encodeURIComponent(path)}`,
    });
    await expect(own.people.organizationProviders.get(own.local, own.organization.id)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });
});

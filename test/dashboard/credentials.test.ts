import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, submitTo, type Site } from './dashboard-site.ts';

const PAGES = '/dashboard/credentials';

describe('dashboard: API credentials', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  });

  const made = async (name: string) =>
    (await site.identity.credentials.create(site.local, { name, scopes: ['accounts:read'] })).credential;

  it('creates one and shows its secret once, with a command that gets a token', async () => {
    const operator = await site.signedIn('operator');
    const form = await operator.get(`${PAGES}/new`);
    expect(form.html).toContain('Run tools and send requests through the proxy');
    const created = await submitTo(operator, `${PAGES}/new`, { name: '<i>CI</i>', scopes: 'tools:execute' });
    expect(created.status).toBe(200);
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(created.html).toContain('<h1>&lt;i&gt;CI&lt;/i&gt; was created</h1>');
    expect(created.html).not.toContain('<i>CI');
    const secret = /GATEHOUSE_CLIENT_SECRET=([\w-]+)/.exec(created.html)?.[1] ?? '';
    const clientId = /GATEHOUSE_CLIENT_ID=([\w-]+)/.exec(created.html)?.[1] ?? '';
    expect(created.html).toContain(`-d client_secret=${secret}`);
    expect(await site.identity.credentials.authenticate(site.environment.id, clientId, secret)).toMatchObject(
      {
        scopes: ['tools:execute'],
        organizationId: '',
      },
    );
    const list = await operator.get(PAGES);
    expect(list.html).toContain('&lt;i&gt;CI&lt;/i&gt;');
    expect(list.html).toContain(
      `<a class="link" href="/dashboard/users/${await site.userOf('operator')}">Ada</a>`,
    );
    expect(list.html).not.toContain(secret);
  });

  it('makes nothing twice when the form is sent again', async () => {
    const operator = await site.signedIn('operator');
    const form = await operator.get(`${PAGES}/new`);
    await submitTo(operator, `${PAGES}/new`, { name: 'once', scopes: 'tools:execute' });
    operator.shown = form;
    expect((await submitTo(operator, `${PAGES}/new`, { name: 'once', scopes: 'tools:execute' })).status).toBe(
      409,
    );
    const all = await site.identity.credentials.list(site.environment.id);
    expect(all.filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  it('answers at the fields what is missing', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/new`);
    const again = await submitTo(operator, `${PAGES}/new`, { name: ' ' });
    expect(again.status).toBe(400);
    expect(again.html).toContain('<a href="#f-name">Name: Must not be empty.</a>');
    expect(again.html).toContain(
      '<a href="#f-scopes">Scopes: Name at least one of these scopes: accounts:read, accounts:write, tools:execute, metrics:read, admin.</a>',
    );
  });

  it('rotates a secret and counts down while both work', async () => {
    const { id, client_id: clientId, client_secret: before } = await made('rotated');
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}/rotate`);
    const page = await submitTo(operator, `${PAGES}/${id}/rotate`);
    const secret = /GATEHOUSE_CLIENT_SECRET=([\w-]+)/.exec(page.html)?.[1] ?? '';
    expect(secret).not.toBe(before);
    expect(page.html).toContain('The secret before works until 2026-11-21 12:00 UTC.');
    const isGood = async (one: string) =>
      (await site.identity.credentials.authenticate(site.environment.id, clientId, one)) !== undefined;
    expect([await isGood(before), await isGood(secret)]).toEqual([true, true]);
    site.clock.advance(90 * 60_000);
    const later = await (await site.signedIn('operator')).get(`${PAGES}/${id}`);
    expect(later.html).toContain('until 2026-11-21 12:00 UTC (22 h 30 min left)');
    site.clock.advance(23 * 3_600_000);
    expect((await (await site.signedIn('operator')).get(`${PAGES}/${id}`)).html).not.toContain('left)');
    expect([await isGood(before), await isGood(secret)]).toEqual([false, true]);
  });

  it('leaves credentials that may read live credentials to the command line', async () => {
    const { credential } = await site.identity.credentials.create(site.local, {
      name: 'reader',
      scopes: ['accounts:credentials'],
    });
    const operator = await site.signedIn('operator');
    const page = await operator.get(`${PAGES}/${credential.id}`);
    expect(page.html).toContain(`gatehouse credentials rotate ${credential.id}`);
    expect(page.html).not.toContain(`${credential.id}/rotate`);
    await operator.get(`${PAGES}/${credential.id}/rotate`);
    expect((await submitTo(operator, `${PAGES}/${credential.id}/rotate`)).status).toBe(403);
    expect((await operator.get(`${PAGES}/new`)).html).not.toContain('value="accounts:credentials"');
    const asked = { name: 'more', scopes: 'accounts:credentials' };
    expect((await submitTo(operator, `${PAGES}/new`, asked)).html).toContain(
      'yours lacks accounts:credentials',
    );
  });

  it('says how the secret is stored, and takes the id of an organization that an application named', async () => {
    const operator = await site.signedIn('operator');
    expect((await operator.get(`${PAGES}/new`)).html).toContain(
      'Its id, org_… or one of your own application:',
    );
    const entered = { name: 'tenant', scopes: 'tools:execute', organization_id: 'tenant-7' };
    const { html } = await submitTo(operator, `${PAGES}/new`, entered);
    const id = /href="\/dashboard\/credentials\/(cred_\w+)"/.exec(html)?.[1] ?? '';
    const page = await operator.get(`${PAGES}/${id}`);
    expect(page.html).toContain('Stored as a SHA-256 hash only, so it cannot be shown');
    expect(page.html).toContain('tenant-7');
  });

  it('deletes one after its name was typed', async () => {
    const { id, client_id: clientId } = await made('over');
    const operator = await site.signedIn('operator');
    const path = `${PAGES}/${id}/delete`;
    await operator.get(path);
    expect((await submitTo(operator, path, { typed_name: 'Over' })).status).toBe(400);
    expect(await submitTo(operator, path, { typed_name: 'over' })).toMatchObject({
      status: 303,
      location: PAGES,
    });
    expect(await site.identity.credentials.isClient(site.environment.id, clientId)).toBe(false);
  });

  it('asks for a new sign-in before it makes or ends a secret', async () => {
    const { id } = await made('kept');
    const operator = await site.signedIn('operator');
    const forms = [`${PAGES}/new`, `${PAGES}/${id}/rotate`, `${PAGES}/${id}/delete`];
    const shown = [];
    for (const path of forms) shown.push(await operator.get(path));
    site.clock.advance(11 * 60_000);
    for (const [index, path] of forms.entries()) {
      operator.shown = shown[index];
      const sent = await submitTo(operator, path, { name: 'x', scopes: 'admin', typed_name: 'kept' });
      expect(sent.location).toBe(`/sign-in?${new URLSearchParams({ again: '1', next: path }).toString()}`);
      expect((await operator.get(path)).location).toBe(sent.location);
    }
    expect((await site.identity.credentials.get(site.environment.id, id)).name).toBe('kept');
  });

  it.each(['owner', 'admin'] as const)('shows a person with the role %s no credentials', async (who) => {
    const { id } = await made('hidden');
    const person = await site.signedIn(who);
    for (const path of [
      PAGES,
      `${PAGES}/new`,
      `${PAGES}/${id}`,
      `${PAGES}/${id}/rotate`,
      `${PAGES}/${id}/delete`,
    ]) {
      const page = await person.get(path);
      expect(page.status).toBe(403);
      expect(page.html).not.toContain('hidden credential');
      expect(page.html).not.toContain('gh_');
    }
    expect((await person.post(`${PAGES}/${id}/rotate`, {})).status).toBe(403);
  });
});

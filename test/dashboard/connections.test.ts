import { beforeAll, describe, expect, it } from 'vitest';
import { catalogIn } from '../../src/catalog/model/environment-catalog.ts';
import { accountOf } from './dashboard-rows.ts';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import { seedAccount } from './seeded-calls.ts';

const PAGES = '/dashboard/connections';

describe('dashboard: connections', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  });

  it('lists connections with their app, accounts and warnings', async () => {
    const { id } = await site.services.connections.create(site.local, { connector: 'crm', name: 'sales' });
    const page = await (await site.signedIn('operator')).get(PAGES);
    expect(page.status).toBe(200);
    expect(page.html).toContain(`<a href="/dashboard/connections/${id}">sales</a>`);
    expect(page.html).toContain('Attio CRM');
    expect(page.html).toContain('2 warnings');
    await site.services.connections.remove(site.local, id);
  });

  it('leads to the reading tool with the fewest inputs, once it has an account', async () => {
    const { id } = await site.services.connections.get(site.environment.id, 'websearch');
    const operator = await site.signedIn('operator');
    expect((await operator.get(`${PAGES}/${id}`)).html).not.toContain('Test with a tool');
    const account = await seedAccount(site, { user_id: 'u1' }, 'tested');
    const { html } = await operator.get(`${PAGES}/${id}`);
    const [, tool = ''] = /href="\/dashboard\/tools\/(\w+)"[^>]*>Test with a tool/.exec(html) ?? [];
    expect(catalogIn(site.services.catalog, site.environment.id).tools.get(tool)).toMatchObject({
      connector: 'websearch',
      effect: 'read',
    });
    await site.services.disconnection.remove(site.local, { id: account.id });
  });

  it('finds connectors of the gallery by their abilities', async () => {
    const operator = await site.signedIn('operator');
    const all = await operator.get(`${PAGES}/new`);
    expect(all.html).toContain('href="/dashboard/connections/new?connector=crm"');
    expect(all.html).toContain('href="/dashboard/connections/new?connector=mail"');
    const some = await operator.get(`${PAGES}/new?q=ATTIO`);
    expect(some.html).toContain('connector=crm');
    expect(some.html).not.toContain('connector=mail');
    const none = await operator.get(`${PAGES}/new?q=${encodeURIComponent('"><b>x')}`);
    expect(none.html).toContain('No connector matches this search.');
    expect(none.html).not.toContain('<b>x');
  });

  it('creates a connection and shows its redirect URI before anything else', async () => {
    const operator = await site.signedIn('operator');
    const form = await operator.get(`${PAGES}/new?connector=mail`);
    expect(form.html).toContain('Read, create, change and delete calendars and events.');
    const created = await submitTo(operator, `${PAGES}/new`, {
      name: 'calendar',
      scopes: 'Calendars.Read',
      other_scopes: 'Files.Read',
      'params.tenant': 'common',
      more: '{"timeout": "20s"}',
    });
    expect(created.status).toBe(303);
    const page = await operator.get(created.location);
    const connection = await site.services.connections.get(site.environment.id, 'calendar');
    expect(connection).toMatchObject({
      connector: 'mail',
      authorization_type: 'OAUTH',
      scopes: ['Calendars.Read', 'Files.Read'],
      params: { tenant: 'common', timeout: '20s' },
      client_id: null,
    });
    expect(page.html).toContain('The connection calendar was created.');
    const uri = `http://127.0.0.1:3000/sso/v1/oauth/${connection.id}/callback`;
    expect(page.html.indexOf(`data-copy="${uri}"`)).toBeGreaterThan(0);
    expect(page.html.indexOf(uri)).toBeLessThan(page.html.indexOf('Client id'));
    expect(page.html).toContain('Register an app in Microsoft Entra');
  });

  it('shows a refused form again with the entered text and the problem at its field', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/new?connector=mail`);
    const again = await submitTo(operator, `${PAGES}/new`, {
      name: '<b>bad</b>',
      other_scopes: 'one"two',
      'params.tenant': '<script>alert(1)</script>',
      more: '{"rate_limit": -1}',
    });
    expect(again.status).toBe(400);
    expect(again.html).toContain('<title>Error: Connect Microsoft Outlook');
    expect(again.html).toContain('value="&lt;b&gt;bad&lt;/b&gt;"');
    expect(again.html).not.toContain('<script>alert');
    for (const id of ['f-name', 'f-other_scopes', 'f-params-tenant', 'f-more'])
      expect(again.html).toMatch(new RegExp(`id="${id}-wrong"`));
    const noObject = await submitTo(operator, `${PAGES}/new`, { name: '<b>x', more: '[1]' });
    expect(noObject.html).toContain('Must be a JSON object.');
    expect(noObject.html).toContain('id="f-name-wrong"');
  });

  it('shows a taken name as a problem at its field', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/new?connector=mail`);
    const again = await submitTo(operator, `${PAGES}/new`, { name: 'websearch' });
    expect(again.status).toBe(400);
    expect(again.html).toMatch(/id="f-name-wrong">\s*There is a connection with this name or id already\./);
  });

  it('stores a secret, never shows it again, keeps it with an empty field and removes it on demand', async () => {
    const { id } = await site.services.connections.create(site.local, { connector: 'video', name: 'clips' });
    const operator = await site.signedIn('operator');
    const path = `${PAGES}/${id}`;
    const typed = { client_id: 'client-1', client_secret: 'planted-secret-1' };
    await operator.get(`${path}/edit`);
    const refused = await submitTo(operator, `${path}/edit`, { ...typed, name: '' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('value="client-1"');
    expect(refused.html).not.toContain('planted-secret-1');
    expect((await submitTo(operator, `${path}/edit`, { ...typed, name: 'clips' })).status).toBe(303);
    const page = await operator.get(path);
    expect(page.html).toContain('client-1');
    expect(page.html).toContain('Set on 2026-11-20');
    expect(page.html).not.toContain('planted-secret-1');
    const usage = async () => (await site.services.connections.usage(site.environment.id, id)).hasSecret;
    expect((await operator.get(`${path}/edit`)).html).not.toContain('planted-secret-1');
    await submitTo(operator, `${path}/edit`, { name: 'clips', client_id: 'client-1' });
    expect(await usage()).toBe(true);
    await operator.get(`${path}/edit`);
    await submitTo(operator, `${path}/edit`, { name: 'clips', remove_secret: 'true' });
    expect(await usage()).toBe(false);
    expect((await site.services.connections.get(site.environment.id, id)).client_id).toBeNull();
  });

  it('renames a connection and sets other endpoints', async () => {
    const { id } = await site.services.connections.create(site.local, { connector: 'crm', name: 'before' });
    const operator = await site.signedIn('operator');
    await operator.get(`${PAGES}/${id}/edit`);
    const answer = await submitTo(operator, `${PAGES}/${id}/edit`, {
      name: 'after',
      'overrides.base_url': 'https://sandbox.example.com',
    });
    expect(answer).toMatchObject({ status: 303, location: `${PAGES}/${id}` });
    expect(await site.services.connections.get(site.environment.id, id)).toMatchObject({
      name: 'after',
      overrides: { base_url: 'https://sandbox.example.com' },
    });
    await operator.get(`${PAGES}/${id}/edit`);
    const refused = await submitTo(operator, `${PAGES}/${id}/edit`, {
      name: 'after',
      'overrides.token_url': 'ftp://x',
    });
    expect(refused.html).toMatch(/id="f-overrides-token_url-wrong"/);
  });

  it('deletes a connection after its name was typed in a fresh session', async () => {
    const { id } = await site.services.connections.create(site.local, { connector: 'crm', name: 'old' });
    const operator = await site.signedIn('operator');
    const path = `${PAGES}/${id}/delete`;
    await operator.get(path);
    const wrong = await submitTo(operator, path, { typed_name: 'olf' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('This must be exactly old.');
    site.clock.advance(11 * 60_000);
    expect((await submitTo(operator, path, { typed_name: 'old' })).location).toContain('/sign-in?again=1');
    const fresh = await site.signedIn('operator');
    await fresh.get(path);
    expect(await submitTo(fresh, path, { typed_name: 'old' })).toMatchObject({
      status: 303,
      location: PAGES,
    });
    expect((await fresh.get(PAGES)).html).toContain('The connection old was deleted.');
    expect((await fresh.get(`${PAGES}/${id}`)).status).toBe(404);
  });

  it('names the accounts that stop a connection from being deleted', async () => {
    const { id } = await site.services.connections.create(site.local, { connector: 'crm', name: 'busy' });
    await accountOf(site, 'busy', 'ada');
    const page = await (await site.signedIn('operator')).get(`${PAGES}/${id}/delete`);
    expect(page.html).toContain('This connection has 1 account.');
    expect(page.html).toContain('/dashboard/accounts?connector=busy');
    expect(page.html).not.toContain('typed_name');
  });

  it('offers no change of a connection that gatehouse.yaml declares', async () => {
    await site.services.connections.synchronize(site.environment.id, [
      { connector: 'crm', name: 'declared' },
    ]);
    const { id } = await site.services.connections.get(site.environment.id, 'declared');
    const operator = await site.signedIn('operator');
    const page = await operator.get(`${PAGES}/${id}`);
    expect(page.html).toContain('This connection is declared in gatehouse.yaml.');
    expect(page.html).toContain('href="/dashboard/accounts/new?connector=declared"');
    expect(page.html).not.toContain(`${id}/edit`);
    expect(page.html).toContain('Enter client id and secret in this connection.');
    expect(page.html).not.toContain('under Change');
    expect((await operator.get(`${PAGES}/${id}/edit`)).html).not.toContain('name="client_secret"');
  });

  it.each(['owner', 'admin'] as const)(
    'shows a person with the role %s nothing of connections',
    async (who) => {
      const person = await site.signedIn(who);
      for (const path of [PAGES, `${PAGES}/new`, `${PAGES}/websearch`, `${PAGES}/websearch/delete`]) {
        const page = await person.get(path);
        expect(page.status).toBe(403);
        expect(page.html).not.toContain('Exa');
      }
      expect((await person.post(`${PAGES}/new`, { connector: 'crm', name: 'x' })).status).toBe(403);
    },
  );
});

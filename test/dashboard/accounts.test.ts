import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formMark } from '../../src/pages/frame/spent-forms.ts';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';
import { nameAccount } from './seeded-calls.ts';

const HOSTILE = `<script>alert(1)</script>"'&`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;';

const KEY = { authorization_details: { static_auth: { details: { api_key: 'sk-planted-secret' } } } };

const LINK = /https?:\/\/[^"<\s]+\/connect\/[\w-]{43}/;

let site: Site;
let operator: DeskBrowser;
let owner: DeskBrowser;

/** An account of the web search that works. @param of its owner and identifier */
async function connected(of: {
  identifier: string;
  user_id?: string;
  organization_id?: string;
}): Promise<string> {
  const { id } = await site.services.accounts.create(site.local, {
    connector: 'websearch',
    connected_account: KEY,
    ...of,
  });
  return id;
}

async function statusOf(id: string): Promise<string> {
  return (await site.services.accounts.describe(site.local, { id })).status;
}

beforeAll(async () => {
  site = await openSite();
});

beforeEach(async () => {
  operator = await site.signedIn('operator');
  owner = await site.signedIn('owner');
});

describe('dashboard: the list of accounts', () => {
  let robins: string;
  let companys: string;

  beforeAll(async () => {
    robins = await connected({ identifier: 'robin@list.example', user_id: await site.userOf('member') });
    companys = await connected({ identifier: 'shared@list.example', organization_id: site.organization.id });
    await connected({ identifier: HOSTILE, user_id: HOSTILE });
  });

  it('shows an operator every account with its owner by name', async () => {
    const { html } = await operator.get('/dashboard/accounts');
    expect(html).toContain(`href="/dashboard/accounts/${robins}"`);
    expect(html).toContain(`href="/dashboard/accounts/${companys}"`);
    expect(html).toContain(`<bdi>member@acme.example</bdi>`);
    expect(html).toContain(`<a href="/dashboard/organizations/${site.organization.id}"><bdi>Acme</bdi></a>`);
    expect(html).toContain('3 in all');
  });

  it('shows hostile identifiers and owners as text', async () => {
    const { html } = await operator.get('/dashboard/accounts');
    expect(html).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect(html).not.toContain('<script>alert');
  });

  it('shows what the app calls an account next to its identifier, wherever accounts are listed', async () => {
    const id = await connected({ identifier: 'desk-4', user_id: await site.userOf('owner') });
    const same = await connected({ identifier: 'desk-5@list.example' });
    await nameAccount(site, id, `Robin <b>`);
    await nameAccount(site, same, 'desk-5@list.example');
    const list = await operator.get('/dashboard/accounts?query=desk-');
    expect(list.html.match(/<small>.*?<\/small>/gs)).toEqual([
      '<small>127.0.0.1:3000</small>',
      '<small>Operator</small>',
      '<small>Exa web search · <bdi>Robin &lt;b&gt;</bdi></small>',
      '<small><bdi>owner@acme.example</bdi></small>',
      '<small>Exa web search</small>',
    ]);
    const pages = [
      `/dashboard/accounts/${id}`,
      `/dashboard/users/${await site.userOf('owner')}`,
      '/dashboard/search?q=desk-4',
      `/dashboard/tools/websearch_search?connected_account_id=${id}`,
    ];
    for (const path of pages)
      expect((await operator.get(path)).html, path).toContain('<bdi>Robin &lt;b&gt;</bdi>');
    expect(operator.shown?.html).toContain('>\u2068desk-4 (Robin &lt;b&gt;)\u2069 · websearch ·');
  });

  it('shows an owner the accounts of the organization and none of its members', async () => {
    const { html } = await owner.get('/dashboard/accounts');
    expect(html).toContain('shared@list.example');
    expect(html).not.toContain('robin@list.example');
    expect(html).toContain('1 in all');
  });

  it.each([
    ['status=ACTIVE&query=robin', 'robin@list.example', 'shared@list.example'],
    ['user_id=member%40acme.example', 'robin@list.example', 'shared@list.example'],
    ['connector=websearch&query=shared', 'shared@list.example', 'robin@list.example'],
  ])('narrows to what the filters %s name', async (query, there, notThere) => {
    const { html } = await operator.get(`/dashboard/accounts?${query}`);
    expect(html).toContain(there);
    expect(html).not.toContain(notThere);
    expect(html).toContain('Clear filters');
  });

  it('offers once to clear filters that nothing matches', async () => {
    const { html } = await operator.get('/dashboard/accounts?query=nobody');
    expect(html).toContain('Nothing matches these filters.');
    expect(html.match(/Clear filters/g)).toEqual(['Clear filters']);
  });

  it('does not let an owner look for the accounts of a member', async () => {
    const member = await site.userOf('member');
    const { html } = await owner.get(`/dashboard/accounts?user_id=${member}`);
    expect(html).not.toContain('robin@list.example');
  });

  it('says what is wrong with a filter on the page', async () => {
    const shown = await operator.get('/dashboard/accounts?user_id=a&organization_id=b&page_token=x');
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('Please correct this');
    expect(shown.html).toContain('name="user_id"');
  });

  it('says that nothing matches where filters leave nothing', async () => {
    const { html } = await operator.get('/dashboard/accounts?query=nobody-has-this');
    expect(html).toContain('Nothing matches these filters.');
  });
});

describe('dashboard: one account', () => {
  it('shows its history, configuration and calls, and never its credential', async () => {
    const id = await connected({ identifier: 'one@acme.example', user_id: 'customer-7' });
    await site.services.accounts.update(site.local, {
      id,
      connected_account: { api_config: { note: HOSTILE } },
    });
    const { html, status } = await operator.get(`/dashboard/accounts/${id}`);
    expect(status).toBe(200);
    expect(html).toContain('<h1>one@acme.example</h1>');
    expect(html).toContain('created by the command line');
    expect(html).toContain('customer-7');
    expect(html).toContain('No tool was called with this account yet.');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('sk-planted-secret');
  });

  it('does not exist for the owner of an organization that does not own it', async () => {
    const id = await connected({ identifier: 'foreign@acme.example', user_id: 'customer-8' });
    for (const path of ['', '/disconnect', '/delete'])
      expect((await owner.get(`/dashboard/accounts/${id}${path}`)).status).toBe(404);
  });

  it('shows which permissions the app granted and which tools lack one', async () => {
    await site.services.connections.create(site.local, {
      connector: 'crm',
      client_id: 'app-1',
      client_secret: 'app-secret',
    });
    const { id } = await site.services.accounts.create(site.local, {
      connector: 'crm',
      identifier: 'crm@acme.example',
      user_id: 'customer-9',
      connected_account: {
        authorization_details: {
          oauth_token: {
            access_token: 'at-planted',
            refresh_token: 'rt',
            scopes: ['record_permission:read'],
          },
        },
      },
    });
    const { html } = await operator.get(`/dashboard/accounts/${id}`);
    expect(html).toContain('<h2 id="permissions">Permissions</h2>');
    expect(html).toMatch(/record_permission:read<\/code>[\s\S]*?Allowed/);
    expect(html).toContain('Not allowed');
    expect(html).toMatch(/\d+ tools need permissions that are not allowed/);
    expect(html).not.toContain('at-planted');
  });
});

describe('dashboard: renewing the token of an account', () => {
  it('says on the page of the account why it cannot be', async () => {
    const id = await connected({ identifier: 'key@acme.example', user_id: 'customer-20' });
    await operator.get(`/dashboard/accounts/${id}/disconnect`);
    const csrf = /name="csrf" value="([^"]*)"/.exec(operator.shown?.html ?? '')?.[1] ?? '';
    const refused = await operator.post(`/dashboard/accounts/${id}/refresh`, {
      csrf,
      once: formMark(site.clock.now()),
    });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('<li>Accounts of type API_KEY have no token that could be refreshed.');
  });
});

describe('dashboard: history of an account for its owner', () => {
  it('names members of the organization, and nobody else', async () => {
    const { id } = await site.services.accounts.create(
      { ...site.local, actor: await site.userOf('admin') },
      { connector: 'websearch', identifier: 'history@acme.example', organization_id: site.organization.id },
    );
    const by = { ...site.local, actor: await site.userOf('operator') };
    await site.services.accounts.update(by, { id, connected_account: KEY });
    const { html } = await owner.get(`/dashboard/accounts/${id}`);
    expect(html).toContain('created by Max');
    // A random token of a form may contain these letters.
    expect(html.replaceAll(/ value="[^"]*"/g, '')).not.toContain('Ada');
    expect(html).not.toContain('ada@example.test');
  });
});

describe('dashboard: links for accounts', () => {
  it('shows a link to reconnect once, to copy', async () => {
    const id = await connected({ identifier: 'link@acme.example', user_id: 'customer-10' });
    await operator.get(`/dashboard/accounts/${id}`);
    const made = await submitTo(operator, `/dashboard/accounts/${id}/link`);
    expect(made.status).toBe(200);
    expect(made.html).toMatch(LINK);
    expect((await operator.get(`/dashboard/accounts/${id}`)).html).not.toMatch(LINK);
  });

  it('makes one link for a form that is sent twice', async () => {
    const id = await connected({ identifier: 'twice@acme.example', user_id: 'customer-11' });
    await operator.get(`/dashboard/accounts/${id}`);
    const page = operator.shown;
    await submitTo(operator, `/dashboard/accounts/${id}/link`);
    operator.shown = page;
    const second = await submitTo(operator, `/dashboard/accounts/${id}/link`);
    expect(second.status).toBe(409);
    expect(second.html).not.toMatch(LINK);
  });

  it('lets an operator connect a new account of a person', async () => {
    await operator.get('/dashboard/accounts/new');
    const made = await submitTo(operator, '/dashboard/accounts/new', {
      connector: 'websearch',
      user_id: 'customer-12',
      identifier: 'new@acme.example',
    });
    expect(made.html).toMatch(LINK);
    const { connected_accounts } = await site.services.accounts.list(site.local, { user_id: 'customer-12' });
    expect(connected_accounts).toMatchObject([{ identifier: 'new@acme.example', status: 'PENDING_AUTH' }]);
  });

  it('keeps the entered text and says at the field what is wrong', async () => {
    await operator.get('/dashboard/accounts/new');
    const shown = await submitTo(operator, '/dashboard/accounts/new', {
      connector: 'websearch',
      user_id: `person ${HOSTILE}`,
      organization_id: 'company-1',
    });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain(`value="person ${ESCAPED}"`);
    expect(shown.html).toContain('aria-invalid="true"');
    expect(shown.title).toContain('Error: Connect an account');
  });

  it('makes links of the organization for its owner, whatever owner the form names', async () => {
    await owner.get('/dashboard/accounts/new');
    expect(owner.shown?.html).not.toContain('name="user_id"');
    await submitTo(owner, '/dashboard/accounts/new', {
      connector: 'websearch',
      user_id: 'customer-13',
      identifier: 'ours@acme.example',
    });
    const { connected_accounts } = await site.services.accounts.list(site.local, {
      identifier: 'ours@acme.example',
      view: 'full',
    });
    expect(connected_accounts).toMatchObject([{ organization_id: site.organization.id, user_id: '' }]);
  });
});

describe('dashboard: new links for expired accounts', () => {
  async function expired(identifier: string): Promise<string> {
    const id = await connected({ identifier, user_id: identifier });
    await site.services.db.transaction(async (tx) => {
      await tx.updateTable('accounts').set({ status: 'EXPIRED' }).where('id', '=', id).execute();
    });
    return id;
  }

  it('makes a link for each account that is ticked', async () => {
    const [one, two] = [await expired('old-1@acme.example'), await expired('old-2@acme.example')];
    const { html } = await operator.get('/dashboard/accounts/links');
    expect(html).toContain(`value="${one}"`);
    expect(html).toContain(`value="${two}"`);
    const made = await submitTo(operator, '/dashboard/accounts/links', { accounts: two });
    expect(made.html).toContain('<h1>1 link made</h1>');
    expect(made.html).toContain('Give each link to the owner of its account.');
    expect(made.html).toContain('old-2@acme.example');
    expect(made.html).toMatch(LINK);
  });

  it('asks for at least one account', async () => {
    await operator.get('/dashboard/accounts/links');
    const shown = await submitTo(operator, '/dashboard/accounts/links');
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('Tick at least one account.');
  });

  it('makes none for an account of somebody else that an owner adds to the form', async () => {
    const foreign = await expired('old-3@acme.example');
    const { id } = await site.services.accounts.create(site.local, {
      connector: 'websearch',
      identifier: 'old-ours@acme.example',
      organization_id: site.organization.id,
      connected_account: KEY,
    });
    await site.services.db.transaction(async (tx) => {
      await tx.updateTable('accounts').set({ status: 'EXPIRED' }).where('id', '=', id).execute();
    });
    const { html } = await owner.get('/dashboard/accounts/links');
    expect(html).not.toContain(foreign);
    const made = await submitTo(owner, '/dashboard/accounts/links', { accounts: foreign });
    expect(made.status).toBe(404);
    expect(made.html).not.toMatch(LINK);
  });
});

describe('dashboard: ending an account', () => {
  it('disconnects after a question', async () => {
    const id = await connected({ identifier: 'end@acme.example', user_id: 'customer-14' });
    const { html } = await operator.get(`/dashboard/accounts/${id}/disconnect`);
    expect(html).toContain('Disconnect end@acme.example?');
    expect(await statusOf(id)).toBe('ACTIVE');
    const done = await submitTo(operator, `/dashboard/accounts/${id}/disconnect`);
    expect(done).toMatchObject({ status: 303, location: `/dashboard/accounts/${id}` });
    expect(await statusOf(id)).toBe('DISCONNECTED');
    expect((await operator.get(done.location)).html).toContain('end@acme.example is disconnected.');
  });

  it('deletes only when its identifier is typed', async () => {
    const id = await connected({ identifier: 'gone@acme.example', user_id: 'customer-15' });
    await operator.get(`/dashboard/accounts/${id}/delete`);
    const wrong = await submitTo(operator, `/dashboard/accounts/${id}/delete`, { typed_name: 'gone' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('This must be exactly gone@acme.example.');
    const done = await submitTo(operator, `/dashboard/accounts/${id}/delete`, {
      typed_name: 'gone@acme.example',
    });
    expect(done).toMatchObject({ status: 303, location: '/dashboard/accounts' });
    await expect(statusOf(id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('asks for a fresh sign-in before it deletes', async () => {
    const own = await openSite();
    const browser = await own.signedIn('operator');
    const { id } = await own.services.accounts.create(own.local, {
      connector: 'websearch',
      identifier: 'stale@acme.example',
      connected_account: KEY,
    });
    await browser.get(`/dashboard/accounts/${id}/delete`);
    own.clock.advance(11 * 60_000);
    const refused = await submitTo(browser, `/dashboard/accounts/${id}/delete`, {
      typed_name: 'stale@acme.example',
    });
    expect(refused).toMatchObject({
      status: 303,
      location: `/sign-in?again=1&next=%2Fdashboard%2Faccounts%2F${id}%2Fdelete`,
    });
    expect(await own.services.accounts.describe(own.local, { id })).toMatchObject({ status: 'ACTIVE' });
  });
});

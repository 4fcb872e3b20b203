import { endOf } from '../../src/dashboard/pages/calls/call-steps.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './dashboard-site.ts';
import { listedCalls, seedAccount, seedCalls } from './seeded-calls.ts';

describe('dashboard: list of calls', () => {
  let site: Site;
  let accountId: string;

  beforeAll(async () => {
    site = await openSite();
    const account = await seedAccount(site, { organization_id: site.organization.id }, 'acme');
    accountId = account.id;
    const at = site.clock.now();
    await seedCalls(site, [
      { id: 'exe_1', at: at - 4_000, tool_name: 'websearch_answer', source: 'mcp', user_id: 'u1' },
      { id: 'exe_2', at: at - 3_000, status: 'error', error_code: 'TOOL_ERROR', user_id: 'u2' },
      {
        id: 'exe_3',
        at: at - 2_000,
        connector: 'crm',
        connected_account_id: accountId,
        user_id: '',
        organization_id: site.organization.id,
      },
      { id: 'exe_4', at: at - 86_400_000, source: 'dashboard' },
    ]);
  });

  it.each([
    ['', ['exe_3', 'exe_2', 'exe_1', 'exe_4']],
    ['?tool=websearch_answer', ['exe_1']],
    ['?connector=crm', ['exe_3']],
    ['?user_id=u2', ['exe_2']],
    ['?status=error', ['exe_2']],
    ['?error_code=TOOL_ERROR', ['exe_2']],
    ['?error_code=INVALID_ARGUMENT', []],
    ['?source=dashboard', ['exe_4']],
    ['?from=2026-11-20T00:00', ['exe_3', 'exe_2', 'exe_1']],
    ['?to=2026-11-20T00:00', ['exe_4']],
  ])('shows operators what matches the filters %j', async (query, expected) => {
    const page = await (await site.signedIn('operator')).get(`/dashboard/calls${query}`);
    expect(page.status).toBe(200);
    expect(listedCalls(page.html)).toEqual(expected);
  });

  it('shows an admin the calls with accounts of the organization only', async () => {
    const page = await (await site.signedIn('admin')).get('/dashboard/calls');
    expect(listedCalls(page.html)).toEqual(['exe_3']);
  });

  it('names owners who are known, and shortens the ids of others', async () => {
    const operator = await site.signedIn('operator');
    const { html } = await operator.get('/dashboard/calls');
    const { id } = site.organization;
    expect(html).toContain(
      `<a class="link" href="/dashboard/organizations/${id}"><bdi title="${id}">Acme</bdi></a>`,
    );
    expect(html).toContain('<bdi class="mono" title="u1">u1</bdi>');
    expect((await operator.get('/dashboard/calls/exe_3')).html).toContain(`<bdi title="${id}">Acme</bdi>`);
  });

  it('names every invalid filter and keeps the entered text', async () => {
    const page = await (
      await site.signedIn('operator')
    ).get('/dashboard/calls?from=soon&status=odd&tool=a%22b');
    expect(page.status).toBe(400);
    expect(page.html).toContain('<title>Error: Calls · development · Gatehouse</title>');
    expect(page.html).toContain('From (UTC): Must be a time such as 2026-11-20T14:30.');
    expect(page.html).toContain('Outcome: Must be one of ok, error.');
    expect(page.html).toContain('value="a&quot;b"');
  });

  it('offers to clear filters that match nothing', async () => {
    const page = await (await site.signedIn('operator')).get('/dashboard/calls?tool=nothing');
    expect(page.html).toContain('Nothing matches these filters.');
  });

  it('pages by keys and keeps the filters', async () => {
    const own = await openSite();
    await seedCalls(
      own,
      Array.from({ length: 31 }, (_, i) => ({ id: `exe_${100 + i}`, at: own.clock.now() - i * 1000 })),
    );
    const operator = await own.signedIn('operator');
    const first = await operator.get('/dashboard/calls?status=ok');
    expect(first.html).toContain('>Next</a>');
    const older = /href="([^"]*page_token[^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toMatch(/^\/dashboard\/calls\?status=ok&page_token=/);
    const second = await operator.get(older);
    expect(listedCalls(second.html)).toEqual(['exe_130']);
    expect(second.html).toContain('31 in all');
  });

  it('answers a live list with its rows alone', async () => {
    const operator = await site.signedIn('operator');
    const page = await operator.get('/dashboard/calls?live=1');
    expect(page.html).toContain('hx-get="/dashboard/calls?live=1"');
    const part = await operator.get('/dashboard/calls?live=1', { 'hx-request': 'true' });
    expect(part.html.trim()).toMatch(/^<div class="scroll"/);
    expect(listedCalls(part.html)).toEqual(['exe_3', 'exe_2', 'exe_1', 'exe_4']);
  });

  it('exports the filtered calls as CSV in which no text is a formula', async () => {
    const own = await openSite();
    await seedCalls(own, [
      {
        id: 'exe_1',
        tool_name: '=1+1',
        status: 'error',
        error_code: 'TOOL_ERROR',
        error_message: 'It said "no", twice',
      },
      { id: 'exe_2', source: 'mcp' },
    ]);
    const file = await (await own.signedIn('operator')).get('/dashboard/calls/export?status=error');
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="calls-2026-11-20.csv"');
    const [names, call, ...rest] = file.html.split('\r\n');
    expect(names).toMatch(/^execution_id,at,tool_name,/);
    expect(call).toContain("exe_1,2026-11-20T11:59:00.000Z,'=1+1,websearch,");
    expect(call).toContain(',"It said ""no"", twice",');
    expect(rest).toEqual(['']);
  });
});

describe('dashboard: one call', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
    const account = await seedAccount(site, { organization_id: site.organization.id }, '<b>acme</b>');
    await seedCalls(site, [
      {
        id: 'exe_1',
        connected_account_id: account.id,
        duration_ms: 250,
        queue_ms: 20,
        provider_ms: 200,
        attempts: 2,
        renewals: 1,
      },
      {
        id: 'exe_2',
        connected_account_id: account.id,
        status: 'error',
        error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      },
      { id: 'exe_3', connected_account_id: 'ca_of_nobody' },
      {
        id: 'exe_4',
        connected_account_id: account.id,
        status: 'error',
        error_code: 'RATE_LIMITED',
        queue_ms: 0,
        provider_ms: 0,
        attempts: 0,
        renewals: 0,
      },
    ]);
  });

  it('shows where its time went, and the account with its name as text', async () => {
    const { html } = await (await site.signedIn('owner')).get('/dashboard/calls/exe_1');
    const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('The provider had the request 200 ms');
    expect(text).toContain('credential 20 ms');
    expect(text).toContain('recording 30 ms');
    expect(text).toContain('2 requests were sent. The credential was renewed for this call.');
    expect(html).toContain('&lt;b&gt;acme&lt;/b&gt;');
  });

  it('shows the ten steps with the time of the provider', async () => {
    const { html } = await (await site.signedIn('owner')).get('/dashboard/calls/exe_1');
    const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('✓ Make its credential usable renewed');
    expect(text).toContain('✓ Send it to the provider 200 ms ✓ Shape the answer done ✓ Record the call done');
  });

  it.each([
    ['RATE_LIMITED', 0, null, [5, 5]],
    ['CONNECTED_ACCOUNT_NOT_ACTIVE', 0, null, [4, 6]],
    ['CONNECTED_ACCOUNT_NOT_ACTIVE', 1, null, [8, 8]],
    ['TOOL_ERROR', 1, 404, [8, 8]],
    ['TOOL_ERROR', 1, null, [8, 9]],
    ['TOOL_ERROR', 1, 200, [8, 9]],
    ['INVALID_ARGUMENT', 0, null, [4, 7]],
    ['UNAVAILABLE', null, null, [4, 9]],
  ])(
    'shows the step at which a call with %s after %s requests and the status %s ended',
    (error_code, attempts, provider_status, steps) => {
      expect(endOf({ status: 'error', error_code, attempts, provider_status })).toEqual(steps);
    },
  );

  it('shows the steps that a failed call has not reached', async () => {
    const { html } = await (await site.signedIn('owner')).get('/dashboard/calls/exe_4');
    const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('✓ Require that it is connected done 5 Count the call in its limits ended here');
    expect(text).toContain('9 Shape the answer not reached ✓ Record the call done');
  });

  it('shows the next step after a failure', async () => {
    const { html } = await (await site.signedIn('operator')).get('/dashboard/calls/exe_2');
    expect(html).toContain('When its owner has connected the account, repeat the same call.');
    expect(html).toContain('A link was given to the owner of the account.');
  });

  it.each([
    ['owner', 'exe_3'],
    ['operator', 'exe_none'],
  ] as const)('answers 404 to the %s for the call %s', async (who, id) => {
    expect((await (await site.signedIn(who)).get(`/dashboard/calls/${id}`)).status).toBe(404);
  });
});

describe('dashboard: search', () => {
  it.each([
    ['exe_01m82x0000000000000000000', '/dashboard/calls/exe_01m82x0000000000000000000'],
    ['usr_01m82x0000000000000000000', '/dashboard/users/usr_01m82x0000000000000000000'],
    [' mcp_01m82x0000000000000000000 ', '/dashboard/servers/mcp_01m82x0000000000000000000'],
  ])('redirects from the id %s straight to its page', async (id, location) => {
    const operator = await (await openSite()).signedIn('operator');
    expect(await operator.get(`/dashboard/search?q=${encodeURIComponent(id)}`)).toMatchObject({
      status: 303,
      location,
    });
  });

  it('finds tools and accounts for everybody, and people and connections for operators', async () => {
    const site = await openSite();
    await seedAccount(site, { user_id: 'u1' }, 'similar-bot@example.test');
    const { html } = await (await site.signedIn('operator')).get('/dashboard/search?q=similar');
    expect(html).toContain('href="/dashboard/tools/websearch_find_similar"');
    expect(html).toContain('similar-bot@example.test');
    await site.userOf('member');
    const operator = await site.signedIn('operator');
    const person = await operator.get('/dashboard/search?q=MEMBER@acme.example');
    expect(person.html).toMatch(/href="\/dashboard\/users\/usr_\w+"/);
    const organization = await operator.get('/dashboard/search?q=Acme');
    expect(organization.html).toContain(`href="/dashboard/organizations/${site.organization.id}"`);
    const app = await operator.get('/dashboard/search?q=websearch');
    expect(app.html).toMatch(/href="\/dashboard\/connections\/conn_\w+"/);
    const owner = await site.signedIn('owner');
    for (const q of ['member@acme.example', 'websearch', 'Acme'])
      expect((await owner.get(`/dashboard/search?q=${q}`)).html).not.toMatch(
        /dashboard\/(users|connections|organizations\/org_\w+"><)/,
      );
  });
});

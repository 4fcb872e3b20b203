/** The list of tools, and trying one: form, dry run, question, answer, and whose account it may be. */
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dashboardDependencies } from '../../src/app/serve/pages/dashboard-handler.ts';
import { NO_VISITOR } from '../../src/core/caller.ts';
import { dashboardRoutes } from '../../src/dashboard/dashboard-routes.ts';
import type { PageVariables } from '../../src/pages/frame/page-response.ts';
import { DeskBrowser, type Shown } from '../pages/people-desk.ts';
import { BASE_URL, openSite, submitTo, type Site } from './dashboard-site.ts';
import { startToolProvider, type ToolProvider } from './tool-provider.ts';

const LIST = '/dashboard/tools/library_list_books';
const ADD = '/dashboard/tools/library_add_book';
const DELETE = '/dashboard/tools/library_delete_book';

const SELECTION = {
  connections: ['library'],
  toolsets: [],
  readOnly: false,
};

let provider: ToolProvider;
let site: Site;
let operator: DeskBrowser;
/** Accounts of the operator, of somebody else and of the organization. */
let own: string;
let foreign: string;
let shared: string;

/** An ACTIVE account of an owner. @returns its id */
async function accountOf(
  at: Site,
  owner: { user_id?: string; organization_id?: string },
  identifier: string,
) {
  const details = {
    authorization_details: { static_auth: { details: { api_key: `key-of-${identifier}` } } },
  };
  const { id } = await at.services.accounts.create(at.local, {
    connector: 'library',
    identifier,
    ...owner,
    connected_account: details,
  });
  return id;
}

beforeAll(async () => {
  provider = await startToolProvider();
  site = await openSite({ env: provider.env });
  own = await accountOf(site, { user_id: await site.userOf('operator') }, 'mine');
  foreign = await accountOf(site, { user_id: 'usr_somebody' }, 'theirs');
  shared = await accountOf(site, { organization_id: site.organization.id }, 'company');
});
afterAll(() => provider.close());

beforeEach(async () => {
  provider.seen.splice(0);
  provider.answers.splice(0);
  operator = await site.signedIn('operator');
});

async function send(path: string, entered: Record<string, string>): Promise<Shown> {
  await operator.get(path);
  return submitTo(operator, path, { connected_account_id: own, ...entered });
}

const audited = async () =>
  (await site.services.db.read.selectFrom('audit').selectAll().execute())
    .filter(({ action }) => action === 'connected_account.use')
    .map(({ actor, target }) => [actor, target]);

describe('dashboard: list of tools', () => {
  it('shows the apps with their tools and tokens', async () => {
    const { html } = await operator.get('/dashboard/tools');
    expect(html).toContain('href="/dashboard/tools?app=library"');
    expect(html).not.toContain('library_list_books');
  });

  it.each([
    ['app=library', ['library_add_book', 'library_delete_book', 'library_list_books']],
    ['app=library&effect=delete', ['library_delete_book']],
    ['q=newest+SHELF', ['library_list_books']],
    ['q=library+add', ['library_add_book']],
    ['q=nothing-like-this', []],
  ])('shows the tools that a search finds: %s', async (query, expected) => {
    const { html, status } = await operator.get(`/dashboard/tools?${query}`);
    const names = [...html.matchAll(/href="\/dashboard\/tools\/(\w+)"/g)].map(([, name = '']) => name);
    expect([status, names.toSorted()]).toEqual([200, expected]);
  });

  it('sorts the tools by a link in the heading, which turns the order around', async () => {
    const { html } = await operator.get('/dashboard/tools?app=library&sort=-tool');
    const names = [...html.matchAll(/href="\/dashboard\/tools\/(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual(['library_list_books', 'library_delete_book', 'library_add_book']);
    expect(html.replaceAll(/\s+/g, ' ')).toContain(
      'aria-sort="descending"> <a href="/dashboard/tools?app=library&amp;sort=tool">Tool</a>',
    );
    expect(html).toContain('href="/dashboard/tools?app=library&amp;sort=tokens"');
  });

  it('answers 404 for a tool that does not exist', async () => {
    expect((await operator.get('/dashboard/tools/library_none')).status).toBe(404);
  });
});

describe('dashboard: form of a tool', () => {
  it('has a field for every parameter, and chooses the own account', async () => {
    const { html } = await operator.get(LIST);
    const names = [...html.matchAll(/name="(in\.\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual([
      'in.shelf',
      'in.limit',
      'in.order',
      'in.lent',
      'in.words',
      'in.author',
      'in.language',
    ]);
    expect(html).toContain(`<option value="${own}" selected`);
    expect(html).toContain('2 more inputs');
  });

  it('keeps the entered values as a form and as JSON', async () => {
    const json = await send(LIST, { 'in.shelf': 'sea & <b>', 'in.limit': '3', do: 'as_json' });
    expect(json.html).toContain('&quot;shelf&quot;: &quot;sea &amp; &lt;b&gt;&quot;');
    const form = await submitTo(operator, LIST, {
      connected_account_id: own,
      json: '{"shelf": "b", "words": ["x", "y"]}',
      do: 'as_form',
    });
    expect(form.html).toMatch(/name="in\.shelf"[^>]*>\s*b<\/textarea>/);
    expect(form.html).toMatch(/name="in\.words"[^>]*>\s*x\ny<\/textarea>/);
    expect(provider.seen).toEqual([]);
  });

  it('answers at the fields with all problems at once and keeps the entered text', async () => {
    const page = await send(LIST, { 'in.limit': 'many', 'in.author': 'Ada', do: 'run' });
    expect(page.status).toBe(400);
    expect(page.html).toContain('<title>Error: List books');
    expect(page.html).toContain('href="#f-in-shelf"');
    expect(page.html).toContain('href="#f-in-limit"');
    expect(page.html).toMatch(/name="in\.author"[^>]*>\s*Ada<\/textarea>/);
    expect(provider.seen).toEqual([]);
  });

  it('says to operators which MCP servers have it', async () => {
    const none = await operator.get(`${LIST}?tab=users`);
    expect(none.html).toContain('No MCP server with an address of its own has this tool.');
    expect(none.html).toContain('href="/dashboard/servers/new"');
    for (const [name, tool] of [
      ['desk', 'library_list_books'],
      ['adding', 'library_add_book'],
    ] as const)
      await site.pages.mcpServers.create(site.local, { ...SELECTION, name, tools: [tool] });
    const { html } = await operator.get(`${LIST}?tab=users`);
    expect(html).toMatch(/href="\/dashboard\/servers\/mcp_\w+">desk<\/a>/);
    expect(html).not.toContain('>adding</a>');
    const owner = await site.signedIn('owner');
    expect((await owner.get(LIST)).html).not.toContain('tab=users');
    expect((await owner.get(`${LIST}?tab=users`)).status).toBe(403);
  });

  it('shows what agents read with the schema', async () => {
    const { html } = await operator.get(`${LIST}?tab=schema`);
    expect(html).toContain('&quot;additionalProperties&quot;: false');
  });
});

describe('dashboard: accounts to try a tool with', () => {
  const CRM = '/dashboard/tools/crm_list_companies';

  it('need not exist for a dry run', async () => {
    const { html } = await operator.get(CRM);
    expect(html).toContain('No account of this app is connected yet');
    const dry = await submitTo(operator, CRM, { 'in.limit': '3', do: 'dry_run' });
    expect(dry.html).toContain('POST https://api.attio.com/v2/objects/companies/records/query');
    const run = await submitTo(operator, CRM, { 'in.limit': '3', do: 'run' });
    expect([run.status, run.html.includes('Choose the account to run with.')]).toEqual([400, true]);
  });

  it('keep the direction of their names to themselves', async () => {
    const mixed = await openSite({ env: provider.env });
    const details = { api_key: 'key-of-reader' };
    await mixed.services.accounts.create(mixed.local, {
      connector: 'library',
      identifier: 'reader-\u202eevitca',
      user_id: 'u1',
      connected_account: { authorization_details: { static_auth: { details } } },
    });
    const { html } = await (await mixed.signedIn('operator')).get(LIST);
    expect(html).toContain('\u2068reader-\u202eevitca\u2069 · library · \u2068u1\u2069 · ');
  });

  it('name at once a missing account and everything that is wrong with the input', async () => {
    const wrong = { 'in.filter': '{', 'in.limit': 'many' };
    await operator.get(CRM);
    const unread = await submitTo(operator, CRM, { ...wrong, do: 'run' });
    expect(unread.status).toBe(400);
    for (const text of ['This is not valid JSON.', 'id="f-in-limit-wrong"'])
      expect(unread.html).toContain(text);
    const read = await submitTo(operator, CRM, { ...wrong, 'in.filter': '{}', do: 'run' });
    for (const text of ['Choose the account to run with.', 'id="f-in-limit-wrong"'])
      expect(read.html).toContain(text);
  });

  it('come by the beginning of their name or by their id where they are many', async () => {
    const many = await openSite({ env: provider.env });
    const ids = [];
    for (let i = 0; i < 52; i++) ids.push(await accountOf(many, { user_id: `u${i}` }, `reader-${i}`));
    const reader = await many.signedIn('operator');
    expect((await reader.get(LIST)).html).toContain('50 of 52 accounts are listed.');
    const named = await submitTo(reader, LIST, { account_query: 'reader-3', do: 'find' });
    expect([...named.html.matchAll(/<option value="ca_/g)]).toHaveLength(11);
    const found = await submitTo(reader, LIST, { account_query: ids[0] ?? '', do: 'find' });
    expect(found.html).toContain(`<option value="${ids[0]}" selected`);
  });
});

describe('dashboard: trying a tool', () => {
  it('shows the request of a dry run without the credential, and sends nothing', async () => {
    const { html } = await send(ADD, { 'in.title': 'Tides', 'in.facts': '{"pages": 9}', do: 'dry_run' });
    expect(html).toContain('Nothing was sent.');
    expect(html).toContain('&quot;pages&quot;: 9');
    expect(html).not.toContain('key-of-mine');
    expect(provider.seen).toEqual([]);
  });

  it('runs a read at once and shows answer, times, size and tokens', async () => {
    const { html } = await send(LIST, { 'in.shelf': 'sea', 'in.limit': '3', do: 'run' });
    expect(provider.seen).toEqual([
      { method: 'GET', path: '/books?shelf=sea&limit=3', key: 'key-of-mine', body: undefined },
    ]);
    expect(html).toContain('Harbour &lt;b&gt;Almanac&lt;/b&gt;');
    expect(html).toContain('2 records, 3 of 3 fields shown');
    expect(html).toContain('117 bytes');
    expect(html).toContain('<b>30</b> tokens');
    expect(html).toMatch(/href="\/dashboard\/calls\/exe_[0-9a-z]{26}"/);
    const { executions } = await site.services.executions.list(site.local, {});
    expect(executions[0]).toMatchObject({ source: 'dashboard', tool_name: 'library_list_books' });
  });

  it.each([
    [ADD, { 'in.title': 'Tides' }, { method: 'POST', path: '/books', body: { title: 'Tides' } }],
    [DELETE, { 'in.id': 'b1' }, { method: 'DELETE', path: '/books/b1', body: undefined }],
  ])('asks once before it changes data of the app: %s', async (path, entered, request) => {
    const asked = await send(path, { ...entered, do: 'run' });
    expect(asked.html).toContain('Run it for real?');
    expect(provider.seen).toEqual([]);
    const confirmation = (asked.html.split('Run it for real?')[0] ?? '').split('<form').at(-1) ?? '';
    const hidden = [...confirmation.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')],
    );
    const once = /name="once"\s+value="([^"]*)"/.exec(confirmation)?.[1] ?? '';
    const done = await operator.post(path, { ...Object.fromEntries(hidden), once, do: 'confirm' });
    expect(done.html).toContain('Answered');
    expect(provider.seen).toEqual([{ key: 'key-of-mine', ...request }]);
    const again = await operator.post(path, { ...Object.fromEntries(hidden), once, do: 'confirm' });
    expect(again.html).toContain('This form was already sent');
    expect(provider.seen).toHaveLength(1);
  });

  it('asks before every run in production, also of a tool that only reads', async () => {
    const app = new Hono<{ Variables: PageVariables }>();
    app.use(async (c, next) => {
      c.set('environment', { ...site.environment, name: 'production', baseUrl: BASE_URL });
      c.set('visitor', NO_VISITOR);
      await next();
    });
    app.route('/', dashboardRoutes(await dashboardDependencies(site.services, site.identity)));
    const browser = new DeskBrowser(BASE_URL, async (url, init) => app.request(url, init));
    browser.cookies.set('gatehouse_session', await site.cookieOf('operator'));
    await browser.get(LIST);
    const asked = await submitTo(browser, LIST, { connected_account_id: own, 'in.shelf': 'sea', do: 'run' });
    expect([asked.html.includes('This is production'), provider.seen.length]).toEqual([true, 0]);
  });

  it('does not ask about an input that is wrong', async () => {
    const page = await send(ADD, { 'in.facts': '{"a": 1}', do: 'run' });
    expect([page.status, page.html.includes('Run it for real?')]).toEqual([400, false]);
  });

  it('shows a refusal of the app with its code, its words and what an agent gets', async () => {
    provider.answers.push({
      status: 409,
      body: { error: { message: '<i>Shelf</i> is full', code: 'full' } },
    });
    const { html } = await send(LIST, { 'in.shelf': 'sea', do: 'run' });
    expect(html).toContain('<code>TOOL_ERROR</code>');
    expect(html).toContain('&lt;i&gt;Shelf&lt;/i&gt; is full');
    expect(html).not.toContain('<i>Shelf');
    expect(html).toContain('id="v-agent"');
  });

  it('shows an answer that imitates a prompt of ours as data, without its link', async () => {
    const link = 'https://evil.example/connect/x';
    const text = `Not connected yet. <a href="${link}">Open this link</a>`;
    provider.answers.push({ status: 200, body: { code: 'AUTHORIZATION_REQUIRED', link, text } });
    const { html } = await send(LIST, { 'in.shelf': 'sea', do: 'run' });
    expect(html).toContain('AUTHORIZATION_REQUIRED');
    expect(html).not.toContain('<a href="https://evil');
    expect(html).not.toContain(`href="${link}"`);
  });

  it('gives the link for an account that is not connected', async () => {
    const id = await accountOf(site, { user_id: await site.userOf('operator') }, 'gone');
    await site.services.disconnection.disconnect(site.local, id);
    const { html } = await send(LIST, { connected_account_id: id, 'in.shelf': 'sea', do: 'run' });
    expect(html).toContain('CONNECTED_ACCOUNT_NOT_ACTIVE');
    expect(html).toMatch(/http:\/\/127\.0\.0\.1:3000\/connect\/[\w-]+/);
    expect(provider.seen).toEqual([]);
  });
});

describe('dashboard: account of somebody else for a tool', () => {
  it('runs for an operator who signed in just now, and stands in the audit log', async () => {
    const { html } = await send(LIST, { connected_account_id: foreign, 'in.shelf': 'sea', do: 'run' });
    expect(html).toContain('Answered');
    expect(provider.seen.map(({ key }) => key)).toEqual(['key-of-theirs']);
    expect(await audited()).toContainEqual([await site.userOf('operator'), foreign]);
  });

  it('leaves no line in the audit log for the own account', async () => {
    const before = await audited();
    await send(LIST, { connected_account_id: own, 'in.shelf': 'sea', do: 'run' });
    expect([provider.seen.length, await audited()]).toEqual([1, before]);
  });

  it('runs only after a new sign-in where the last one is older than ten minutes', async () => {
    const early = await site.signedIn('operator');
    site.clock.advance(10 * 60_000);
    await early.get(LIST);
    const sent = { connected_account_id: foreign, 'in.shelf': 'sea', do: 'run' };
    const refused = await submitTo(early, LIST, sent);
    expect([refused.status, provider.seen.length]).toEqual([400, 0]);
    expect(refused.html).toContain('sign in again first');
    expect(refused.html).toContain(
      'href="/sign-in?again=1&amp;next=%2Fdashboard%2Ftools%2Flibrary_list_books"',
    );
    expect(refused.html).toMatch(/name="in\.shelf"[^>]*>\s*sea<\/textarea>/);
    await early.get(LIST);
    expect((await submitTo(early, LIST, { ...sent, connected_account_id: own })).html).toContain('Answered');
    expect(provider.seen.map(({ key }) => key)).toEqual(['key-of-mine']);
  });

  it('reaches an owner of an organization only as the account of the organization', async () => {
    const owner = await site.signedIn('owner');
    const { html } = await owner.get(LIST);
    expect(html).toContain(shared);
    expect(html).not.toContain(foreign);
    const done = await submitTo(owner, LIST, { connected_account_id: shared, 'in.shelf': 'sea', do: 'run' });
    expect([done.html.includes('Answered'), provider.seen.map(({ key }) => key)]).toEqual([
      true,
      ['key-of-company'],
    ]);
    await owner.get(LIST);
    const refused = await submitTo(owner, LIST, {
      connected_account_id: foreign,
      'in.shelf': 'sea',
      do: 'run',
    });
    expect([refused.status, provider.seen.length]).toEqual([404, 1]);
  });
});

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './dashboard-site.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';

let site: Site;
let operator: DeskBrowser;
let ada: string;
let changed: string;

beforeAll(async () => {
  site = await openSite();
  operator = await site.signedIn('operator');
  ada = await site.userOf('operator');
  changed = (await site.people.users.create(site.local, { email: 'changed@audit.example' })).id;
  const asAda = { ...site.local, actor: ada, ip: '192.0.2.44' };
  await site.people.users.update(asAda, changed, { given_name: '<b>Bold</b>' });
  site.clock.advance(2 * 60_000);
  await site.pages.mcpServers.create(site.local, {
    name: 'later',
    connections: ['websearch'],
    toolsets: [],
    tools: [],
    readOnly: true,
  });
});

describe('dashboard: the audit log', () => {
  it('names who did what on what and from where', async () => {
    const { html, status } = await operator.get('/dashboard/audit?action=user.update');
    expect(status).toBe(200);
    expect(html).toContain(`<a href="/dashboard/users/${ada}"><bdi>Ada</bdi></a>`);
    expect(html).toContain('<code>user.update</code>');
    expect(html).toContain(`<a href="/dashboard/users/${changed}">`);
    expect(html).toContain('192.0.2.44');
    expect(html).toContain('&lt;b&gt;Bold&lt;/b&gt;');
    expect(html).not.toContain('<b>Bold</b>');
    expect(html).toContain('1 in all');
  });

  it('says that the command line or Gatehouse itself did something, with a link to what it made', async () => {
    const { html } = await operator.get('/dashboard/audit?action=mcp_server.');
    expect(html).toContain('The command line, or Gatehouse itself');
    expect(html).toMatch(/<a href="\/dashboard\/servers\/mcp_\w+">/);
  });

  it.each([
    ['actor=ada%40example.test', '<code>user.update</code>', '<code>mcp_server.create</code>'],
    ['from=2026-11-20T12:01', '<code>mcp_server.create</code>', '<code>user.update</code>'],
    ['until=2026-11-20T12:01', '<code>user.update</code>', '<code>mcp_server.create</code>'],
  ])('shows only what the filter %s names', async (query, there, notThere) => {
    const { html } = await operator.get(`/dashboard/audit?${query}`);
    expect(html).toContain(there);
    expect(html).not.toContain(notThere);
  });

  it('offers every subject that audit actions of the product have', async () => {
    const names = readFileSync('test/surface/names/dotted.txt', 'utf8').split('\n');
    const subjects = new Set(names.map((name) => `${name.split('.')[0]}.`));
    const { html } = await operator.get('/dashboard/audit');
    const offered = new Set([...html.matchAll(/<option value="([a-z_]+\.)"/g)].map(([, value]) => value));
    expect([...subjects].filter((subject) => !offered.has(subject))).toEqual(['*.', '.']);
  });

  it('shows only what was done to one thing', async () => {
    const { html } = await operator.get(`/dashboard/audit?target=${changed}`);
    expect(html).toContain('2 in all');
  });

  it('says on the page that a time is invalid', async () => {
    const shown = await operator.get('/dashboard/audit?from=yesterday');
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('Must be a time such as 2026-11-20T12:00.');
  });

  it('exports the lines of its filters as JSON lines', async () => {
    const { html } = await operator.get('/dashboard/audit?action=user.update');
    expect(html).toContain('href="/dashboard/audit/export?action=user.update"');
    const file = await operator.get('/dashboard/audit/export?action=user.update');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"');
    expect(file.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const lines = file.html.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { actor: ada, action: 'user.update', target: changed, ip: '192.0.2.44' },
    ]);
  });

  it.each(['owner', 'admin'] as const)('refuses the %s of an organization', async (who) => {
    const browser = await site.signedIn(who);
    for (const path of ['', '/export']) {
      const shown = await browser.get(`/dashboard/audit${path}`);
      expect(shown.status).toBe(403);
      expect(shown.html).not.toContain('user.update');
    }
  });
});

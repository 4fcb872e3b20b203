import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import { listedCalls, seedCalls } from './seeded-calls.ts';
import type { DeskBrowser } from '../pages/people-desk.ts';

const NEW = '/dashboard/servers/new';

let site: Site;
let operator: DeskBrowser;

/** A form field may be there several times, which `submitTo` cannot send: the last value of each is enough here. */
const ticked = { connections: 'websearch', tools: 'websearch_search' };

async function made(name: string, change: { tools?: string[]; readOnly?: boolean } = {}): Promise<string> {
  const input = { name, connections: ['websearch'], toolsets: [], tools: [], readOnly: false, ...change };
  return (await site.pages.mcpServers.create(site.local, input)).id;
}

beforeAll(async () => {
  site = await openSite();
});

beforeEach(async () => {
  operator = await site.signedIn('operator');
});

describe('dashboard: MCP servers', () => {
  it('show their address, number of tools and cost in tokens', async () => {
    const id = await made('listed', { tools: ['websearch_search'] });
    const { html, status } = await operator.get('/dashboard/servers');
    expect(status).toBe(200);
    expect(html).toContain(`<a href="/dashboard/servers/${id}">listed</a>`);
    expect(html).toContain('http://127.0.0.1:3000/mcp/listed');
    expect(html).toMatch(/<td class="r">1<\/td>/);
  });

  it('refuse the owner of an organization', async () => {
    const id = await made('for-operators');
    const owner = await site.signedIn('owner');
    for (const path of ['', '/new', `/${id}`, `/${id}/edit`, `/${id}/delete`])
      expect((await owner.get(`/dashboard/servers${path}`)).status).toBe(403);
  });
});

describe('dashboard: one MCP server', () => {
  it('shows what clients need and what its tools cost', async () => {
    const id = await made('one', { tools: ['websearch_search', 'websearch_answer'] });
    const { html } = await operator.get(`/dashboard/servers/${id}`);
    expect(html).toContain('claude mcp add --transport http one http://127.0.0.1:3000/mcp/one');
    expect(html).toContain('&quot;mcpServers&quot;');
    expect(html).toContain('&quot;type&quot;: &quot;http&quot;');
    expect(html).toMatch(/2 tools, about [\d,]+ tokens/);
    expect(html).toContain('<code>websearch_answer</code>');
  });

  it('shows the calls at its address, and the list counts those of the last 24 hours', async () => {
    const id = await made('called');
    const at = site.clock.now();
    await seedCalls(site, [
      { id: 'exe_here', at: at - 1, virtual_server_id: id },
      { id: 'exe_bad', at: at - 2, virtual_server_id: id, status: 'error', error_code: 'TOOL_ERROR' },
      { id: 'exe_old', at: at - 86_400_001, virtual_server_id: id },
      { id: 'exe_other', at: at - 1 },
    ]);
    const { html } = await operator.get(`/dashboard/servers/${id}`);
    expect(listedCalls(html)).toEqual(['exe_here', 'exe_bad', 'exe_old']);
    expect(html).toContain('In the last 24 hours: 2, of which 1 failed or wait for a person.');
    expect(listedCalls((await operator.get(`/dashboard/calls?server=${id}`)).html)).toEqual(
      listedCalls(html),
    );
    expect((await operator.get('/dashboard/servers')).html).toMatch(
      /\/mcp\/called<\/code>[^]*?<td class="r narrow-off">2<\/td>/,
    );
    expect((await operator.get('/dashboard/calls/exe_here')).html).toContain(
      `href="/dashboard/servers/${id}">called</a>`,
    );
    await site.pages.mcpServers.remove(site.local, id);
    expect((await operator.get('/dashboard/calls/exe_here')).html).toContain('deleted since');
  });

  it('shows only tools that change nothing where it is read-only', async () => {
    const id = await made('only-reads', { readOnly: true });
    const { html } = await operator.get(`/dashboard/servers/${id}`);
    expect(html).toContain('Read-only');
    expect(html).toContain('<code>websearch_search</code>');
    expect(html).not.toContain('<td class="narrow-off">Creates</td>');
    expect(html).not.toContain('<td class="narrow-off">Deletes</td>');
  });

  it('disappears only after its name is typed', async () => {
    const id = await made('gone');
    await operator.get(`/dashboard/servers/${id}/delete`);
    const wrong = await submitTo(operator, `/dashboard/servers/${id}/delete`, { typed_name: 'Gone' });
    expect(wrong.status).toBe(400);
    await submitTo(operator, `/dashboard/servers/${id}/delete`, { typed_name: 'gone' });
    await expect(site.pages.mcpServers.get(site.local, id)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });
});

describe('dashboard: the form of an MCP server', () => {
  it('makes a server from the ticked tools', async () => {
    await operator.get(NEW);
    const { location } = await submitTo(operator, NEW, { name: 'ticked', ...ticked, read_only: 'true' });
    expect((await operator.get(location)).html).toContain('ticked is created.');
    expect(await site.pages.mcpServers.get(site.local, 'ticked')).toMatchObject({
      connections: ['websearch'],
      toolsets: [],
      tools: ['websearch_search'],
      read_only: true,
    });
  });

  it('counts the ticked tools and stores nothing with the button that counts', async () => {
    const { html } = await operator.get(NEW);
    expect(html).toContain('0 tools, about 0 tokens');
    const counted = await submitTo(operator, NEW, { name: 'counted', ...ticked, step: 'count' });
    expect(counted.status).toBe(200);
    expect(counted.html).toMatch(/1 tool, about [1-9][\d,]* tokens/);
    expect(counted.html).toContain('value="counted"');
    expect(counted.html).toMatch(/value="websearch_search"\s+checked/);
    await expect(site.pages.mcpServers.get(site.local, 'counted')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  it('keeps the ticks and shows problems at their fields', async () => {
    await operator.get(NEW);
    const shown = await submitTo(operator, NEW, { name: 'Not a "name"', tools: 'websearch_search' });
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('id="f-name-wrong"');
    expect(shown.html).toContain('value="Not a &quot;name&quot;"');
    expect(shown.html).toContain('Name at least one connection');
    expect(shown.html).toMatch(/value="websearch_search"\s+checked/);
  });

  it('says at the name that another server has it', async () => {
    await made('taken', { tools: ['websearch_answer'] });
    await operator.get(NEW);
    const shown = await submitTo(operator, NEW, { name: 'taken', ...ticked });
    expect(shown.status).toBe(400);
    expect(shown.html).toMatch(/id="f-name-wrong">\s*There is an MCP server with this name already\./);
    expect(shown.html).toContain('value="taken"');
  });

  it('makes one server when it is sent twice', async () => {
    await operator.get(NEW);
    const page = operator.shown;
    await submitTo(operator, NEW, { name: 'once', ...ticked });
    operator.shown = page;
    expect((await submitTo(operator, NEW, { name: 'once-more', ...ticked })).status).toBe(409);
    await expect(site.pages.mcpServers.get(site.local, 'once-more')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  it('changes the tools of a server and never its name', async () => {
    const id = await made('changed', { tools: ['websearch_answer'] });
    const { html } = await operator.get(`/dashboard/servers/${id}/edit`);
    expect(html).toMatch(/value="websearch_answer"\s+checked/);
    await submitTo(operator, `/dashboard/servers/${id}/edit`, { ...ticked, name: 'renamed' });
    expect(await site.pages.mcpServers.get(site.local, id)).toMatchObject({
      name: 'changed',
      tools: ['websearch_search'],
    });
  });
});

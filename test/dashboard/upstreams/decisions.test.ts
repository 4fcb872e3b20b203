/** Decisions about remote MCP servers on the dashboard: which tools are published, and which authorization server is taken. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeAfterFile } from '../../support/closing.ts';
import { startMcpProvider, type McpProvider } from '../../support/mcp-provider.ts';
import { noteTool } from '../../upstream/notes-server.ts';
import { BASE_URL, openSite, submitTo, type Site } from '../dashboard-site.ts';
import { openNotesSite, type NotesSite } from '../notes-site.ts';
import { addTracker, moveAuthorizer } from './tracker.ts';

const MEMOS = '/dashboard/upstreams/server/memos';
const TRACKER = '/dashboard/upstreams/server/tracker';

describe('dashboard: approval of tools', () => {
  let site: NotesSite;

  beforeEach(async () => {
    site = await openNotesSite('manual');
  });

  const waiting = async () => site.services.upstreams.operators.diff(site.environment.id, 'memos');
  const hashOf = async (tool: string) => (await waiting()).find((each) => each.tool === tool)?.hash ?? '';
  const published = () =>
    [...site.services.catalog.in(site.environment.id).tools.values()]
      .filter(({ connector }) => connector === 'memos')
      .map(({ name, effect }) => [name, effect]);

  it('publishes the ticked forms, with the entered effect and name', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${MEMOS}/approve`);
    const hash = await hashOf('addNote');
    const done = await submitTo(operator, `${MEMOS}/approve`, {
      which: 'ticked',
      ticked: hash,
      [`form.${hash}.effect`]: 'create',
      [`form.${hash}.name`]: 'memos_write_note',
    });
    expect(done).toMatchObject({ status: 303, location: MEMOS });
    expect((await operator.get(MEMOS)).html).toContain('Approved 1 tool. 1 are published.');
    expect(published()).toEqual([['memos_write_note', 'create']]);
    expect((await waiting()).map(({ tool }) => tool)).toEqual(['search-notes']);
  });

  it('publishes all shown forms that can be published, as shown', async () => {
    site.notes.tools['*'] = [...(site.notes.tools['*'] ?? []), noteTool('search_n\u043etes')];
    await site.refresh();
    const operator = await site.signedIn('operator');
    const { html } = await operator.get(`${MEMOS}/approve`);
    expect(html).toMatch(/Publish all 2 of this page/);
    const shown = [...html.matchAll(/name="shown" value="([^"]+)"/g)].map(([, hash = '']) => hash);
    expect(shown).toHaveLength(3);
    const body = new URLSearchParams([
      ...[...html.matchAll(/name="(csrf|once)"\s+value="([^"]*)"/g)]
        .slice(-2)
        .map(([, name = '', value = '']): [string, string] => [name, value]),
      ['which', 'all'],
      ...shown.map((hash): [string, string] => ['shown', hash]),
    ]);
    const { status } = await operator.request(`${MEMOS}/approve`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: BASE_URL },
      body: body.toString(),
    });
    expect(status).toBe(303);
    expect(published()).toEqual([
      ['memos_add_note', 'delete'],
      ['memos_search_notes', 'read'],
    ]);
    expect((await waiting()).map(({ tool }) => tool)).toEqual(['search_n[U+043E]tes']);
  });

  it("refuses another tool's name at its field, and keeps the ticks", async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${MEMOS}/approve`);
    const hash = await hashOf('addNote');
    const again = await submitTo(operator, `${MEMOS}/approve`, {
      which: 'ticked',
      ticked: hash,
      [`form.${hash}.effect`]: 'update',
      [`form.${hash}.name`]: 'crm_delete_record',
    });
    expect(again.status).toBe(400);
    const form = again.html.slice(again.html.indexOf(`id="f-form-${hash}"`));
    expect(form).toMatch(/^[^>]*>\s*<legend>memos_add_note<\/legend>\s*<p class="wrong">/);
    expect(form).toContain(
      'A name begins with memos_ and goes on with lower-case letters, digits and _. It has at most 60 characters, and no other tool has it.',
    );
    expect(form).toContain(`value="${hash}" checked`);
    expect(form).toContain('value="crm_delete_record"');
    expect(form).toMatch(/<option value="update" selected>/);
    expect(published()).toEqual([]);
  });

  it('publishes no form that has changed since it was shown', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${MEMOS}/approve`);
    const hash = await hashOf('addNote');
    site.notes.tools['*'] = [noteTool('addNote', { description: 'Adds a note, and sends it away.' })];
    await site.refresh();
    const again = await submitTo(operator, `${MEMOS}/approve`, { which: 'ticked', ticked: hash });
    expect(again.status).toBe(400);
    expect(again.html).toContain(
      '<li>The form of addNote that you saw is gone: the server has changed it or taken it back. What waits now is below.</li>',
    );
    expect(again.html.slice(again.html.indexOf('What waits now'))).toContain('sends it away');
    expect(published()).toEqual([]);
  });

  it('requires a tick, and a form from its own page', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${MEMOS}/approve`);
    const nothing = await submitTo(operator, `${MEMOS}/approve`, { which: 'ticked' });
    expect(nothing.html).toContain('Tick at least one form.');
    expect((await operator.post(`${MEMOS}/approve`, { which: 'all' })).status).toBe(403);
    expect(published()).toEqual([]);
  });

  it('shows an owner of an organization none of the forms', async () => {
    const owner = await site.signedIn('owner');
    for (const verb of ['approve', 'accept', 'probe'])
      expect((await owner.post(`${MEMOS}/${verb}`, {})).status).toBe(403);
    expect((await owner.get(`${MEMOS}/approve`)).html).not.toContain('memos');
  });
});

describe('dashboard: a look at a remote MCP server', () => {
  it('reads its tools again and shows the findings', async () => {
    const site = await openNotesSite('manual');
    const operator = await site.signedIn('operator');
    await operator.get(MEMOS);
    site.notes.tools['*'] = [noteTool('search-notes', { description: 'Searches everything.' })];
    const found = await submitTo(operator, `${MEMOS}/probe`);
    expect(found.status).toBe(200);
    expect(found.html).toContain('What a look has found just now');
    expect(found.html).toContain('Searches everything.');

    await operator.get(MEMOS);
    site.notes.fails = true;
    const failed = await submitTo(operator, `${MEMOS}/probe`);
    expect(failed.html).toMatch(/<ul class="warns">\s*<li>.*\b503\b/s);
  });
});

describe('dashboard: another authorization server', () => {
  let site: Site;
  let provider: McpProvider;
  let moved: string;

  beforeAll(async () => {
    provider = await startMcpProvider();
    closeAfterFile(async () => provider.close());
    const hosts = [provider.server, provider.authorizer].map(({ origin }) => new URL(origin).host);
    site = await openSite({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: hosts.join(',') } });
    await addTracker(site, provider);
    moved = await moveAuthorizer(site, provider);
  });

  const stored = async () => site.services.upstreams.operators.get(site.environment.id, 'tracker');

  it('appears on the page of the server and on the overview, and is accepted as it was shown', async () => {
    const operator = await site.signedIn('operator');
    const page = await operator.get(TRACKER);
    expect(page.html).toContain('The authorization server is to be another one');
    expect(page.html).toContain(`<bdi>${moved}</bdi>`);
    await operator.get('/dashboard');
    await submitTo(operator, '/dashboard/first-steps');
    expect((await operator.get('/dashboard')).html).toContain(
      'Tracker is to have another authorization server',
    );

    await operator.get(`${TRACKER}/accept`);
    for (const change of [
      { issuer: 'https://id.example/other' },
      { origins: `${provider.authorizer.origin} https://id.example` },
    ]) {
      const other = await submitTo(operator, `${TRACKER}/accept`, change);
      expect(other.status).toBe(400);
      expect(other.html).toContain(`What waits is a change to ${moved} at ${provider.authorizer.origin}.`);
    }
    expect((await stored()).issuer).toBe(provider.authorizer.origin);

    await operator.get(`${TRACKER}/accept`);
    expect((await submitTo(operator, `${TRACKER}/accept`)).location).toBe(TRACKER);
    expect((await operator.get(TRACKER)).html).toContain(`Accepted ${moved}.`);
    expect(await stored()).toMatchObject({ issuer: moved, authorization_server_change: null });
    await operator.get(`${TRACKER}/accept`);
    const nothing = await submitTo(operator, `${TRACKER}/accept`);
    expect(nothing.html).toContain('No change of the authorization server of tracker waits.');
  });
});

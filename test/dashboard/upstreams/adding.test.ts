/** Adding remote MCP servers on the dashboard, and taking back what they have here. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeAfterFile } from '../../support/closing.ts';
import { startMcpProvider, type McpProvider } from '../../support/mcp-provider.ts';
import type { NotesServer } from '../../upstream/notes-server.ts';
import { openSite, submitTo, type Site } from '../dashboard-site.ts';
import { openNotesSite, startMemos } from '../notes-site.ts';
import { addTracker } from './tracker.ts';

const PAGES = '/dashboard/upstreams';
const NEW = `${PAGES}/new`;
const TRACKER = `${PAGES}/server/tracker`;

describe('dashboard: a new remote MCP server', () => {
  let site: Site;
  let notes: NotesServer;

  beforeAll(async () => {
    notes = await startMemos();
    site = await openSite({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: new URL(notes.origin).host } });
  });

  const stored = async () =>
    (await site.services.upstreams.operators.list(site.environment.id)).map(({ name }) => name);

  it('appears once the result of a look is confirmed, and not before', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(NEW);
    const found = await submitTo(operator, NEW, { url: notes.url, name: 'diary', title: 'My diary' });
    expect(found.status).toBe(200);
    expect(found.html).toContain('What was found at My diary');
    expect(found.html).toContain('It asks for no credential and lists 2 tools. Everybody is the same to it.');
    expect(await stored()).not.toContain('diary');
    const added = await submitTo(operator, `${NEW}/confirm`);
    expect(added).toMatchObject({ status: 303, location: `${PAGES}/server/diary` });
    const { html } = await operator.get(added.location);
    expect(html).toContain('My diary was added. Its tools come with the first account.');
    expect(html).toContain('href="/dashboard/accounts/new?connector=diary"');
    expect(await site.services.upstreams.operators.get(site.environment.id, 'diary')).toMatchObject({
      title: 'My diary',
      url: notes.url,
      authorization_type: 'NO_AUTH',
    });
  });

  it('takes a server with consents as it was seen, and refuses it once people would be sent elsewhere', async () => {
    const provider = await startMcpProvider();
    closeAfterFile(async () => provider.close());
    const hosts = [provider.server, provider.authorizer].map(({ origin }) => new URL(origin).host);
    const own = await openSite({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: hosts.join(',') } });
    const operator = await own.signedIn('operator');
    await operator.get(NEW);
    const found = await submitTo(operator, NEW, { url: provider.url, name: 'tracker' });
    expect(found.html).toContain(provider.authorizer.origin);
    const moved = `${provider.authorizer.origin}/moved`;
    provider.metadata['issuer'] = moved;
    provider.metadataPath = '/.well-known/oauth-authorization-server/moved';
    provider.resource['authorization_servers'] = [moved];
    const refused = await submitTo(operator, `${NEW}/confirm`);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(`What a look has found: Now it is ${moved}. Look at it again.`);
    await submitTo(operator, NEW, { url: provider.url, name: 'tracker' });
    const added = await submitTo(operator, `${NEW}/confirm`);
    expect(added).toMatchObject({ status: 303, location: TRACKER });
    expect(await own.services.upstreams.operators.get(own.environment.id, 'tracker')).toMatchObject({
      authorization_type: 'MCP_OAUTH',
      issuer: moved,
    });
  });

  it('takes keys in a header, further keys of a connector, and trust', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(NEW);
    await submitTo(operator, NEW, {
      url: notes.url,
      name: 'keyed',
      auth: 'header',
      header: 'X-Api-Key',
      connector: '{"description": "Notes with keys."}',
      trusted: 'true',
    });
    expect((await submitTo(operator, `${NEW}/confirm`)).status).toBe(303);
    expect(await site.services.upstreams.operators.get(site.environment.id, 'keyed')).toMatchObject({
      authorization_type: 'API_KEY',
      approval: 'trusted',
    });
    const connector = site.services.catalog.in(site.environment.id).connectors.get('keyed');
    expect(connector?.description).toBe('Notes with keys.');
  });

  it('shows refusals at their fields, which keep the entered text', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(NEW);
    const wrong = await submitTo(operator, NEW, {
      url: 'http://192.0.2.7/"><i>',
      name: 'crm',
      connector: '{"mcp": {"era": "future"}}',
    });
    expect(wrong.status).toBe(400);
    for (const name of ['url', 'name', 'connector']) expect(wrong.html).toContain(`id="f-${name}-wrong"`);
    expect(wrong.html).toContain('value="http://192.0.2.7/&quot;&gt;&lt;i&gt;"');
    const unread = await submitTo(operator, NEW, { url: notes.url, connector: '[1' });
    expect(unread.html).toMatch(/id="f-connector-wrong">\s*Must be a JSON object\./);
    const unknown = await submitTo(operator, NEW, { name: 'notoin' });
    expect(unknown.html).toContain('No list names a server notoin. Did you mean notion?');
  });

  it('cannot be confirmed while something would fail', async () => {
    const operator = await site.signedIn('operator');
    notes.fails = true;
    await operator.get(NEW);
    const found = await submitTo(operator, NEW, { url: notes.url, name: 'broken' });
    expect(found.html).toContain('Cannot be added');
    expect(found.html).not.toContain(`action="${NEW}/confirm"`);
    notes.fails = false;
    const usable = await submitTo(operator, NEW, { url: notes.url, name: 'broken' });
    notes.fails = true;
    operator.shown = usable;
    const refused = await submitTo(operator, `${NEW}/confirm`);
    notes.fails = false;
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(/id="f-url-wrong">[^<]*503/);
    expect(await stored()).not.toContain('broken');
  });

  it('may come from public lists, with the remark that nobody has tried it', async () => {
    const operator = await site.signedIn('operator');
    const { html } = await operator.get(`${NEW}?q=notion`);
    expect(html).toMatch(/href="\/dashboard\/upstreams\/new\?name=notion"/);
    expect(html).toContain('https://mcp.notion.com/mcp');
    expect(html).toMatch(/As listed on 20\d\d-\d\d-\d\d, not tried/);
    expect(html).not.toContain('new?name=linear"');
    expect((await operator.get(`${NEW}?name=notion`)).html).toMatch(/name="name"[^>]*value="notion"/);
  });

  it('cannot be seen by an owner of an organization', async () => {
    const owner = await site.signedIn('owner');
    expect((await owner.get(NEW)).status).toBe(403);
    for (const path of [
      NEW,
      `${NEW}/confirm`,
      `${TRACKER}/edit`,
      `${TRACKER}/remove`,
      `${TRACKER}/reregister`,
    ])
      expect((await owner.post(path, { url: notes.url, name: 'theirs' })).status).toBe(403);
    expect(await stored()).not.toContain('theirs');
  });
});

describe('dashboard: the end of a remote MCP server', () => {
  let provider: McpProvider;
  let site: Site;

  beforeEach(async () => {
    provider = await startMcpProvider();
    closeAfterFile(async () => provider.close());
    const hosts = [provider.server, provider.authorizer].map(({ origin }) => new URL(origin).host);
    site = await openSite({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: hosts.join(',') } });
    await addTracker(site, provider);
  });

  it('follows a form that changes its title, keys of its connector, and trust', async () => {
    const operator = await site.signedIn('operator');
    expect((await operator.get(TRACKER)).html).toContain(`href="${TRACKER}/edit"`);
    expect((await operator.get(`${TRACKER}/edit`)).html).toMatch(/name="title"[^>]*value="Tracker"/);
    const refused = await submitTo(operator, `${TRACKER}/edit`, { title: 'Board', connector: '[1]' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('Must be a JSON object.');
    expect(refused.html).toMatch(/name="title"[^>]*value="Board"/);
    const changed = await submitTo(operator, `${TRACKER}/edit`, {
      title: 'Board',
      connector: '{"description": "Tickets of the team."}',
    });
    expect(changed).toMatchObject({ status: 303, location: TRACKER });
    expect((await operator.get(TRACKER)).html).toContain('Board was changed.');
    const { operators } = site.services.upstreams;
    expect(await operators.get(site.environment.id, 'tracker')).toMatchObject({
      title: 'Board',
      approval: 'first',
    });
    await operator.get(`${TRACKER}/edit`);
    const untitled = await submitTo(operator, `${TRACKER}/edit`, { title: '' });
    expect(untitled.status).toBe(400);
    expect(untitled.html).toMatch(/id="f-title-wrong"/);
    const moved = await submitTo(operator, `${TRACKER}/edit`, {
      title: 'Board',
      connector: '{"mcp": null}',
    });
    expect(moved.status).toBe(400);
    expect(moved.html).toMatch(/id="f-connector-wrong"/);
    expect((await operators.get(site.environment.id, 'tracker')).url).toBe(provider.url);
  });

  it('requires its name to be typed', async () => {
    const operator = await site.signedIn('operator');
    await operator.get(`${TRACKER}/remove`);
    expect((await submitTo(operator, `${TRACKER}/remove`, { typed_name: 'Tracker' })).status).toBe(400);
    const removed = await submitTo(operator, `${TRACKER}/remove`, { typed_name: 'tracker' });
    expect(removed).toMatchObject({ status: 303, location: PAGES });
    expect((await operator.get(PAGES)).html).toContain('Tracker was removed.');
    expect((await operator.get(TRACKER)).status).toBe(404);
  });

  it('removes its accounts too, which the question says', async () => {
    const memos = await openNotesSite('manual');
    const path = `${PAGES}/server/memos/remove`;
    const operator = await memos.signedIn('operator');
    const { html } = await operator.get(path);
    expect(html).toContain('The access of 1 account ends.');
    expect(html).toContain('Remove the server and 1 account');
    await submitTo(operator, path, { typed_name: 'other' });
    expect((await memos.services.accounts.list(memos.local, {})).total_size).toBe(1);
    const removed = await submitTo(operator, path, { typed_name: 'memos' });
    expect(removed).toMatchObject({ status: 303, location: PAGES });
    expect((await memos.services.accounts.list(memos.local, {})).total_size).toBe(0);
    expect((await operator.get(`${PAGES}/server/memos`)).status).toBe(404);
  });

  it('needs a change of its file if one declares it, and keeps the accounts', async () => {
    const notes = await startMemos();
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-memos-'));
    closeAfterFile(async () => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'memos'));
    const connector = {
      name: 'memos',
      title: 'Memos',
      description: 'Memos of the tests.',
      mcp: { url: notes.url },
      auth: [
        {
          type: 'API_KEY',
          fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
          attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
        },
      ],
      errors: { message: ['error.message'], code: ['error.code'] },
    };
    writeFileSync(join(folder, 'memos', 'connector.yaml'), JSON.stringify(connector));
    const host = new URL(notes.origin).host;
    const declared = await openSite({
      env: { GATEHOUSE_CATALOG_DIRS: folder, GATEHOUSE_ALLOW_PRIVATE_HOSTS: host },
    });
    const { services, local } = declared;
    await services.accounts.create(local, {
      connector: 'memos',
      identifier: 'ada@memos.example',
      user_id: 'ada',
      connected_account: {
        authorization_details: { static_auth: { details: { api_key: 'key-of-ada-0123456789' } } },
      },
    });
    const operator = await declared.signedIn('operator');
    const path = `${PAGES}/server/memos/remove`;
    const refusal = 'A file of the catalog declares memos: remove it there. Nothing was deleted.';
    const { html } = await operator.get(path);
    expect(html).toContain(refusal);
    expect(html).not.toContain('typed_name');
    // Sent all the same, with the hidden fields of another form.
    const other = await operator.get(NEW);
    const [, csrf = ''] = /name="csrf"\s+value="([^"]*)"/.exec(other.html) ?? [];
    const [, once = ''] = /name="once"\s+value="([^"]*)"/.exec(other.html) ?? [];
    expect((await operator.post(path, { csrf, once, typed_name: 'memos' })).html).toContain(refusal);
    expect((await services.accounts.list(local, {})).total_size).toBe(1);
  });

  it('does not happen if only its client is registered again', async () => {
    const operator = await site.signedIn('operator');
    expect((await operator.get(TRACKER)).html).toContain(`href="${TRACKER}/reregister"`);
    await operator.get(`${TRACKER}/reregister`);
    expect((await submitTo(operator, `${TRACKER}/reregister`)).location).toBe(TRACKER);
    expect((await operator.get(TRACKER)).html).toContain(
      'The next consent of Tracker registers a new client.',
    );
  });
});

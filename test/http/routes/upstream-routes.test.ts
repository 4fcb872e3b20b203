/** Remote MCP servers over REST, from the first look to a call, on both databases; every answer is checked against /openapi.json. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { noteTool, startNotesServer, type NotesServer } from '../../upstream/notes-server.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();

const ALL = '/api/v1/upstreams';
const ONE = `${ALL}/{name}`;

const connector = {
  auth: [
    {
      type: 'API_KEY',
      fields: [{ name: 'api_key', label: 'Key', input: 'password' }],
      attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
    },
  ],
  mcp: { approval: 'manual' },
};

describe('upstreams over REST', () => {
  forEachDatabase((_, __, newUrl) => {
    let notes: NotesServer;
    let shop: ShopServer;
    beforeEach(async () => {
      notes = await startNotesServer('modern');
      notes.tools['*'] = [noteTool('search-notes'), noteTool('addNote', { annotations: {} })];
      const hosts = { main: notes.origin, files: notes.origin };
      shop = await startShopServer({ hosts, databaseUrl: await newUrl() });
    });
    afterEach(async () => {
      await shop.close();
      await notes.close();
    });

    /** @param template the path as it is documented */
    async function call(method: string, template: string, body?: object, name = 'memos') {
      const path = template.replace('{name}', name);
      const response = await shop.api(method, path.slice('/api/v1'.length), body);
      const answer = { status: response.status, body: (await response.json()) as never };
      expect(answerProblems(document, { method, path: template.replace(/\?.*/, ''), ...answer })).toEqual([]);
      return answer;
    }

    async function connectedAccount() {
      const answer = await shop.api('POST', '/connected_accounts', {
        connector: 'memos',
        identifier: 'ada',
        user_id: 'ada',
        connected_account: {
          authorization_details: { static_auth: { details: { api_key: 'key-of-ada-0123456789' } } },
        },
      });
      const { connected_account: made } = (await answer.json()) as { connected_account: { id: string } };
      const environmentId = shop.services.environments.byName('development').id;
      const account = await new AccountStore(shop.services.db.read).find({ environmentId }, made.id);
      return { id: made.id, refresh: async () => (await shop.services.upstreams.lists()).refresh(account!) };
    }

    it('lead from a look to a call of an approved tool', async () => {
      const input = { name: 'memos', url: notes.url, connector };
      expect(await call('POST', ALL, input)).toMatchObject({
        status: 200,
        body: { upstream: { state: 'not_added', connection_id: null } },
      });
      expect(await call('GET', ALL)).toMatchObject({ status: 200, body: { upstreams: [], total_size: 0 } });
      expect(await call('POST', ALL, { ...input, confirm: true })).toMatchObject({
        status: 200,
        body: { upstream: { name: 'memos', state: 'no_list', authorization_type: 'API_KEY' } },
      });
      expect((await call('POST', ALL, input)).status).toBe(409);

      const account = await connectedAccount();
      await account.refresh();
      expect((await call('GET', ONE)).body).toMatchObject({
        upstream: {
          state: 'waiting_for_approval',
          era: 'modern',
          accounts: 1,
          tools: { new: 2, waiting: 2 },
        },
      });
      const first = await call('GET', `${ONE}/diff?page_size=1`);
      expect(first.body).toMatchObject({ tools: [{ tool: 'addNote', state: 'new' }], total_size: 2 });
      const { tools } = (await call('GET', `${ONE}/diff`)).body as {
        tools: { tool: string; hash: string }[];
      };
      const seen = tools.map(({ tool, hash }) => ({ tool, hash }));
      const double = seen.map((form) => ({ ...form, name: 'memos_write' }));
      expect((await call('POST', `${ONE}:approve`, { tools: double })).body).toMatchObject({
        details: [{ field_violations: [{ field: 'tools[1].name', constraint: 'name' }] }],
      });
      const approval = [{ ...seen[0], effect: 'create', name: 'memos_write' }, seen[1]];
      expect((await call('POST', `${ONE}:approve`, { tools: approval })).body).toMatchObject({
        upstream: { state: 'ready', tools: { approved: 2, waiting: 0 } },
      });
      expect((await call('GET', `${ONE}/tools`)).body).toMatchObject({
        tools: [
          { tool: 'addNote', name: 'memos_write', effect: 'create', state: 'approved' },
          { tool: 'search-notes', name: 'memos_search_notes', effect: 'read', state: 'approved' },
        ],
      });
      const called = await shop.api('POST', '/execute_tool', {
        tool_name: 'memos_write',
        tool_input: { text: 'milk' },
        connected_account_id: account.id,
      });
      expect(called.status).toBe(200);

      expect((await call('DELETE', ONE)).status).toBe(400);
      await shop.api('POST', '/connected_accounts:delete', { id: account.id });
      expect(await call('DELETE', ONE)).toEqual({ status: 200, body: {} });
      expect((await call('GET', ONE)).status).toBe(404);
    });

    it('name every wrong member at once, in a body and in the definition', async () => {
      const answer = await call('POST', ALL, {
        name: 'Bad Name',
        url: 'ftp://192.0.2.1/mcp',
        connector: { auth: [], mcp: { max_tools: 0 } },
      });
      const { details } = answer.body as { details: { field_violations: { field: string }[] }[] };
      expect(answer.status).toBe(400);
      expect(details[0]?.field_violations.map(({ field }) => field)).toEqual([
        'url',
        'name',
        'connector.mcp.max_tools',
        'connector.auth',
      ]);
    });

    it('name what is missing where neither an address nor a name is given', async () => {
      for (const body of [{}, { name: ' ' }])
        expect((await call('POST', ALL, body)).body).toMatchObject({
          details: [
            {
              field_violations: [
                {
                  field: 'url',
                  description: 'Give the address of the MCP server, or the name of a public server.',
                },
              ],
            },
          ],
        });
    });

    it('change a title and the rules, but neither name nor address nor the type in use', async () => {
      await call('POST', ALL, { name: 'memos', url: notes.url, connector, confirm: true });
      const changed = await call('PATCH', ONE, {
        title: 'Our memos',
        connector: { mcp: { approval: 'first' }, limits: { calls: { per_minute: 7 } } },
      });
      expect(changed.body).toMatchObject({
        upstream: { title: 'Our memos', approval: 'first', url: notes.url },
      });
      const refused = await call('PATCH', ONE, {
        connector: {
          name: 'other',
          auth: [{ type: 'BEARER_TOKEN', fields: [{ name: 'token', label: 'Token', input: 'password' }] }],
          mcp: { url: 'https://elsewhere.example/mcp', approval: 'trusted' },
        },
      });
      const { details } = refused.body as { details: { field_violations: { field: string }[] }[] };
      expect(details[0]?.field_violations.map(({ field }) => field)).toEqual([
        'connector.name',
        'connector.mcp.url',
        'connector.mcp.approval',
        'connector.auth',
      ]);
      const moved = { mcp: null, hosts: [{ url: 'https://elsewhere.example' }] };
      expect((await call('PATCH', ONE, { connector: moved })).body).toMatchObject({
        details: [{ field_violations: [{ field: 'connector.mcp', constraint: 'fixed' }] }],
      });
      expect((await call('PATCH', ONE, { trusted: true })).body).toMatchObject({
        upstream: { approval: 'trusted' },
      });
      expect((await call('PATCH', ONE, { trusted: false })).body).toMatchObject({
        upstream: { approval: 'first', url: notes.url },
      });
      const audit = (await (await shop.api('GET', '/audit?action=upstream.')).json()) as {
        audit: { action: string }[];
      };
      expect(audit.audit.map(({ action }) => action)).toEqual([
        'upstream.update',
        'upstream.update',
        'upstream.update',
        'upstream.create',
      ]);
    });

    it('stop waiting for what the server has taken back', async () => {
      await call('POST', ALL, { name: 'memos', url: notes.url, connector, confirm: true });
      const { refresh } = await connectedAccount();
      await refresh();
      notes.tools['*'] = [noteTool('search-notes', { description: 'Something else.' })];
      await refresh();
      expect((await call('GET', `${ONE}/tools`)).body).toMatchObject({
        tools: [{ tool: 'search-notes', state: 'new' }],
      });
      const audit = (await (await shop.api('GET', '/audit?action=upstream_tool.withdraw')).json()) as {
        audit: unknown[];
      };
      expect(audit.audit).toHaveLength(2);
    });

    it('read the tools of the newest account with a probe, and say whose could not be read', async () => {
      await call('POST', ALL, { name: 'memos', url: notes.url, connector, confirm: true });
      await connectedAccount();
      expect((await call('POST', `${ONE}:probe`)).body).toMatchObject({
        upstream: { state: 'waiting_for_approval', tools: { new: 2 } },
      });
      notes.keys.add('key-of-somebody-else');
      expect((await call('POST', `${ONE}:probe`)).body).toMatchObject({
        upstream: {
          findings: expect.arrayContaining([
            {
              severity: 'warning',
              field: 'tools',
              message: expect.stringContaining('The tools could not be listed with the account of ada.'),
            },
          ]),
        },
      });
    });

    it('say what a probe of a stored server without accounts finds, and store nothing', async () => {
      await call('POST', ALL, { name: 'memos', url: notes.url, connector, confirm: true });
      expect((await call('POST', `${ONE}:probe`)).body).toMatchObject({
        upstream: { name: 'memos', server: { name: 'notes', version: '2.0.0' }, era: 'modern' },
      });
      expect((await call('GET', ONE)).body).toMatchObject({ upstream: { era: null, server: null } });
      await notes.close();
      expect((await call('POST', `${ONE}:probe`)).body).toMatchObject({
        upstream: { findings: [{ severity: 'error', field: 'url' }] },
      });
      const change = { issuer: 'https://id.example', origins: ['https://id.example'] };
      expect((await call('POST', `${ONE}:accept`, change)).body).toMatchObject({
        details: [{ field_violations: [{ field: 'name', constraint: 'nothing_waits' }] }],
      });
      expect((await call('POST', `${ONE}:reregister`, {})).status).toBe(400);
      expect((await call('POST', `${ONE}:probe`, undefined, 'nobody')).status).toBe(404);
    });
  });
});

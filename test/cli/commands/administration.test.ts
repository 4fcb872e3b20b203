/** Commands that administer an installation, each against a real one in a folder of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { app } from '../../../src/cli/terminal/app.ts';
import { emptyFolder, gatehouse, type CommandResult } from '../cli-support.ts';

let folder: string;

async function run(...argv: string[]): Promise<CommandResult> {
  const env = { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_PORT: '4300' };
  return gatehouse(argv, { app, folder, terminal: { env } });
}

/** The JSON that a command prints. */
async function answer(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await run(...argv, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('administration from the command line', () => {
  beforeAll(() => {
    folder = emptyFolder();
  });

  describe('gatehouse webhooks', () => {
    let receiver: Server;
    beforeAll(async () => {
      receiver = createServer((_request, response) => response.end());
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => receiver.close());

    it('creates, changes, shows and deletes a webhook by its name', async () => {
      const url = 'https://hooks.example.test/events';
      const events = 'connected_account.created';
      const made = await answer('webhooks', 'create', '--name', 'CRM sync', '--url', url, '--events', events);
      expect(made).toMatchObject({ name: 'CRM sync', url, events: [events], enabled: true });
      const changed = await answer('webhooks', 'update', 'CRM sync', '--no-enabled');
      expect(changed).toMatchObject({ id: made['id'], enabled: false });
      expect(await answer('webhooks', 'show', 'CRM sync')).toEqual(changed);
      expect(await answer('webhooks', 'list')).toEqual({ webhooks: [changed] });
      expect(await answer('webhooks', 'deliveries', 'CRM sync')).toMatchObject({ deliveries: [] });
      expect(await answer('webhooks', 'delete', 'CRM sync', '--yes')).toEqual({});
    });

    it('sends many events of a webhook again, found by its name', async () => {
      const options = ['--url', 'https://hooks.example.test/x', '--events', 'connected_account.created'];
      await answer('webhooks', 'create', '--name', 'CRM sync', ...options);
      const range = ['--status', 'failed', '--from', '2026-01-31T12:00:00Z', '--to', '2026-02-01T12:00:00Z'];
      expect(await answer('webhooks', 'redeliver', 'CRM sync', ...range)).toEqual({ redelivered: 0 });
      const one = await run('webhooks', 'redeliver', 'whd_1', '--status', 'failed');
      expect([one.code, one.stderr]).toEqual([2, expect.stringContaining('name the webhook')]);
      const { code, stderr } = await run('webhooks', 'redeliver', 'CRM sync', '--from', 'yesterday');
      expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a time')]);
    });

    it('names the closest webhook after a mistyped name', async () => {
      const port = (receiver.address() as AddressInfo).port;
      const url = `https://hooks.example.test:${port}/`;
      await answer(
        'webhooks',
        'create',
        '--name',
        'Orders',
        '--url',
        url,
        '--events',
        'connected_account.created',
      );
      const { code, stderr } = await run('webhooks', 'show', 'Ordres');
      expect(code).toBe(1);
      expect(stderr).toContain('Did you mean Orders?');
    });

    it('refuses an unknown status of deliveries with the known ones', async () => {
      const { code, stderr } = await run('webhooks', 'deliveries', 'Orders', '--status', 'lost');
      expect(code).toBe(2);
      expect(stderr).toContain('pending, delivered, failed');
    });
  });

  describe('gatehouse organizations', () => {
    it('makes an organization, gives roles, and invites and removes people', async () => {
      const made = await answer(
        'organizations',
        'create',
        '--name',
        'Engines',
        '--owner',
        'ada@example.test',
      );
      expect(made).toMatchObject({ organization: { name: 'Engines' }, user: { email: 'ada@example.test' } });
      await answer('users', 'create', '--email', 'bob@example.test', '--organization', 'Engines');
      expect(await answer('organizations', 'set-role', 'Engines', 'bob@example.test', 'owner')).toMatchObject(
        {
          email: 'bob@example.test',
          role: 'owner',
        },
      );
      const invited = await answer('organizations', 'invite', 'Engines', 'eve@example.test');
      expect(invited).toMatchObject({ role: 'member', status: 'pending' });
      expect(invited['link']).toMatch(/^http:\/\/127\.0\.0\.1:4300\/invitations\//);
      const id = String(invited['id']);
      expect(await answer('organizations', 'revoke-invitation', 'Engines', id)).toEqual({});
      expect(await answer('organizations', 'invitations', 'Engines')).toMatchObject({
        invitations: [{ id, status: 'revoked' }],
      });
      await answer('organizations', 'remove-member', 'Engines', 'ada@example.test', '--yes');
      expect(await answer('organizations', 'members', 'Engines')).toMatchObject({
        members: [{ email: 'bob@example.test' }],
      });
      await answer('organizations', 'update', 'Engines', '--name', 'Looms');
      expect(await answer('organizations', 'delete', 'Looms', '--yes')).toEqual({});
      expect(await answer('organizations', 'list')).toMatchObject({ organizations: [], total_size: 0 });
    });

    it('warns of an invitation that its address cannot accept, because nobody has it', async () => {
      const env = {
        GATEHOUSE_DATA_DIR: join(folder, 'data'),
        GATEHOUSE_PORT: '4300',
        GATEHOUSE_SIGN_UP: 'closed',
      };
      const closed = async (...argv: string[]) => gatehouse(argv, { app, folder, terminal: { env } });
      await closed('organizations', 'create', '--name', 'Closed', '--owner', 'ada@example.test');
      await closed('users', 'create', '--email', 'known@example.test');
      const invite = async (address: string) =>
        (await closed('organizations', 'invite', 'Closed', address)).stderr;
      expect(await invite('known@example.test')).toBe('');
      expect(await invite('New@example.test')).toContain('"gatehouse users create --email new@example.test"');
      expect((await run('organizations', 'invite', 'Closed', 'other@example.test')).stderr).toBe('');
      await run('organizations', 'delete', 'Closed', '--yes');
    });

    it('says which command lists organizations after an unknown name', async () => {
      const { code, stderr } = await run('organizations', 'show', 'Nowhere');
      expect(code).toBe(1);
      expect(stderr).toContain('There is no organization Nowhere. "gatehouse organizations list" shows all.');
    });
  });

  describe('gatehouse sessions and executions', () => {
    it.each([
      ['sessions', { sessions: [], total_size: 0 }],
      ['executions', { executions: [], total_size: 0 }],
    ])('lists no %s in a new installation', async (name, expected) => {
      expect(await answer(name, 'list')).toMatchObject(expected);
    });

    it('counts no calls by day before there is one, and shows none', async () => {
      const range = ['--from', '2026-11-01T00:00:00Z', '--to', '2026-12-01T00:00:00Z', '--bucket', 'day'];
      expect(await answer('executions', 'summary', ...range, '--group-by', 'source')).toEqual({
        buckets: [],
      });
      const { code, stderr } = await run('executions', 'show', 'exe_00000000000000000000000000');
      expect([code, stderr]).toEqual([1, expect.stringContaining('There is no such execution')]);
    });

    it('reports an unknown session as missing', async () => {
      const { code, stderr } = await run('sessions', 'show', 'ses_00000000000000000000000000');
      expect(code).toBe(1);
      expect(stderr).toContain('There is no such session');
    });
  });

  describe('gatehouse connectors', () => {
    it('shows how accounts connect to a provider, and where it is called', async () => {
      const { connectors } = await answer('connectors', 'list');
      expect((connectors as { name: string }[]).map(({ name }) => name)).toContain('websearch');
      expect(await answer('connectors', 'show', 'websearch')).toMatchObject({
        name: 'websearch',
        authorization_types: [{ type: 'API_KEY', fields: [{ name: 'api_key' }] }],
        hosts: ['https://api.exa.ai'],
      });
    });

    it('names the closest connector after a mistyped name', async () => {
      const { code, stderr } = await run('connectors', 'show', 'websaerch');
      expect(code).toBe(2);
      expect(stderr).toContain('Did you mean websearch?');
    });
  });

  describe('gatehouse environments', () => {
    it('lists and shows the environments of the settings', async () => {
      const development = {
        id: expect.stringMatching(/^env_/),
        name: 'development',
        base_url: 'http://127.0.0.1:4300',
      };
      expect(await answer('environments', 'list')).toEqual({ environments: [development] });
      expect(await answer('environments', 'show', 'development')).toEqual(development);
    });

    it('names the known environments after an unknown one', async () => {
      const { code, stderr } = await run('environments', 'show', 'staging');
      expect(code).toBe(1);
      expect(stderr).toContain('There is no environment staging. There are: development.');
    });
  });

  describe('gatehouse signing-secret', () => {
    it('shows the secret, and keeps it next to the new one after a rotation', async () => {
      const before = await answer('signing-secret', 'show');
      expect(before).toEqual({ secret: expect.stringMatching(/^whsec_/), previous_until: null });
      const after = await answer('signing-secret', 'rotate');
      expect(after['secret']).not.toBe(before['secret']);
      expect(after['previous_until']).toMatch(/^\d{4}-/);
    });
  });

  describe('gatehouse credentials', () => {
    it('warns where the id of --organization is the name of one, with the id that was meant', async () => {
      const made = await answer('organizations', 'create', '--name', 'Bound', '--owner', 'ada@example.test');
      const { id } = made['organization'] as { id: string };
      const create = async (organization: string) =>
        run('credentials', 'create', '--name', 'bound', '--organization', organization, '--json');
      const byName = await create('Bound');
      expect(byName.stderr).toContain(
        `is bound to the id Bound. The organization with this name has the id ${id}.`,
      );
      expect(JSON.parse(byName.stdout)).toMatchObject({ organization_id: 'Bound' });
      for (const meant of [id, 'own-customer-7'])
        expect((await create(meant)).stderr).not.toContain('Warning');
      for (const { id: credential } of (await answer('credentials', 'list'))['credentials'] as {
        id: string;
      }[])
        await run('credentials', 'delete', credential, '--yes');
      await run('organizations', 'delete', 'Bound', '--yes');
    });
  });

  describe('gatehouse token', () => {
    it('says how to make a credential where none has the scopes', async () => {
      const { code, stderr } = await run('token', '--scopes', 'admin');
      expect(code).toBe(1);
      expect(stderr).toContain('"gatehouse credentials create --name NAME --scopes SCOPES" creates one');
    });

    it('names the scopes where one is asked for that does not exist', async () => {
      const { code, stderr } = await run('token', '--scopes', 'tools:execute,tools:exec');
      expect(code).toBe(1);
      expect(stderr).toContain('scopes.1: There is no such scope. Choose from accounts:read,');
    });

    it('prints a token of the oldest credential with the scopes, and nothing else', async () => {
      const scopes = ['--scopes', 'tools:execute,accounts:write'];
      const { id } = await answer('credentials', 'create', '--name', 'a', ...scopes);
      await answer('credentials', 'create', '--name', 'b', ...scopes);
      const { code, stdout } = await run('token', '--scopes', 'tools:execute');
      expect(code).toBe(0);
      expect(decodeJwt(stdout.trim())).toMatchObject({
        iss: 'http://127.0.0.1:4300',
        aud: 'http://127.0.0.1:4300',
        gid: id,
        scope: 'tools:execute',
      });
      const { audit } = await answer('audit', 'list', '--action', 'token.create');
      expect(audit).toMatchObject([{ actor: 'local', action: 'token.create', target: id }]);
    });

    it('refuses scopes that the named credential lacks', async () => {
      const { credentials } = await answer('credentials', 'list');
      const [{ id }] = credentials as [{ id: string }];
      const { code, stderr } = await run('token', '--credential', id, '--scopes', 'admin');
      expect(code).toBe(1);
      expect(stderr).toContain('This credential has the scopes');
    });
  });

  describe('dry run without an account', () => {
    it('shows the request of a tool whose address is known, without a credential', async () => {
      const {
        dry_run: isDry,
        request,
        note,
      } = await answer('tools', 'call', 'websearch_search', '--dry-run', '--input', '{"query":"MCP"}');
      expect(isDry).toBe(true);
      expect(request).toMatchObject({ method: 'POST', url: 'https://api.exa.ai/search' });
      expect(JSON.stringify(request)).not.toContain('x-api-key');
      expect(note).toContain('No account is connected: this is the request without its credential.');
    });

    it('asks for an account where the address depends on it', async () => {
      const { code, stderr } = await run(
        'tools',
        'call',
        'warehouse_execute_query',
        '--dry-run',
        '--input',
        '{"statement":"select 1"}',
      );
      expect(code).toBe(1);
      expect(stderr).not.toContain('"request"');
    });
  });

  describe('gatehouse restore', () => {
    it('replaces nothing without a yes where nobody can be asked', async () => {
      const file = join(folder, 'backup.db');
      await answer('backup', file);
      const { code, stderr } = await run('restore', file);
      expect(code).toBe(2);
      expect(stderr).toContain('There is no terminal to answer on: give --yes.');
      expect(await answer('restore', file, '--yes')).toMatchObject({ replaced: expect.any(String) });
    });
  });
});

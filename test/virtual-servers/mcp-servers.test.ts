import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { McpServers } from '../../src/virtual-servers/mcp-servers.ts';
import type { ServerInput } from '../../src/virtual-servers/server-rules.ts';
import { forEachDatabase } from '../support/databases.ts';
import { peopleOf, type People } from '../support/people.ts';
import {
  ENVIRONMENT_ID,
  machine,
  OTHER_ENVIRONMENT_ID,
  testServices,
  type Services,
} from '../support/services.ts';
import { testCatalog } from '../support/test-catalog.ts';

const bound: Caller = { ...machine, boundOrganizationId: 'org_a' };
const elsewhere: Caller = { ...machine, environmentId: OTHER_ENVIRONMENT_ID };

const input = (change: Partial<ServerInput & { name: string }> = {}) => ({
  name: 'support',
  connections: ['notes', 'weather'],
  toolsets: ['weather.all'],
  tools: ['notes_search'],
  readOnly: false,
  ...change,
});

forEachDatabase((_name, open) => {
  let services: Services;
  let servers: McpServers;
  let people: People;
  beforeEach(async () => {
    services = await testServices({ db: await open() });
    servers = new McpServers({ ...services, catalog: testCatalog });
    people = peopleOf(services, ENVIRONMENT_ID);
  });

  const actions = async () => {
    const lines = await services.db.read
      .selectFrom('audit')
      .select(['action', 'target'])
      .orderBy('id')
      .execute();
    return lines.map(({ action }) => action);
  };

  describe('virtual MCP server resource', () => {
    it('creates, shows, changes and deletes a server, and audits each step', async () => {
      const made = await servers.create(machine, input());
      expect(made).toEqual({
        id: expect.stringMatching(/^mcp_[0-9a-z]{26}$/),
        name: 'support',
        organization_id: '',
        connections: ['notes', 'weather'],
        toolsets: ['weather.all'],
        tools: ['notes_search'],
        read_only: false,
        mcp_url: 'http://127.0.0.1:3000/mcp/support',
        created_at: '2026-11-20T12:00:00.000Z',
        updated_at: '2026-11-20T12:00:00.000Z',
      });
      expect(await servers.get(machine, 'support')).toEqual(made);
      services.clock.advance(1_000);
      const changed = await servers.update(machine, made.id, { tools: [], readOnly: true });
      expect(changed).toEqual({
        ...made,
        tools: [],
        read_only: true,
        updated_at: '2026-11-20T12:00:01.000Z',
      });
      expect(await servers.list(machine)).toEqual([changed]);
      await servers.remove(machine, 'support');
      expect(await servers.list(machine)).toEqual([]);
      await expect(servers.get(machine, made.id)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
      expect(await actions()).toEqual(['mcp_server.create', 'mcp_server.update', 'mcp_server.delete']);
    });

    it('refuses a taken name and everything unknown, all at once', async () => {
      await servers.create(machine, input());
      await expect(servers.create(machine, input())).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
      const bad = input({ name: 'Support', connections: ['nowhere'], toolsets: ['x'], tools: ['y'] });
      await expect(servers.create(machine, bad)).rejects.toMatchObject({
        details: {
          field_violations: [
            { field: 'name' },
            { field: 'connections.0' },
            { field: 'toolsets.0' },
            { field: 'tools.0' },
          ],
        },
      });
      await expect(servers.update(machine, 'support', { connections: ['notes'] })).rejects.toMatchObject({
        details: { field_violations: [{ field: 'toolsets.0', constraint: 'connection_missing' }] },
      });
      expect(await servers.list(machine)).toHaveLength(1);
    });

    it('hides servers of another environment or organization', async () => {
      const { id } = await servers.create(machine, input());
      for (const caller of [bound, elsewhere]) {
        expect(await servers.list(caller)).toEqual([]);
        for (const work of [
          async () => servers.get(caller, id),
          async () => servers.update(caller, id, { readOnly: true }),
          async () => servers.remove(caller, 'support'),
        ])
          await expect(work()).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
      }
      expect((await servers.create(elsewhere, input())).mcp_url).toBe('https://gate.example/mcp/support');
      const own = await servers.create(bound, input({ name: 'own' }));
      expect(own.organization_id).toBe('org_a');
      expect(await servers.list(bound)).toEqual([own]);
    });
  });

  describe('virtual MCP server address', () => {
    it('serves the selection with the connectors of the existing connections', async () => {
      const { id } = await servers.create(machine, input());
      expect(await servers.serving(machine, 'support')).toEqual({
        id,
        connections: ['notes', 'weather'],
        connectors: ['notes', 'weather'],
        toolsets: ['weather.all'],
        tools: ['notes_search'],
        readOnly: false,
      });
    });

    it('admits the credentials and people of the server’s organization, and unbound credentials', async () => {
      const ada = await people.user('ada');
      const org = await people.organization({ [ada]: 'member' });
      await servers.create({ ...machine, boundOrganizationId: org }, input());
      const own = { userId: ada, organizationId: '' };
      const person = (organizationId: string): Caller => ({
        ...machine,
        kind: 'person',
        isApp: false,
        owner: own,
        onlyOwner: own,
        person: { userId: ada, sessionId: 'ses_1', organizationId },
      });
      for (const caller of [machine, { ...machine, boundOrganizationId: org }, person(org)])
        expect((await servers.serving(caller, 'support')).tools).toEqual(['notes_search']);
      for (const caller of [bound, person(''), person('org_b'), elsewhere])
        await expect(servers.serving(caller, 'support')).rejects.toMatchObject({
          code: 'RESOURCE_NOT_FOUND',
        });
    });

    it('ends every session for a deleted server, and no other', async () => {
      const ada = await people.user('ada');
      for (const name of ['support', 'port']) await servers.create(machine, input({ name }));
      const at = (path: string) => ({ resource: `http://127.0.0.1:3000${path}` });
      const sessions = {
        token: await people.signIn('customer-7', { ...at('/mcp/port'), kind: 'mcp_server' }),
        client: await people.signIn(ada, at('/mcp/port')),
        other: await people.signIn(ada, at('/mcp/support')),
        mcp: await people.signIn(ada, at('/mcp')),
      };
      await servers.remove(machine, 'port');
      const rows = await services.db.read.selectFrom('sessions').selectAll().execute();
      const ended = new Set(rows.filter((row) => row.ended_at !== null).map(({ id }) => id));
      expect(Object.entries(sessions).map(([what, { sessionId }]) => [what, ended.has(sessionId)])).toEqual([
        ['token', true],
        ['client', true],
        ['other', false],
        ['mcp', false],
      ]);
    });
  });
});

import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../src/catalog/model/types.ts';
import { errorBody, ServiceError } from '../../src/core/errors.ts';
import { NO_VISITOR } from '../../src/core/caller.ts';
import { buildVirtualServers } from '../../src/virtual-servers/build-virtual-servers.ts';
import type { McpServers } from '../../src/virtual-servers/mcp-servers.ts';
import type { ServerTokens } from '../../src/virtual-servers/server-tokens.ts';
import { ALLOWING, testAuthorizationServer } from '../support/authorization-server.ts';
import { peopleOf } from '../support/people.ts';
import {
  connectedAccount,
  ENVIRONMENT_ID,
  machine,
  testServices,
  type Services,
} from '../support/services.ts';

let services: Services;
let servers: McpServers;
let tokens: Pick<ServerTokens, 'issue'>;
let caller: typeof machine;
let clientId: string;
let asked: string[];
/** Tools whose scopes the links ask for. */
let scoped: string[];

beforeEach(async () => {
  services = await testServices();
  asked = [];
  scoped = [];
  const beforeSession = async ({ user }: { user: { id: string } }) => {
    asked.push(user.id);
    return { plan: 'gold' };
  };
  const { credentials, sessions, personTokens } = testAuthorizationServer(services, {
    policy: { ...ALLOWING, beforeSession },
    lifetimes: { tokenMs: 3_600_000, sessionMs: 900_000 },
  });
  const { credential } = await credentials.create(machine, {
    name: 'backend',
    scopes: ['admin'],
  });
  caller = { ...machine, actor: credential.id };
  clientId = credential.client_id;
  const search = services.catalog.tools.get('notes_search')!;
  const write: Tool = { ...search, name: 'notes_write', effect: 'create' };
  ({ mcpServers: servers, serverTokens: tokens } = buildVirtualServers({
    ...services,
    catalog: { ...services.catalog, tools: new Map(services.catalog.tools).set(write.name, write) },
    activeAccounts: {
      requireActive: async (...given) => {
        scoped.push(...(given[3]?.tools ?? []).map(({ name }) => name));
        return services.activeAccounts.requireActive(...given);
      },
    },
    sessions,
    personTokens,
  }));
  await servers.create(machine, {
    name: 'support',
    connections: ['notes', 'weather'],
    toolsets: [],
    tools: [],
    readOnly: false,
  });
});

const issue = async (user_id: string, change: object = {}) =>
  tokens.issue({ ...caller, ...change }, 'support', { user_id }, NO_VISITOR);

async function refusal(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return { status: (error as ServiceError).status, ...errorBody(error as ServiceError) };
}

describe('virtual MCP server token', () => {
  it('issues a short token for one user and that server only', async () => {
    await connectedAccount(services, { user_id: 'u1' });
    const { access_token, ...rest } = await issue('u1');
    expect(rest).toEqual({ mcp_url: 'http://127.0.0.1:3000/mcp/support', expires_in: 900 });
    const session = await services.db.read.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(decodeJwt(access_token)).toMatchObject({
      sub: 'u1',
      aud: 'http://127.0.0.1:3000/mcp/support',
      client_id: clientId,
      scope: 'tools:execute',
      gid: session.id,
    });
    expect(session).toMatchObject({ kind: 'mcp_server', user_id: 'u1', client_id: clientId });
    expect(asked).toEqual([]);
  });

  it('asks the interceptors first for a person', async () => {
    const ada = await peopleOf(services, ENVIRONMENT_ID).user('ada');
    await connectedAccount(services, { user_id: ada });
    const { access_token } = await issue(ada);
    expect(asked).toEqual([ada]);
    expect(decodeJwt(access_token)['custom_claims']).toEqual({ plan: 'gold' });
  });

  it('refuses a token while accounts are missing, with a link for each', async () => {
    await servers.update(machine, 'support', { connections: ['notes', 'desk', 'weather'] });
    const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/connect\/[\w-]{43}$/) as string;
    const detail = (connector: string) => ({
      error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      connector,
      connected_account_id: expect.stringMatching(/^ca_/) as string,
      identifier: 'u1',
      status: 'PENDING_AUTH',
      authorization_link: link,
      expiry: '2026-11-20T13:00:00.000Z',
    });
    const refused = await refusal(issue('u1'));
    expect(refused).toMatchObject({ status: 400, code: 9 });
    expect(refused.details).toEqual([detail('notes'), detail('desk')]);
    const links = new Set(refused.details.map(({ authorization_link }) => authorization_link));
    expect(links.size).toBe(2);
    expect(await services.db.read.selectFrom('sessions').selectAll().execute()).toEqual([]);

    await services.accounts.update(machine, {
      id: String(refused.details[0]?.connected_account_id),
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-1' } } } },
    });
    expect((await refusal(issue('u1'))).details.map(({ connector }) => connector)).toEqual(['desk']);
    expect(await services.db.read.selectFrom('accounts').selectAll().execute()).toHaveLength(3);
  });

  it.each([
    [false, ['notes_search', 'notes_write']],
    [true, ['notes_search']],
  ])('asks for the scopes of the tools that the server publishes, read-only: %s', async (readOnly, names) => {
    await servers.update(machine, 'support', {
      connections: ['notes'],
      tools: ['notes_search', 'notes_write'],
      readOnly,
    });
    await refusal(issue('u1'));
    expect(scoped).toEqual(names);
  });

  it('refuses a token for an account that has ended', async () => {
    const { id } = await connectedAccount(services, { user_id: 'u1' });
    await services.disconnection.disconnect(machine, id);
    const refused = await refusal(issue('u1'));
    expect(refused.details).toMatchObject([{ status: 'DISCONNECTED', connected_account_id: id }]);
  });

  it('refuses a token when a connection that the server names is gone', async () => {
    await services.db.transaction(async (tx) => {
      await tx.updateTable('connections').set({ name: 'other' }).where('name', '=', 'weather').execute();
    });
    await connectedAccount(services, { user_id: 'u1' });
    expect(await refusal(issue('u1'))).toMatchObject({
      code: 9,
      details: [{ error_code: 'CONNECTION_MISSING', connector: 'weather' }],
    });
  });

  it.each([
    ['an empty user', '', {}, 400],
    ['a user of more than 64 characters', 'x'.repeat(65), {}, 400],
    ['a user with control characters', 'a\u0000b', {}, 400],
    ['a credential of an organization, which reaches no users', 'u1', { boundOrganizationId: 'org_a' }, 404],
    ['a caller without a credential', 'u1', { actor: 'usr_operator' }, 403],
  ])('refuses a token for %s', async (_what, user, change, status) => {
    expect(await refusal(issue(user, change))).toMatchObject({ status });
  });
});

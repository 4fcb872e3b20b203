/** People over REST with the real rules behind the routes; every answer is checked against /openapi.json. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES, type Role } from '../../../src/core/caller.ts';
import type { VerifiedToken } from '../../../src/authorization-server/tokens/token-verifier.ts';
import { openDatabase } from '../../../src/store/open.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { machine, peopleServices, type PeopleServices } from '../../people/people-support.ts';
import { environment } from '../../authorization-server/identity-support.ts';
import { json, restApi, type RestApi } from '../rest-api.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();

const development = environment('http://127.0.0.1:3000');
const production = environment('https://gate.example.test', 'env_prod');

/** Documented paths of people with a pattern of their requests. */
const documented = Object.keys(document.paths)
  .filter((path) => /^\/api\/v1\/(organizations|users|sessions)/.test(path))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/:]+')}$`) }));

/** What a token of these tests stands for: JSON of this, as base64url. */
interface TestToken {
  scopes?: readonly string[];
  boundTo?: string;
  person?: { userId: string; organizationId: string; role?: Role; isOperator?: boolean; isApp?: boolean };
}

let database: Database;
let services: PeopleServices;
let api: RestApi;

beforeEach(async () => {
  database = await openDatabase({ url: 'sqlite::memory:' });
  services = await peopleServices(database);
  await database.transaction(async (tx) => {
    const row = { name: 'backend', organization_id: '', scopes: 'admin', created_at: 1 };
    await tx
      .insertInto('credentials')
      .values({ id: 'cred_1', environment_id: 'env_dev', client_id: 'gh_1', ...row })
      .execute();
  });
  api = await restApi({ ...services, tokens: { verify: async (...given) => tokenOf(...given) } });
});
afterEach(async () => database.close());

function tokenOf(
  environmentId: string,
  token: string,
  { audiences }: { audiences: readonly string[] },
): VerifiedToken {
  const {
    scopes = SCOPES,
    boundTo = '',
    person,
  } = JSON.parse(Buffer.from(token, 'base64url').toString()) as TestToken;
  return {
    environmentId,
    credentialId: person === undefined ? 'cred_1' : 'ses_1',
    clientId: 'gh_1',
    scopes: new Set(scopes),
    organizationId: boundTo,
    audience: audiences,
    expiresAt: 0,
    tokenId: 't',
    ...(person !== undefined && {
      holder: {
        userId: person.userId,
        sessionId: 'ses_1',
        organizationId: person.organizationId,
        role: person.role,
        isOperator: person.isOperator ?? false,
        isVouchedFor: false,
        isApp: person.isApp ?? false,
      },
    }),
  };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** A request with the token; default: that of a machine with every scope. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  { token = {}, environment = development }: { token?: TestToken; environment?: typeof development } = {},
): Promise<Answer> {
  const init = body === undefined ? { method } : json(method, body);
  const authorization = `Bearer ${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
  const headers = { ...(init.headers as Record<string, string>), authorization };
  const response = await api.request(`/api/v1${path}`, { ...init, headers }, { environment });
  const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
  const template = documented.find(({ pattern }) => pattern.test(`/api/v1${path.split('?')[0]}`))?.path ?? '';
  expect(answerProblems(document, { method, path: template, ...answer })).toEqual([]);
  return answer;
}

const idOf = (answer: Answer, name: string): string => (answer.body[name] as { id: string }).id;

/** Acme with its owner, made over REST. */
async function acme(name = 'Acme', email = 'olga@example.test') {
  const made = await call('POST', '/organizations', { name, user: { email } });
  return { organizationId: idOf(made, 'organization'), ownerId: idOf(made, 'user') };
}

async function member(organization_id: string, email: string, role: Role): Promise<string> {
  return idOf(await call('POST', '/users', { email, organization_id, role }), 'user');
}

const CLIENT_SCOPES = ['tools:execute', 'accounts:read', 'accounts:write'];

function person(userId: string, organizationId: string, scopes = CLIENT_SCOPES): TestToken {
  return { scopes, person: { userId, organizationId } };
}

describe('users, organizations, invitations and sessions over REST', () => {
  it('serves the whole life of a person from sign-up to deletion', async () => {
    const { organizationId, ownerId } = await acme();
    const organization = `/organizations/${organizationId}`;
    const invited = await call('POST', `${organization}/invitations`, {
      email: 'Bob@example.test',
      role: 'admin',
    });
    const invitation = invited.body['invitation'] as { link: string; id: string };
    expect([invited.status, invitation.link]).toEqual([
      201,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/invitations\/[\w-]{43}$/),
    ]);
    const { userId } = await services.invitationLinks.accept(
      'env_dev',
      invitation.link.split('/').at(-1) ?? '',
      { email: 'bob@example.test' },
      { ip: '', userAgent: '', region: '', city: '' },
    );
    expect((await call('GET', `${organization}/invitations`)).body).toMatchObject({
      invitations: [{ id: invitation.id, status: 'accepted' }],
      total_size: 1,
    });
    expect((await call('GET', `${organization}/members?page_size=1`)).body).toMatchObject({
      members: [{ user_id: userId, role: 'admin' }],
      total_size: 2,
    });
    const session = await call('POST', '/sessions', { user_id: userId, organization_id: organizationId });
    expect(session).toMatchObject({ status: 201, body: { token_type: 'Bearer', expires_in: 3_600 } });
    const statuses = [];
    for (const [method, path, body] of [
      ['PATCH', `${organization}/members/${userId}`, { role: 'owner' }],
      ['PATCH', organization, { name: 'Acme & Sons' }],
      ['GET', organization, undefined],
      ['GET', '/organizations?name=Acme%20%26%20Sons', undefined],
      ['GET', `/sessions/${idOf(session, 'session')}`, undefined],
      ['DELETE', `/sessions/${idOf(session, 'session')}`, undefined],
      ['GET', `/sessions?user_id=${userId}`, undefined],
      ['PATCH', `/users/${userId}`, { given_name: 'Bob' }],
      ['GET', `/users/${userId}`, undefined],
      ['GET', '/users?email=BOB@example.test', undefined],
      ['DELETE', `${organization}/members/${ownerId}`, undefined],
      ['DELETE', `${organization}/invitations/${invitation.id}`, undefined],
      ['DELETE', organization, undefined],
      ['DELETE', `/users/${userId}`, undefined],
    ] as const)
      statuses.push((await call(method, path, body)).status);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect((await call('GET', '/users')).body).toMatchObject({ users: [{ id: ownerId }], total_size: 1 });
  });

  it('refuses a request with every violation at once', async () => {
    const { organizationId } = await acme();
    const violations = async (method: string, path: string, body?: unknown) => {
      const { status, body: refusal } = await call(method, path, body);
      const [detail] = refusal['details'] as { field_violations?: { field: string }[] }[];
      return [status, detail?.field_violations?.map(({ field }) => field)];
    };
    expect([
      await violations('POST', '/organizations', { name: '', user: { email: 7, nick: 'a' }, more: 1 }),
      await violations('POST', '/organizations', { name: ' ', user: { email: 'x', given_name: 'a\tb' } }),
      await violations('POST', '/organizations', {
        name: ' ',
        user: { email: 'x', given_name: 'a\tb' },
        more: 1,
      }),
      await violations('POST', `/organizations/${organizationId}/invitations`, {
        email: 'x',
        role: 'emperor',
      }),
      await violations('POST', `/organizations/${organizationId}/invitations`, { role: 'emperor' }),
      await violations('POST', `/organizations/${organizationId}/invitations`, { email: 'x' }),
      await violations('POST', '/users', { email: 'x', is_operator: true }),
      await violations('POST', '/sessions', { resource: '' }),
      await violations('GET', '/users?page_size=0&email='),
      await violations('GET', `/organizations/${organizationId}/members?page_size=1000`),
      await violations('GET', '/sessions?page_token=made-up'),
    ]).toEqual([
      [400, ['name', 'user.email', 'user.nick', 'more']],
      [400, ['name', 'user.email', 'user.given_name']],
      [400, ['name', 'user.email', 'user.given_name', 'more']],
      [400, ['email', 'role']],
      [400, ['email', 'role']],
      [400, ['email']],
      [400, ['email', 'is_operator']],
      [400, ['user_id', 'resource']],
      [400, ['email', 'page_size']],
      [400, ['page_size']],
      [400, ['page_token']],
    ]);
  });

  it('shows the person what an interceptor says', async () => {
    services.policy.denial = 'Ask the office.';
    const { status, body } = await call('POST', '/organizations', {
      name: 'Acme',
      user: { email: 'olga@example.test' },
    });
    expect([status, body]).toEqual([
      403,
      { code: 7, message: 'Ask the office.', details: [{ error_code: 'POLICY_DENIED' }] },
    ]);
    expect(services.policy.asked[0]?.question).toMatchObject({
      visitor: { ip: '192.0.2.7', userAgent: 'test/1.0', region: '', city: '' },
    });
  });
});

/** Every route that names something, with what exists in the environment. */
function routesOf(ids: { organizationId: string; ownerId: string; invitationId: string; sessionId: string }) {
  const { organizationId, ownerId, invitationId, sessionId } = ids;
  const organization = `/organizations/${organizationId}`;
  const inOrganization: [string, string, object?][] = [
    ['GET', organization],
    ['PATCH', organization, { name: 'Mine' }],
    ['DELETE', organization],
    ['GET', `${organization}/members`],
    ['PATCH', `${organization}/members/${ownerId}`, { role: 'member' }],
    ['DELETE', `${organization}/members/${ownerId}`],
    ['GET', `${organization}/invitations`],
    ['POST', `${organization}/invitations`, { email: 'eve@example.test' }],
    ['DELETE', `${organization}/invitations/${invitationId}`],
  ];
  const ofSessions: [string, string, object?][] = [
    ['POST', '/sessions', { user_id: ownerId }],
    ['POST', '/sessions', { user_id: ownerId, organization_id: organizationId }],
    ['GET', `/sessions/${sessionId}`],
    ['DELETE', `/sessions/${sessionId}`],
  ];
  const ofUsers: [string, string, object?][] = [
    ['GET', `/users/${ownerId}`],
    ['PATCH', `/users/${ownerId}`, { email: 'eve@example.test' }],
    ['DELETE', `/users/${ownerId}`],
  ];
  return { inOrganization, ofSessions, ofUsers };
}

async function everything() {
  const first = await acme();
  const { organizationId, ownerId } = first;
  const invitation = await call('POST', `/organizations/${organizationId}/invitations`, {
    email: 'bob@example.test',
  });
  const session = await call('POST', '/sessions', { user_id: ownerId, organization_id: organizationId });
  return {
    ...first,
    invitationId: idOf(invitation, 'invitation'),
    sessionId: idOf(session, 'session'),
  };
}

const tables = ['users', 'organizations', 'memberships', 'invitations', 'sessions', 'audit'] as const;

async function rows(): Promise<unknown[]> {
  const all = [];
  for (const table of tables) all.push(await database.read.selectFrom(table).selectAll().execute());
  return all;
}

describe('users and organizations of somebody else over REST', () => {
  it('hides everything from a credential of another environment', async () => {
    const routes = routesOf(await everything());
    const before = await rows();
    for (const [method, path, body] of Object.values(routes).flat()) {
      const { status } = await call(method, path, body, { environment: production });
      // Sessions are made by a credential that exists; that of this test is one of development.
      expect([method, path, status]).toEqual([method, path, path === '/sessions' ? 403 : 404]);
    }
    for (const path of ['/organizations', '/users', '/sessions'])
      expect((await call('GET', path, undefined, { environment: production })).body['total_size']).toBe(0);
    expect(await rows()).toEqual(before);
  });

  it('hides everything from a credential bound to another organization, and users always', async () => {
    const { inOrganization, ofSessions, ofUsers } = routesOf(await everything());
    const other = await acme('Other', 'otto@example.test');
    const token = { boundTo: other.organizationId };
    const before = await rows();
    for (const [method, path, body] of [...inOrganization, ...ofSessions]) {
      const { status } = await call(method, path, body, { token });
      // A session reaches what is its user's own: no credential of an organization makes one.
      expect([method, path, status]).toEqual([method, path, path === '/sessions' ? 403 : 404]);
    }
    for (const [method, path, body] of ofUsers)
      expect((await call(method, path, body, { token })).status).toBe(403);
    expect((await call('GET', '/sessions', undefined, { token })).body['total_size']).toBe(0);
    expect((await call('GET', '/organizations', undefined, { token })).body).toMatchObject({
      organizations: [{ id: other.organizationId }],
      total_size: 1,
    });
    expect(await rows()).toEqual(before);
  });

  it('hides everything from a person of another organization, whatever the role there', async () => {
    const { inOrganization, ofSessions, ofUsers } = routesOf(await everything());
    const other = await acme('Other', 'otto@example.test');
    const token = person(other.ownerId, other.organizationId);
    const before = await rows();
    for (const [method, path, body] of inOrganization)
      expect([method, path, (await call(method, path, body, { token })).status]).toEqual([method, path, 404]);
    for (const [method, path, body] of [...ofSessions, ...ofUsers])
      expect((await call(method, path, body, { token })).status).toBe(403);
    expect(await rows()).toEqual(before);
  });
});

describe('people as callers of REST', () => {
  it('lets a person do in an organization what the role allows', async () => {
    const { organizationId, ownerId } = await acme();
    const anna = await member(organizationId, 'anna@example.test', 'admin');
    const mike = await member(organizationId, 'mike@example.test', 'member');
    const organization = `/organizations/${organizationId}`;
    const requests: [string, string, object?][] = [
      ['GET', organization],
      ['GET', `${organization}/members`],
      ['GET', `${organization}/invitations`],
      ['POST', `${organization}/invitations`, { email: 'eve@example.test' }],
      ['POST', `${organization}/invitations`, { email: 'eve@example.test', role: 'owner' }],
      ['PATCH', `${organization}/members/${mike}`, { role: 'admin' }],
      ['PATCH', organization, { name: 'Ours' }],
    ];
    const statuses = async (userId: string) => {
      const out = [];
      for (const [method, path, body] of requests)
        out.push((await call(method, path, body, { token: person(userId, organizationId) })).status);
      return out;
    };
    expect([await statuses(mike), await statuses(anna), await statuses(ownerId)]).toEqual([
      [200, 403, 403, 403, 403, 403, 403],
      [200, 200, 200, 201, 403, 403, 403],
      [200, 200, 200, 201, 201, 200, 200],
    ]);
  });

  it('refuses changes through a client that the person gave reading only', async () => {
    const { organizationId, ownerId } = await acme();
    const organization = `/organizations/${organizationId}`;
    const reading = { token: person(ownerId, organizationId, ['accounts:read']) };
    const nothing = { token: person(ownerId, organizationId, ['tools:execute']) };
    const before = await rows();
    expect([
      (await call('GET', `${organization}/members`, undefined, reading)).status,
      (await call('PATCH', organization, { name: 'Ours' }, reading)).status,
      (await call('DELETE', organization, undefined, reading)).status,
      (await call('POST', `${organization}/invitations`, { email: 'eve@example.test' }, reading)).status,
      (await call('GET', organization, undefined, nothing)).status,
    ]).toEqual([200, 403, 403, 403, 403]);
    expect(await rows()).toEqual(before);
  });

  it('lets machines and operators unbind people, and neither an owner’s token nor an organization’s credential', async () => {
    const { organizationId, ownerId } = await acme('Acme', 'olga@acme.example');
    await call('PUT', `/organizations/${organizationId}/provider`, {
      issuer: 'https://login.acme.example',
      client_id: 'gatehouse',
      domains: ['acme.example'],
    });
    const token = person(ownerId, organizationId);
    const path = `/users/${ownerId}:unbind`;
    expect(await call('POST', path, undefined, { token })).toMatchObject({ status: 403 });
    expect(await call('POST', path)).toEqual({ status: 200, body: {} });
    expect((await services.auditLines()).at(-1)).toBe(`cred_1 user.unbind ${ownerId}`);
    const bound = { token: { boundTo: organizationId } };
    expect((await call('POST', path, undefined, bound)).status).toBe(403);
    expect([
      (await call('POST', '/users/usr_none:unbind')).status,
      (await call('POST', path, undefined, { environment: production })).status,
    ]).toEqual([404, 404]);
  });

  it('drops the claimed domain where the app of an owner changes the issuer, and says so', async () => {
    const { organizationId, ownerId } = await acme('Acme', 'olga@acme.example');
    const path = `/organizations/${organizationId}/provider`;
    const claim = { issuer: 'https://login.acme.example', client_id: 'gatehouse', domains: ['acme.example'] };
    await call('PUT', path, claim);
    const bound = { boundTo: organizationId };
    expect((await call('PUT', path, claim, { token: bound })).status).toBe(403);
    expect((await call('DELETE', path, undefined, { token: bound })).status).toBe(403);
    const token = person(ownerId, organizationId);
    const evil = { ...claim, issuer: 'https://login.evil.example' };
    for (const name of ['assume_email_verified', 'allow_operator_rights'])
      expect((await call('PUT', path, { ...claim, [name]: true }, { token })).status).toBe(403);
    const { body } = await call('PUT', path, evil, { token });
    expect(body['provider']).toMatchObject({
      domains: [],
      warnings: [expect.stringContaining('until the operator of this Gatehouse adds them again')],
    });
    expect((await call('PUT', path, evil, { token })).status).toBe(403);
    expect((await call('GET', path)).body['provider']).toMatchObject({
      domains: [],
      allow_operator_rights: false,
    });
  });

  it('lets an operator administer the environment with a token for it, but vouch for nobody', async () => {
    const { organizationId, ownerId } = await acme();
    const { id } = await services.users.create(machine, { email: 'root@example.test', is_operator: true });
    const operator = { userId: id, organizationId: '', isOperator: true };
    const token = { scopes: [...CLIENT_SCOPES, 'admin'], person: operator };
    expect([
      (await call('GET', `/organizations/${organizationId}/members`, undefined, { token })).status,
      (await call('GET', `/users/${ownerId}`, undefined, { token })).status,
      (await call('POST', '/sessions', { user_id: ownerId }, { token })).status,
      (await call('GET', '/users', undefined, { token: { ...token, scopes: CLIENT_SCOPES } })).status,
      (
        await call('GET', '/users', undefined, {
          token: { ...token, person: { ...operator, isOperator: false } },
        })
      ).status,
    ]).toEqual([200, 200, 403, 403, 403]);
  });
});

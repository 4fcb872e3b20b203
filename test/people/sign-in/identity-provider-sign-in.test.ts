import { beforeEach, describe, expect, it } from 'vitest';
import type { ProvenByProvider } from '../../../src/people/sign-in/identity-provider-sign-in.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { insertMembership } from '../../../src/people/people-rows.ts';
import {
  boundTo,
  foreigner,
  machine,
  makeMember,
  makeOrganization,
  makeUser,
  outcome,
  personIn,
  visitor,
} from '../people-support.ts';
import type { Misbehaviour } from './fake-openid.ts';
import { acme, BROWSER, PROVIDER, signInServices, type SignInServices } from './sign-in-support.ts';
import { isPageFailure } from '../../../src/core/page-failure.ts';

const ADA = { email: 'ada@acme.example', email_verified: true, given_name: 'Ada', family_name: 'L.' };

let services: SignInServices;
let organizationId: string;

beforeEach(async () => {
  services = await signInServices(await memoryDatabase());
  organizationId = await acme(services);
});

/** The person who owns Acme. */
async function ownerOfAcme() {
  const { user_id: userId } = await services.db.read
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return personIn(userId, organizationId);
}

const start = (change = {}) =>
  services.providerSignIn.start({
    environmentId: 'env_dev',
    organizationId,
    browser: BROWSER,
    next: '/organizations',
    email: 'ada@acme.example',
    ...change,
  });

const finish = (query: URLSearchParams, change = {}) =>
  services.providerSignIn.finish({
    environmentId: 'env_dev',
    organizationId,
    query,
    browser: BROWSER,
    ...change,
  });

const signIn = (proven: ProvenByProvider) =>
  services.people.byProvider({ environmentId: 'env_dev', visitor, cookie: '' }, proven);

/** Kind of the problem, or what came of it. */
async function problem(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (isPageFailure(error, 'sign_in')) return error.kind;
    throw error;
  }
}

describe('sign-in by an identity provider', () => {
  it('sends the browser with PKCE, nonce and state, and never the same ones', async () => {
    const [first, second] = [new URL(await start()), new URL(await start())];
    expect(first.origin + first.pathname).toBe('https://login.acme.example/authorize');
    expect(Object.fromEntries(first.searchParams)).toEqual({
      client_id: 'gatehouse',
      redirect_uri: `http://127.0.0.1:3000/sso/v1/oidc/${organizationId}/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      login_hint: 'ada@acme.example',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
  });

  it('stores state and browser as hashes, PKCE verifier and nonce sealed', async () => {
    const query = new URL(await start()).searchParams;
    const rows = JSON.stringify(await services.db.read.selectFrom('sign_in_flows').selectAll().execute());
    for (const secret of [query.get('state'), query.get('nonce'), BROWSER])
      expect(rows).not.toContain(secret);
  });

  it('tells who signed in, and where the browser wanted to go', async () => {
    const proven = await finish(services.openId.signIn(await start(), ADA));
    expect(proven).toMatchObject({
      email: 'ada@acme.example',
      emailVerified: true,
      givenName: 'Ada',
      familyName: 'L.',
      next: '/organizations',
    });
    const [request] = services.openId.received.filter(({ url }) => url.pathname === '/token');
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('gatehouse:secret1').toString('base64')}`,
    });
  });

  it('sends the secret in the form where the provider knows no other way', async () => {
    services.openId.misbehaviour = {
      metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    };
    await finish(services.openId.signIn(await start(), ADA));
    const [request] = services.openId.received.filter(({ url }) => url.pathname === '/token');
    expect(new URLSearchParams(String(request?.body)).get('client_secret')).toBe('secret1');
  });

  it('sends no secret of a public client', async () => {
    await services.providers.put(machine, organizationId, { ...PROVIDER, client_secret: null });
    await finish(services.openId.signIn(await start(), ADA));
    const [request] = services.openId.received.filter(({ url }) => url.pathname === '/token');
    expect(request?.headers['authorization']).toBeUndefined();
    expect(String(request?.body)).not.toContain('client_secret');
  });

  it('refuses a replay of the state, also from several browsers at once', async () => {
    const query = services.openId.signIn(await start(), ADA);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => problem(finish(query))));
    expect(outcomes.filter((outcome) => outcome === 'state')).toHaveLength(4);
    expect(services.openId.exchanges).toBe(1);
    expect(await problem(finish(query))).toBe('state');
  });

  it('refuses a state older than ten minutes', async () => {
    const query = services.openId.signIn(await start(), ADA);
    services.clock.advance(10 * 60_000);
    expect(await problem(finish(query))).toBe('expired');
  });

  it.each([
    ['another browser', { browser: 'c'.repeat(43) }, 'browser'],
    ['a browser without a cookie', { browser: undefined }, 'browser'],
    ['another environment', { environmentId: 'env_prod' }, 'state'],
  ])('refuses %s before anything is sent', async (_who, change, kind) => {
    const query = services.openId.signIn(await start(), ADA);
    expect(await problem(finish(query, change))).toBe(kind);
    expect(services.openId.exchanges).toBe(0);
  });

  it('refuses an unknown state', async () => {
    const query = services.openId.signIn(await start(), ADA);
    query.set('state', 'x'.repeat(43));
    expect(await problem(finish(query))).toBe('state');
    expect(services.openId.exchanges).toBe(0);
  });

  it('refuses the state at the callback of another organization', async () => {
    const other = await makeOrganization(services, 'Evil', 'eve');
    await services.providers.put(machine, other.id, {
      ...PROVIDER,
      issuer: 'https://login.evil.example',
      domains: ['evil.example'],
    });
    const query = services.openId.signIn(await start(), ADA);
    expect(await problem(finish(query, { organizationId: other.id }))).toBe('place');
    expect(services.openId.exchanges).toBe(0);
    // It is not spent: the person can still come back to the right place.
    expect(await problem(finish(query))).toMatchObject({ email: 'ada@acme.example' });
  });

  it('sends no code where issuer or client were changed meanwhile', async () => {
    const query = services.openId.signIn(await start(), ADA);
    await services.providers.put(machine, organizationId, { ...PROVIDER, client_id: 'other' });
    expect(await problem(finish(query))).toBe('no_provider');
    expect(services.openId.exchanges).toBe(0);
  });

  it('requires the iss of the provider in the answer', async () => {
    const query = services.openId.signIn(await start(), ADA);
    query.set('iss', 'https://login.evil.example');
    expect(await problem(finish(query))).toBe('answer');
    expect(services.openId.exchanges).toBe(0);
  });

  it('reports a refusal of the provider', async () => {
    const state = new URL(await start()).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: services.openId.issuer });
    expect(await problem(finish(query))).toBe('denied');
  });

  it.each<[string, Misbehaviour, string]>([
    ['a nonce of another flow', { claims: { nonce: 'n'.repeat(43) } }, 'answer'],
    ['no nonce', { claims: { nonce: undefined } }, 'answer'],
    ['another issuer', { claims: { iss: 'https://login.evil.example' } }, 'answer'],
    ['another audience', { claims: { aud: 'somebody-else' } }, 'answer'],
    ['a token that ended an hour ago', { claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } }, 'answer'],
    ['a signature by another key', { isForged: true }, 'answer'],
    ['an error', { tokenAnswer: { status: 400, body: { error: 'invalid_grant' } } }, 'answer'],
    [
      'no ID token',
      { tokenAnswer: { status: 200, body: { access_token: 'a', token_type: 'Bearer' } } },
      'answer',
    ],
    ['nothing', { isAway: true }, 'unreachable'],
  ])('refuses an answer with %s', async (_what, misbehaviour, kind) => {
    const query = services.openId.signIn(await start(), ADA);
    services.openId.misbehaviour = misbehaviour;
    expect(await problem(finish(query))).toBe(kind);
  });

  it.each<[string, Misbehaviour, string]>([
    ['names another issuer', { metadata: { issuer: 'https://login.evil.example' } }, 'answer'],
    [
      'sends people on in plain text',
      { metadata: { authorization_endpoint: 'http://login.acme.example/' } },
      'answer',
    ],
    ['sends people to a script', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }, 'answer'],
    ['does not answer', { isAway: true }, 'unreachable'],
  ])('refuses to start where the metadata %s', async (_what, misbehaviour, kind) => {
    services.openId.misbehaviour = misbehaviour;
    expect(await problem(start())).toBe(kind);
  });

  it('signs nobody in once the provider has no domains left', async () => {
    const query = services.openId.signIn(await start(), ADA);
    await services.providers.put(machine, organizationId, { ...PROVIDER, domains: [] });
    expect(await problem(start())).toBe('no_provider');
    expect(await problem(finish(query))).toBe('no_provider');
    expect(services.openId.exchanges).toBe(0);
  });

  it('asks a provider of an owner at public addresses only, for token, keys and person too', async () => {
    // As it is for a provider from before this was recorded.
    await services.db.transaction(async (tx) =>
      tx.updateTable('organization_providers').set({ entered_by_operator: 0 }).execute(),
    );
    await finish(services.openId.signIn(await start(), ADA));
    const asked = services.openId.received.map(({ url }) => `${url.host}${url.pathname}`);
    expect(services.publicHosts).toEqual(asked);
    expect(
      asked.some((path) => path.endsWith('/token')) && asked.some((path) => path.endsWith('/keys')),
    ).toBe(true);
  });

  it('asks a provider of the operator also at private addresses, and after its owner renews the secret', async () => {
    await start();
    await services.providers.put(await ownerOfAcme(), organizationId, { ...PROVIDER, client_secret: 'new' });
    await finish(services.openId.signIn(await start(), ADA));
    expect(services.publicHosts).toEqual([]);
  });

  it('refuses to start for an organization without a provider', async () => {
    expect(await problem(start({ organizationId: 'org_none' }))).toBe('no_provider');
    expect(await problem(start({ environmentId: 'env_prod' }))).toBe('no_provider');
  });
});

describe('new proof of identity by an identity provider', () => {
  /** Seconds since 1970, at the clock of the services. */
  const seconds = (agoMs = 0) => (services.clock.now() - agoMs) / 1_000;
  const isFresh = async (claims: Record<string, unknown>, change = {}) => {
    const proven = await finish(services.openId.signIn(await start(change), { ...ADA, ...claims }));
    const person = await services.people.ofCookie('env_dev', (await signIn(proven)).cookie);
    return person !== undefined && services.people.isFresh(person);
  };

  it('asks the provider to ask the person again, and only then', async () => {
    const asked = new URL(await start({ isAgain: true })).searchParams;
    expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0']);
    expect(new URL(await start()).searchParams.has('max_age')).toBe(false);
  });

  it.each([
    ['names no time', {}],
    ['names a time before the question', { agoMs: 5 * 60_000 + 1_000 }],
  ])('refuses an answer that %s', async (_, { agoMs }: { agoMs?: number }) => {
    const claims = agoMs === undefined ? {} : { auth_time: seconds(agoMs) };
    expect(await problem(isFresh(claims, { isAgain: true }))).toBe('stale');
  });

  it('counts from the time that the provider names, not from the return to us', async () => {
    expect(await isFresh({ auth_time: seconds() }, { isAgain: true })).toBe(true);
    expect(await isFresh({ auth_time: seconds(9 * 60_000) })).toBe(true);
    expect(await isFresh({ auth_time: seconds(10 * 60_000) })).toBe(false);
    expect(await isFresh({})).toBe(false);
  });
});

describe('sign-in by an identity provider: user and membership', () => {
  const comeBack = async (claims: Record<string, unknown>) =>
    signIn(await finish(services.openId.signIn(await start(), claims)));
  const usersOf = async () => services.db.read.selectFrom('users').select('email').execute();

  it('makes an unknown person a member of the organization', async () => {
    const started = await comeBack(ADA);
    expect(started).toMatchObject({ kind: 'browser', organizationId });
    const person = await services.people.ofCookie('env_dev', started.cookie);
    expect(person).toMatchObject({
      email: 'ada@acme.example',
      name: 'Ada L.',
      organizations: [{ id: organizationId, name: 'Acme', role: 'member' }],
      session: { connectionDetails: [{ type: 'OIDC', provider: 'login.acme.example' }] },
    });
    const { userId } = started;
    expect(await services.auditLines()).toEqual(
      expect.arrayContaining([
        `${userId} user.create ${userId}`,
        expect.stringMatching(new RegExp(`^${userId} member\\.create mem_[0-9a-z]{26}$`)),
        `${userId} session.create ${started.id}`,
      ]),
    );
  });

  it('recognizes a known person, and keeps the role', async () => {
    const first = await comeBack(ADA);
    await services.db.transaction(async (tx) =>
      tx.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', first.userId).execute(),
    );
    const again = await comeBack({ ...ADA, email: 'ADA@Acme.Example' });
    expect(again.userId).toBe(first.userId);
    const person = await services.people.ofCookie('env_dev', again.cookie);
    expect(person?.organizations).toMatchObject([{ role: 'admin' }]);
  });

  it.each([
    ['an address that is not one of the organization’s domains', { email: 'victim@example.test' }],
    ['such an address that it calls verified', { email: 'victim@example.test', email_verified: true }],
    ['a domain that only ends alike', { email: 'ada@notacme.example' }],
    ['a subdomain of its domain', { email: 'ada@sub.acme.example' }],
    ['something that is no address', { email: 'ada@acme.example, eve@acme.example' }],
    ['two at signs', { email: 'ada@evil.example@acme.example' }],
    ['a number', { email: 7 }],
  ])('refuses a person with %s', async (_what, claims) => {
    await makeUser(services, 'victim');
    const before = await usersOf();
    expect(await problem(comeBack({ email_verified: undefined, ...claims }))).toBe('email');
    expect(await usersOf()).toEqual(before);
    expect(await services.db.read.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  it('stops for a policy, with its message', async () => {
    services.policy.denial = 'Not on Sundays.';
    await expect(comeBack(ADA)).rejects.toMatchObject({ code: 'POLICY_DENIED', message: 'Not on Sundays.' });
  });

  it('removes control characters from the name', async () => {
    const started = await comeBack({ ...ADA, given_name: 'Ada\r\nBcc: x', family_name: 'x'.repeat(500) });
    const person = await services.people.ofCookie('env_dev', started.cookie);
    expect(person?.name).toBe('x'.repeat(100));
  });
});

describe('email_verified of an identity provider', () => {
  const comeBack = async (claims: Record<string, unknown>) =>
    signIn(await finish(services.openId.signIn(await start(), claims)));
  const unverified = (email_verified?: unknown) => ({ email: 'ada@acme.example', email_verified });

  it.each([undefined, false, 'false', 'yes', 1, null])(
    'refuses a person whose claim is %o, and makes no user',
    async (claim) => {
      expect(await problem(comeBack(unverified(claim)))).toBe('unverified');
      expect(await services.users.list(machine, { email: 'ada@acme.example' })).toMatchObject({ users: [] });
    },
  );

  it.each([true, 'true'])('accepts a person whose claim is %o', async (claim) => {
    expect(await comeBack(unverified(claim))).toMatchObject({ organizationId });
  });

  it('may be absent where the operator assumes it, but never false', async () => {
    await services.providers.put(machine, organizationId, { ...PROVIDER, assume_email_verified: true });
    expect(await problem(comeBack(unverified(false)))).toBe('unverified');
    expect(await comeBack(unverified())).toMatchObject({ organizationId });
  });

  it.each([
    [{ email: 'ada@acme.example', email_verified: true }, undefined],
    [{ email_verified: true }, 'unverified'],
    [{ email: 'ada@acme.example' }, 'unverified'],
    [{ email: 'eve@elsewhere.example', email_verified: true }, 'email'],
  ])('comes from the user endpoint when the ID token lacks it: %o', async (info, kind) => {
    services.openId.misbehaviour = { userinfo: { sub: 'subject-1', ...info } };
    expect(await problem(comeBack(unverified()).then(() => undefined))).toBe(kind);
  });
});

describe('subject of an identity provider', () => {
  const comeBack = async (sub: string, change: Record<string, unknown> = {}) =>
    signIn(await finish(services.openId.signIn(await start(), { ...ADA, sub, ...change })));
  const refusals = async () =>
    (await services.auditLines()).filter((line) => line.includes('user.refuse_identity'));
  const identities = async () => services.db.read.selectFrom('user_identities').selectAll().execute();

  it('refuses another one with the same address from the second sign-in on, and audits it', async () => {
    const { userId } = await comeBack('ada-1');
    expect(await identities()).toMatchObject([
      { user_id: userId, issuer: PROVIDER.issuer, subject: 'ada-1' },
    ]);
    const { id } = await services.providers.get(machine, organizationId);
    expect(await problem(comeBack('ada-2'))).toBe('identity');
    expect(await refusals()).toEqual([`${id} user.refuse_identity ${userId}`]);
    expect((await comeBack('ada-1')).userId).toBe(userId);
    expect(await identities()).toHaveLength(1);
  });

  it('refuses the one of another user, and makes no user with the new address', async () => {
    const { userId } = await comeBack('ada-1');
    expect(await problem(comeBack('ada-1', { email: 'bob@acme.example' }))).toBe('identity');
    expect((await services.users.list(machine, { email: 'bob@acme.example' })).users).toEqual([]);
    expect(await refusals()).toEqual([expect.stringContaining(userId)]);
  });

  it('binds a user from before at the next sign-in', async () => {
    const { id } = await services.users.create(machine, { email: 'ada@acme.example' });
    expect((await comeBack('ada-1')).userId).toBe(id);
    expect(await services.auditLines()).toContain(`${id} user.bind ${id}`);
    expect(await problem(comeBack('ada-2'))).toBe('identity');
  });

  it('stays with a user whose address the operator changes', async () => {
    const { userId } = await comeBack('ada-1');
    await services.users.update(machine, userId, { email: 'ada.l@acme.example' });
    expect((await comeBack('ada-1', { email: 'ada.l@acme.example' })).userId).toBe(userId);
  });

  it('has at most 255 characters', async () => {
    expect(await comeBack('x'.repeat(255))).toMatchObject({ organizationId });
    expect(await problem(comeBack('x'.repeat(256)))).toBe('answer');
  });

  it('binds one of several that come at once', async () => {
    const outcomes = await Promise.all(['a', 'b', 'c'].map(async (sub) => problem(comeBack(sub))));
    expect(outcomes.filter((outcome) => outcome === 'identity')).toHaveLength(2);
    expect(await identities()).toHaveLength(1);
  });

  it('ends with an unbinding by the operator, which signs the user out and lets the next one bind', async () => {
    const first = await comeBack('ada-1');
    await services.users.unbind(machine, first.userId);
    expect(await services.sessions.isLive('env_dev', first.id)).toBe(false);
    expect((await comeBack('ada-2')).userId).toBe(first.userId);
    expect(await problem(comeBack('ada-1'))).toBe('identity');
    expect(await services.auditLines()).toContain(`cred_1 user.unbind ${first.userId}`);
    expect(await outcome(services.users.unbind(boundTo(organizationId), first.userId))).toBe(
      'PERMISSION_DENIED',
    );
    expect(await outcome(services.users.unbind(foreigner, first.userId))).toBe('RESOURCE_NOT_FOUND');
  });

  it('ends with an unbinding by an owner of the organization whose provider it is, and nobody else', async () => {
    const owner = await ownerOfAcme();
    const first = await comeBack('ada-1');
    const key = { organizationId, userId: first.userId };
    const admin = personIn(await makeMember(services, organizationId, 'admin', 'admin'), organizationId);
    const other = await makeOrganization(services, 'Other', 'eve');
    for (const [caller, its, code] of [
      [admin, key, 'PERMISSION_DENIED'],
      [personIn(first.userId, organizationId), key, 'PERMISSION_DENIED'],
      [personIn(other.ownerId, other.id), key, 'RESOURCE_NOT_FOUND'],
      [personIn(other.ownerId, other.id), { ...key, organizationId: other.id }, 'RESOURCE_NOT_FOUND'],
      [owner, { ...key, userId: owner.person.userId }, ['user_id not_bound']],
    ] as const)
      expect(await outcome(services.members.unbind(caller, its))).toEqual(code);
    expect(await services.sessions.isLive('env_dev', first.id)).toBe(true);

    await services.members.unbind(owner, key);
    expect(await services.sessions.isLive('env_dev', first.id)).toBe(false);
    expect((await comeBack('ada-2')).userId).toBe(first.userId);
    expect(await services.auditLines()).toContainEqual(
      expect.stringMatching(`${owner.actor} member.unbind mem_`),
    );
  });

  it('stays where an owner of another organization has the member too', async () => {
    const { userId } = await comeBack('ada-1');
    const other = await makeOrganization(services, 'Other', 'eve');
    const eve = personIn(other.ownerId, other.id);
    await services.providers.put(eve, other.id, { ...PROVIDER, domains: [] });
    await services.db.transaction(async (tx) =>
      insertMembership(tx, { environmentId: 'env_dev', organizationId: other.id, userId }, 'member', 1),
    );
    expect(await outcome(services.members.unbind(eve, { organizationId: other.id, userId }))).toEqual([
      'user_id not_bound',
    ]);
    expect(await problem(comeBack('ada-2'))).toBe('identity');
  });
});

describe('operator who signs in through an identity provider', () => {
  const OPERATOR = 'ada@acme.example';
  const comeBack = async () => signIn(await finish(services.openId.signIn(await start(), ADA)));
  /** Whether a session has the rights of operators: in the browser, and for tokens that begin there. */
  const rights = async ({ id, cookie }: { id: string; cookie: string }) => [
    (await services.people.ofCookie('env_dev', cookie))?.isOperator,
    (await services.sessions.standing('env_dev', id))?.isOperator,
  ];

  beforeEach(async () => {
    await services.users.create(machine, { email: OPERATOR, is_operator: true });
  });

  it('has no rights of operators, neither there nor after switching organizations', async () => {
    const started = await comeBack();
    expect(await rights(started)).toEqual([false, false]);
    const switched = await services.sessions.switchOrganization('env_dev', started.id, '', visitor);
    expect(await rights(switched)).toEqual([false, false]);
  });

  it('has them while the operator allows it for that provider', async () => {
    await services.providers.put(machine, organizationId, { ...PROVIDER, allow_operator_rights: true });
    const started = await comeBack();
    expect(await rights(started)).toEqual([true, true]);
    await services.providers.put(machine, organizationId, { ...PROVIDER, allow_operator_rights: false });
    expect(await rights(started)).toEqual([false, false]);
    await services.providers.put(machine, organizationId, { ...PROVIDER, allow_operator_rights: true });
    await services.providers.remove(machine, organizationId);
    expect(await rights(started)).toEqual([false, false]);
  });

  it('keeps them in a session that began with a code by e-mail', async () => {
    const at = { environmentId: 'env_dev', visitor, cookie: '' };
    const started = await services.people.byEmail(at, OPERATOR);
    expect(started && (await rights(started))).toEqual([true, true]);
  });

  it('cannot be impersonated by an owner who puts another issuer behind the claimed domain', async () => {
    const issuer = 'https://login.evil.example';
    const put = await services.providers.put(await ownerOfAcme(), organizationId, { ...PROVIDER, issuer });
    expect(put.domains).toEqual([]);
    expect(await problem(start({ email: OPERATOR }))).toBe('no_provider');
    expect(await problem(start({ email: '' }))).toBe('no_provider');
    expect(services.openId.received).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { ProvenByProvider } from '../../../src/people/sign-in/identity-provider-sign-in.ts';
import { memoryDatabase } from '../../authorization-server/identity-support.ts';
import { machine, makeOrganization, makeUser, personIn, visitor } from '../people-support.ts';
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
    const owner = await ownerOfAcme();
    await services.providers.put(owner, organizationId, { ...PROVIDER, client_id: 'other' });
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
    ['an address that it calls unverified', { email: 'ada@acme.example', email_verified: false }],
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

import { decodeJwt, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import type { Policy } from '../../src/interceptors/policy.ts';
import { Retention } from '../../src/operations/retention.ts';
import { AuthorizationArtifactStore } from '../../src/store/tokens/authorization-artifact-store.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ALLOWING } from '../support/authorization-server.ts';
import { admin, basic, withEnvironments } from './identity-support.ts';
import { CALLBACK, startPeople, VERIFIER, type PeopleServer, type Tokens } from './people-support.ts';

let people: PeopleServer;
let baseUrl: string;
let clientId: string;

beforeAll(async () => {
  people = await startPeople();
  ({ baseUrl } = people.environment);
  await people.user('usr_ann');
  clientId = await people.register();
});
afterAll(async () => people.close());

async function errorOf(answer: Response): Promise<string> {
  const { error, error_description: description } = (await answer.json()) as Record<string, string>;
  expect(description).not.toMatch(/node_modules|\bat \/|Error:|usr_|ses_/);
  return `${answer.status} ${error}`;
}

/** Whether an access token still opens anything, asked as another process would. */
async function isGood(token: string, server: PeopleServer = people): Promise<boolean> {
  const found = await server.verifier.inspect('env_dev', token);
  return found !== undefined;
}

describe('authorization code of a person', () => {
  it.each([
    ['another verifier', { code_verifier: `${VERIFIER}x` }, '400 invalid_grant'],
    ['no verifier', { code_verifier: '' }, '400 invalid_request'],
    ['its challenge as verifier', { code_verifier: 'short' }, '400 invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://client.example.test/other' }, '400 invalid_grant'],
    ['no redirect URI', { redirect_uri: '' }, '400 invalid_request'],
    ['another resource', { resource: '{base}/api' }, '400 invalid_target'],
    ['another code', { code: 'made-up' }, '400 invalid_grant'],
  ])('refuses to exchange the code with %s, and keeps it good', async (_what, changes, expected) => {
    const code = await people.code(people.browser('usr_ann'), clientId);
    const sent = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value.replace('{base}', baseUrl)]),
    );
    expect(await errorOf(await people.exchange(clientId, code, sent))).toBe(expected);
    expect((await people.exchange(clientId, code)).status).toBe(200);
  });

  it('refuses to exchange the code for another client', async () => {
    const code = await people.code(people.browser('usr_ann'), clientId);
    expect(await errorOf(await people.exchange(await people.register(), code))).toBe('400 invalid_grant');
    expect((await people.exchange(clientId, code)).status).toBe(200);
  });

  it('ends the code after a minute', async () => {
    const code = await people.code(people.browser('usr_ann'), clientId);
    people.clock.advance(60_000);
    expect(await errorOf(await people.exchange(clientId, code))).toBe('400 invalid_grant');
  });

  it('refuses the code once the person has signed out', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    const session = /name="session" value="(ses_[^"]+)"/.exec(page.text)?.[1] ?? '';
    const end = await browser.submit(page, { answer: 'allow' });
    await people.sessions.end('env_dev', session, 'usr_ann', '');
    const code = new URL(end.url).searchParams.get('code') ?? '';
    expect(await errorOf(await people.exchange(clientId, code))).toBe('400 invalid_grant');
  });

  it('ends the session when its code is replayed', async () => {
    const code = await people.code(people.browser('usr_ann'), clientId);
    const tokens = (await (await people.exchange(clientId, code)).json()) as Tokens;
    expect(await isGood(tokens.access_token)).toBe(true);
    expect(await errorOf(await people.exchange(clientId, code))).toBe('400 invalid_grant');
    expect(await isGood(tokens.access_token)).toBe(false);
    expect(await errorOf(await people.refresh(clientId, tokens.refresh_token))).toBe('400 invalid_grant');
  });

  it('gives no refresh token to a client that did not register for them', async () => {
    const plain = await people.register({ grant_types: ['authorization_code'] });
    expect(await people.tokens('usr_ann', plain)).not.toHaveProperty('refresh_token');
  });
});

describe("interceptor of a person's tokens", () => {
  it('ends the exchange on DENY with its message, and keeps its claims through refreshes', async () => {
    const beforeSession = vi.fn<Policy['beforeSession']>(async () => ({}));
    const policy = { ...ALLOWING, beforeSession };
    const asked = await startPeople({ policy });
    await asked.user('usr_ann');
    try {
      const id = await asked.register();
      beforeSession.mockResolvedValue({ plan: 'gold' });
      const tokens = await asked.tokens('usr_ann', id);
      expect(decodeJwt(tokens.access_token)['custom_claims']).toEqual({ plan: 'gold' });
      expect(beforeSession.mock.lastCall?.[0]).toMatchObject({
        organizationId: '',
        visitor: { ip: '192.0.2.7', userAgent: 'Test browser' },
        connectionDetails: [{ type: 'PASSWORDLESS', provider: 'EMAIL' }],
      });
      const calls = beforeSession.mock.calls.length;
      const next = (await (await asked.refresh(id, tokens.refresh_token)).json()) as Tokens;
      expect(decodeJwt(next.access_token)['custom_claims']).toEqual({ plan: 'gold' });
      expect(beforeSession.mock.calls).toHaveLength(calls);

      const code = await asked.code(asked.browser('usr_ann'), id);
      beforeSession.mockRejectedValueOnce(new ServiceError('POLICY_DENIED', 'Not on Sundays.'));
      const answer = await asked.exchange(id, code);
      expect(await answer.json()).toEqual({ error: 'access_denied', error_description: 'Not on Sundays.' });
      expect(answer.status).toBe(400);
    } finally {
      await asked.close();
    }
  });
});

describe('refresh token of a person', () => {
  it('exchanges a refresh token for the next pair, and keeps the session alive', async () => {
    const tokens = await people.tokens('usr_ann', clientId, { resource: `${baseUrl}/api` });
    people.clock.advance(29 * 24 * 3_600_000);
    const next = (await (await people.refresh(clientId, tokens.refresh_token)).json()) as Tokens;
    expect(next).toEqual({ ...tokens, access_token: expect.any(String), refresh_token: expect.any(String) });
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    const [before, after] = [decodeJwt(tokens.access_token), decodeJwt(next.access_token)];
    expect(after).toEqual({
      ...before,
      jti: expect.any(String),
      iat: (before.iat ?? 0) + 2_505_600,
      nbf: (before.nbf ?? 0) + 2_505_600,
      exp: (before.exp ?? 0) + 2_505_600,
    });
    expect(after.jti).not.toBe(before.jti);
    people.clock.advance(29 * 24 * 3_600_000);
    expect((await people.refresh(clientId, next.refresh_token)).status).toBe(200);
  });

  it('ends with a session that nobody used for 30 days', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    people.clock.advance(30 * 24 * 3_600_000);
    expect(await errorOf(await people.refresh(id, tokens.refresh_token))).toBe('401 invalid_client');
    expect(await isGood(tokens.access_token)).toBe(false);
    clientId = await people.register();
  });

  it('ends the session on replay, with the next pair of tokens', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    const next = (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens;
    people.clock.advance(30_000);
    expect(await errorOf(await people.refresh(id, tokens.refresh_token))).toBe('400 invalid_grant');
    expect(await isGood(next.access_token)).toBe(false);
    expect(await errorOf(await people.refresh(id, next.refresh_token))).toBe('400 invalid_grant');
  });

  it('forgets a used refresh token after 7 days: it is refused and ends nothing', async () => {
    const { database: db, clock } = people;
    const times = {
      executionsMs: 1,
      summariesMs: 400 * 86_400_000,
      interceptorLogsMs: 1,
      webhookDeliveriesMs: 1,
    };
    const retention = new Retention(db, new RateLimiter(db, clock), clock, times);
    const first = await people.tokens('usr_ann', clientId);
    const next = (await (await people.refresh(clientId, first.refresh_token)).json()) as Tokens;
    clock.advance(7 * 24 * 3_600_000 + 1);
    await retention.run();
    expect(await errorOf(await people.refresh(clientId, first.refresh_token))).toBe('400 invalid_grant');
    expect((await people.refresh(clientId, next.refresh_token)).status).toBe(200);
  });

  it('allows a retry at once where the answer was lost, and keeps the session alive', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    await people.refresh(id, tokens.refresh_token);
    people.clock.advance(29_999);
    const again = (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens;
    const next = (await (await people.refresh(id, again.refresh_token)).json()) as Tokens;
    expect(await isGood(next.access_token)).toBe(true);
  });

  it('ends the session on a retry once what came of the exchange was used', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    const next = (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens;
    const last = (await (await people.refresh(id, next.refresh_token)).json()) as Tokens;
    expect(await errorOf(await people.refresh(id, tokens.refresh_token))).toBe('400 invalid_grant');
    expect(await isGood(last.access_token)).toBe(false);
  });

  it('accepts one of two tokens from one exchange, and ends the session when the other is used', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    const [one, other] = await Promise.all(
      [1, 2].map(async () => (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens),
    );
    const next = (await (await people.refresh(id, one?.refresh_token ?? '')).json()) as Tokens;
    expect(await isGood(next.access_token)).toBe(true);
    expect(await errorOf(await people.refresh(id, other?.refresh_token ?? ''))).toBe('400 invalid_grant');
    expect(await isGood(next.access_token)).toBe(false);
  });

  it('refuses a retry by another client', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    const next = (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens;
    const other = await people.register();
    expect(await errorOf(await people.refresh(other, tokens.refresh_token))).toBe('400 invalid_grant');
    expect(await isGood(next.access_token)).toBe(true);
  });

  it.each([
    ['by another client', { client_id: '{other}' }, '400 invalid_grant'],
    ['for more scopes', { scope: 'tools:execute accounts:read' }, '400 invalid_scope'],
    ['for another resource', { resource: '{base}/api' }, '400 invalid_target'],
    ['when it is none', { refresh_token: 'made-up' }, '400 invalid_grant'],
    ['without one', { refresh_token: '' }, '400 invalid_request'],
  ])('refuses to exchange the token %s, and keeps it good', async (_what, changes, expected) => {
    const id = await people.register();
    const other = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    const sent = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [
        name,
        value.replace('{base}', baseUrl).replace('{other}', other),
      ]),
    );
    expect(await errorOf(await people.refresh(id, tokens.refresh_token, sent))).toBe(expected);
    expect((await people.refresh(id, tokens.refresh_token)).status).toBe(200);
  });

  it('gives fewer scopes when asked, and all of them the next time', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id, { resource: `${baseUrl}/api` });
    const fewer = (await (
      await people.refresh(id, tokens.refresh_token, { scope: 'accounts:read' })
    ).json()) as Tokens;
    expect(fewer.scope).toBe('accounts:read');
    const all = (await (await people.refresh(id, fewer.refresh_token)).json()) as Tokens;
    expect(all.scope).toBe('accounts:read accounts:write tools:execute');
  });

  it('takes the scope admin away when the person is no operator any more', async () => {
    const id = await people.register();
    await people.user('usr_chief', true);
    const asked = { resource: `${baseUrl}/api`, scope: 'admin accounts:read' };
    const tokens = await people.tokens('usr_chief', id, asked);
    expect(tokens.scope).toBe('accounts:read admin');
    await people.database.transaction(async (tx) =>
      tx.updateTable('users').set({ is_operator: 0 }).where('id', '=', 'usr_chief').execute(),
    );
    const next = (await (await people.refresh(id, tokens.refresh_token)).json()) as Tokens;
    expect(next.scope).toBe('accounts:read');
  });
});

describe("refresh token of an application's session", () => {
  it('refreshes for the credential that vouched for the person, and for no other', async () => {
    const { credential } = await people.credentials.create(admin, { name: 'App', scopes: ['admin'] });
    const { credential: other } = await people.credentials.create(admin, {
      name: 'Other',
      scopes: ['admin'],
    });
    const session = await people.sessions.begin({
      environmentId: 'env_dev',
      kind: 'api',
      userId: 'usr_ann',
      organizationId: '',
      clientId: credential.client_id,
      resource: `${baseUrl}/api`,
      visitor: { ip: '', userAgent: '', region: '', city: '' },
      connectionDetails: [],
      actor: credential.id,
    });
    const tokens = await people.personTokens.issueRefreshable(session, ['accounts:read']);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const refused = await people.post('/oauth/token', form, basic(other.client_id, other.client_secret));
    expect(await errorOf(refused)).toBe('400 invalid_grant');
    const answer = await people.post(
      '/oauth/token',
      form,
      basic(credential.client_id, credential.client_secret),
    );
    expect(answer.status).toBe(200);
    expect(decodeJwt(((await answer.json()) as Tokens).access_token)).toMatchObject({
      sub: 'usr_ann',
      client_id: credential.client_id,
      aud: `${baseUrl}/api`,
      scope: 'accounts:read',
    });
  });
});

describe('token revocation by an app', () => {
  const revoke = async (id: string, token: string): Promise<Response> =>
    people.post('/oauth/revoke', { client_id: id, token });

  it('ends the session when the refresh token is revoked', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    expect((await revoke(id, tokens.refresh_token)).status).toBe(200);
    expect(await isGood(tokens.access_token)).toBe(false);
    expect(await errorOf(await people.refresh(id, tokens.refresh_token))).toBe('400 invalid_grant');
  });

  it('revokes an access token alone', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    expect((await revoke(id, tokens.access_token)).status).toBe(200);
    expect(await isGood(tokens.access_token)).toBe(false);
    expect((await people.refresh(id, tokens.refresh_token)).status).toBe(200);
  });

  it('refuses a client that does not have the token', async () => {
    const id = await people.register();
    const tokens = await people.tokens('usr_ann', id);
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect(await errorOf(await revoke(await people.register(), token))).toBe('400 unauthorized_client');
    expect(await isGood(tokens.access_token)).toBe(true);
  });

  it('answers 200 to what is no token, and refuses unknown clients', async () => {
    expect((await revoke(clientId, 'nothing')).status).toBe(200);
    expect(await errorOf(await revoke('ghapp_none', 'nothing'))).toBe('401 invalid_client');
  });
});

describe('token introspection by an app', () => {
  it('answers machines, and apps with a secret about their own tokens', async () => {
    const secret = await people.registered({ token_endpoint_auth_method: 'client_secret_basic' });
    const as = basic(secret.client_id, secret.client_secret ?? '');
    const code = await people.code(people.browser('usr_ann'), secret.client_id);
    const exchanged = await people.post(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://client.example.test/callback',
        code_verifier: VERIFIER,
      },
      as,
    );
    const tokens = (await exchanged.json()) as Tokens;
    const ask = async (token: string, headers: Record<string, string>): Promise<unknown> =>
      (await people.post('/oauth/introspect', { token }, headers)).json();
    const { credential } = await people.credentials.create(admin, { name: 'Server', scopes: ['admin'] });
    const machine = basic(credential.client_id, credential.client_secret);
    for (const asker of [as, machine])
      expect(await ask(tokens.access_token, asker)).toMatchObject({ active: true, sub: 'usr_ann' });
    expect(await ask(tokens.refresh_token, as)).toMatchObject({
      active: true,
      sub: 'usr_ann',
      aud: `${baseUrl}/mcp`,
      scope: 'tools:execute',
    });
    expect(await ask(tokens.refresh_token, machine)).toEqual({ active: false });
    const foreign = await people.tokens('usr_ann', clientId);
    expect(await ask(foreign.access_token, as)).toEqual({ active: false });
    const bare = await people.post('/oauth/introspect', { client_id: clientId, token: foreign.access_token });
    expect(await errorOf(bare)).toBe('401 invalid_client');
  });
});

describe('access token of a person', () => {
  const verify = async (token: string, id = 'env_dev'): Promise<string> => {
    try {
      await people.verifier.verify(id, token, { audiences: [`${baseUrl}/mcp`] });
      return 'good';
    } catch (error) {
      return error instanceof ServiceError ? error.code : 'other';
    }
  };

  it('accepts a token at its resource and environment, until its time', async () => {
    const tokens = await people.tokens('usr_ann', clientId);
    expect(await verify(tokens.access_token)).toBe('good');
    expect(await verify(tokens.access_token, 'env_prod')).toBe('UNAUTHENTICATED');
    const other = await people.tokens('usr_ann', clientId, { resource: `${baseUrl}/api` });
    expect(await verify(other.access_token)).toBe('UNAUTHENTICATED');
    people.clock.advance(3_600_000);
    expect(await verify(tokens.access_token)).toBe('UNAUTHENTICATED');
  });

  it('refuses a token that somebody else made, whatever it says', async () => {
    const { access_token: token } = await people.tokens('usr_ann', clientId);
    const { kid: _kid, ...foreign } = await people.keys.signingJwk('env_prod');
    const { kid } = await people.keys.signingJwk('env_dev');
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
      .sign(foreign);
    expect(await verify(forged)).toBe('UNAUTHENTICATED');
    const [head = '', body = ''] = token.split('.');
    expect(await verify(`${head}.${body}.`)).toBe('UNAUTHENTICATED');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    expect(await verify(`${none}.${body}.`)).toBe('UNAUTHENTICATED');
  });
});

describe('authorization server without a database', () => {
  it('answers 503 with Retry-After to everything, and continues afterwards', async () => {
    const down = await startPeople();
    try {
      await down.user('usr_ann');
      const id = await down.register();
      const tokens = await down.tokens('usr_ann', id);
      const code = await down.code(down.browser('usr_ann'), id);
      const busy = new ServiceError('UNAVAILABLE', 'The database is busy.', { retryAfterSeconds: 5 });
      const writing = vi.spyOn(down.database, 'transaction').mockRejectedValue(busy);
      const answers = [
        await down.exchange(id, code),
        await down.refresh(id, tokens.refresh_token),
        await down.request('/oauth/register', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
        }),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await answer.json()).toEqual({
          error: 'temporarily_unavailable',
          error_description: 'The database is busy.',
        });
      }
      const page = await down.browser('').goTo(down.authorizeUrl(id));
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
      expect(page.text).toContain('try again in a moment');
      writing.mockRestore();
      expect((await down.exchange(id, code)).status).toBe(200);
      expect((await down.refresh(id, tokens.refresh_token)).status).toBe(200);
    } finally {
      await down.close();
    }
  });

  it('gives a client its tokens although its use cannot be noted', async () => {
    const code = await people.code(people.browser('usr_ann'), clientId);
    const busy = new ServiceError('UNAVAILABLE', 'The database is busy.', { retryAfterSeconds: 5 });
    const noting = vi.spyOn(AuthorizationArtifactStore.prototype, 'extend').mockRejectedValue(busy);
    try {
      const exchanged = await people.exchange(clientId, code);
      expect(exchanged.status).toBe(200);
      const { refresh_token: token } = (await exchanged.json()) as Tokens;
      expect((await people.refresh(clientId, token)).status).toBe(200);
      expect(noting).toHaveBeenCalledTimes(2);
    } finally {
      noting.mockRestore();
    }
  });
});

forEachDatabase((_name, open) => {
  it('gives at most one session for a code that many exchange at once, and ends it', async () => {
    const server = await startPeople({}, await withEnvironments(await open(), 'env_dev', 'env_prod'));
    try {
      await server.user('usr_ann');
      const id = await server.register();
      const code = await server.code(server.browser('usr_ann'), id);
      const answers = await Promise.all(Array.from({ length: 6 }, async () => server.exchange(id, code)));
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeLessThanOrEqual(1);
      for (const answer of good)
        expect(await isGood(((await answer.json()) as Tokens).access_token, server)).toBe(false);
      const live = await server.database.read
        .selectFrom('sessions')
        .select('id')
        .where('kind', '=', 'client')
        .where('ended_at', 'is', null)
        .execute();
      expect(live).toEqual([]);
    } finally {
      await server.close();
    }
  });

  it('gives each of many simultaneous refreshes a pair, of which one continues', async () => {
    const server = await startPeople({}, await withEnvironments(await open(), 'env_dev', 'env_prod'));
    try {
      await server.user('usr_ann');
      const id = await server.register();
      const tokens = await server.tokens('usr_ann', id);
      const answers = await Promise.all(
        Array.from({ length: 6 }, async () => server.refresh(id, tokens.refresh_token)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
      const pairs = await Promise.all(answers.map(async (answer) => (await answer.json()) as Tokens));
      const used = await Promise.all(
        pairs.map(async ({ refresh_token: token }) => (await server.refresh(id, token)).status),
      );
      expect(used.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      expect(await isGood(tokens.access_token, server)).toBe(false);
    } finally {
      await server.close();
    }
  });
});

/** The way to a provider and back: what a browser is sent with, and everything that a callback must not do. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';
import {
  BROWSER,
  consentServices,
  ENVIRONMENT,
  json,
  machine,
  tokenReply,
  type ConsentServices,
} from './consent-support.ts';
import { isPageFailure } from '../../../src/core/page-failure.ts';

let services: ConsentServices;
beforeEach(async () => {
  services = await consentServices();
});

/** A browser that has been to the provider; returns the callback's parameters. */
async function consented(by = services): Promise<{ token: string; query: Record<string, string> }> {
  const token = await by.link();
  const target = await by.go(token);
  return { token, query: { code: 'code-1', state: target.searchParams.get('state') ?? '' } };
}

async function problemOf(finishing: Promise<unknown>): Promise<unknown> {
  return finishing.then(
    () => 'none',
    (error: unknown) => (isPageFailure(error, 'callback') ? error.kind : error),
  );
}

const formOf = (body: unknown): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(String(body)));
const flows = async () => services.db.read.selectFrom('oauth_flows').selectAll().execute();

describe('OAuth flow: start from a link', () => {
  it('redirects to the consent page with everything the provider has to know', async () => {
    const target = await services.go(await services.link());
    expect(target.origin + target.pathname).toBe('https://login.ledger.example/authorize');
    expect(Object.fromEntries(target.searchParams)).toEqual({
      prompt: 'consent',
      access_type: 'offline',
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: 'https://gate.example/sso/v1/oauth/conn_1/callback',
      scope: 'entries:read entries:write books:read offline',
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(target.searchParams.getAll('scope')).toHaveLength(1);
    expect(target.search).toContain('scope=entries%3Aread%20entries%3Awrite');
  });

  it('stores state and browser as hashes and the PKCE verifier sealed', async () => {
    const target = await services.go(await services.link());
    const state = target.searchParams.get('state') ?? '';
    const [flow] = await flows();
    const text = JSON.stringify(flow);
    expect(flow).toMatchObject({
      environment_id: ENVIRONMENT,
      connection_id: 'conn_1',
      state_hash: createHash('sha256').update(state).digest('base64url'),
      browser_hash: createHash('sha256').update(BROWSER).digest('base64url'),
      token_url: 'https://login.ledger.example/token',
      issuer: 'https://login.ledger.example',
      redirect_uri: 'https://gate.example/sso/v1/oauth/conn_1/callback',
      expires_at: Date.UTC(2026, 10, 20, 12, 10),
      consumed_at: null,
    });
    expect(text).not.toContain(state);
    expect(text).not.toContain(BROWSER);
    expect(flow?.verifier_sealed).toMatch(/^eyJ/);
  });

  it('uses a new state each time and does not spend the link', async () => {
    const token = await services.link();
    const states = [await services.go(token), await services.go(token)].map((target) =>
      target.searchParams.get('state'),
    );
    expect(new Set(states).size).toBe(2);
    expect((await services.account()).status).toBe('PENDING_AUTH');
  });

  it('sends no PKCE challenge where the provider takes none', async () => {
    services = await consentServices({ rules: { pkce: false } });
    const target = await services.go(await services.link());
    expect(target.searchParams.has('code_challenge')).toBe(false);
    expect((await flows())[0]?.verifier_sealed).toBeNull();
  });

  it.each([
    [{ scopes: '["a","b"]' }, {}, 'a b'],
    [{ scopes: '["a","b"]' }, { scope_separator: ',' as const }, 'a,b'],
    [{ scopes: '["a","b"]' }, { scope_parameter: false }, 'old'],
    [{}, { offline_scope: undefined }, 'entries:read entries:write books:read'],
  ])('asks for the scopes of %j with %j: %s', async (connection, rules, scope) => {
    services = await consentServices({ connection, rules });
    const target = await services.go(await services.link());
    expect(target.searchParams.get('scope')).toBe(scope);
  });

  it('asks for the scopes of the link too, each once', async () => {
    await services.change({ scopes: '["a","b"]' });
    await services.link();
    const { link } = await services.links.createFor(machine, await services.account(), {
      scopes: ['c', 'a'],
    });
    const target = await services.go(link.split('/connect/')[1] ?? '');
    expect(target.searchParams.get('scope')).toBe('a b c');
  });

  it("asks for scopes by the provider's names", async () => {
    services = await consentServices({
      connection: { scopes: '["entries:read","b"]' },
      rules: { scope_names: { 'entries:read': 'https://ledger.example/read' } },
    });
    const target = await services.go(await services.link());
    expect(target.searchParams.get('scope')).toBe('https://ledger.example/read b');
  });

  it('redirects to the addresses in the overrides of the connection', async () => {
    services = await consentServices({
      connection: {
        overrides: JSON.stringify({
          authorization_url: 'http://127.0.0.1:9/consent',
          token_url: 'http://127.0.0.1:9/token',
        }),
      },
    });
    expect((await services.go(await services.link())).href).toMatch(/^http:\/\/127\.0\.0\.1:9\/consent\?/);
    expect((await flows())[0]).toMatchObject({
      token_url: 'http://127.0.0.1:9/token',
      issuer: 'http://127.0.0.1:9',
    });
  });

  it.each([
    ['client id', { client_id: null }, 'client_id'],
    [
      'authorization URL',
      { overrides: '{"token_url":"https://x.example/t"}' },
      'overrides.authorization_url',
    ],
    ['token URL', { overrides: '{"authorization_url":"https://x.example/a"}' }, 'overrides.token_url'],
  ])('says what the operator has to do when the connection has lost its %s', async (_, change, member) => {
    const token = await services.link();
    await services.change(change);
    await expect(services.go(token)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`The connection ledger has no ${member}`),
    });
    expect(await flows()).toEqual([]);
  });

  it.each([
    ['an unknown link', 'unknown', async () => 'A'.repeat(43)],
    [
      'an expired link',
      'expired',
      async () => {
        const token = await services.link();
        services.clock.advance(3_600_000);
        return token;
      },
    ],
    [
      'a used link',
      'used',
      async () => {
        const { token, query } = await consented();
        await services.back(query);
        return token;
      },
    ],
    [
      'a link with a form',
      'unknown',
      async () => {
        await services.change({ authorization_type: 'API_KEY' });
        return services.link();
      },
    ],
  ])('refuses to start with %s', async (_, kind, make) => {
    await expect(services.go(await make())).rejects.toMatchObject({
      name: 'PageFailure',
      subject: 'link',
      kind,
    });
  });

  it('refuses to start in another environment', async () => {
    const token = await services.link();
    await expect(services.consents.start('env_other', token, BROWSER)).rejects.toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('OAuth callback of a link', () => {
  it('exchanges the code once and sends the browser on to the app', async () => {
    const token = await services.link({ connector: 'ledger', user_id: 'u1', state: 'mine' });
    const target = await services.go(token);
    const state = target.searchParams.get('state') ?? '';
    const { redirectTo, connectorTitle } = await services.back({ code: 'code-1', state });
    const url = new URL(redirectTo ?? '');
    expect(connectorTitle).toBe('Ledger');
    expect(url.origin + url.pathname).toBe('https://app.example/verify');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      state: 'mine',
      auth_request_id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(services.sent).toHaveLength(1);
    expect(services.sent[0]?.url.href).toBe('https://login.ledger.example/token');
    const form = formOf(services.sent[0]?.body);
    expect(form).toMatchObject({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: 'https://gate.example/sso/v1/oauth/conn_1/callback',
      client_id: 'client-1',
      client_secret: 'client-secret',
    });
    expect(
      createHash('sha256')
        .update(form.code_verifier ?? '')
        .digest('base64url'),
    ).toBe(target.searchParams.get('code_challenge'));
  });

  it('leaves the credentials waiting: nothing is ACTIVE before verification', async () => {
    const { query } = await consented();
    await services.back(query);
    const row = await services.account();
    expect(row).toMatchObject({ status: 'PENDING_VERIFICATION', credentialsSealed: null });
  });

  it('connects the account with what the provider gave once the app has verified', async () => {
    services.answers.push(tokenReply({ scope: 'entries:read' }));
    const { query } = await consented();
    const { redirectTo } = await services.back(query);
    const authRequestId = new URL(redirectTo ?? '').searchParams.get('auth_request_id') ?? '';
    services.clock.advance(60_000);
    await services.verification.verify(machine, { auth_request_id: authRequestId, identifier: 'u1' });
    const row = await services.account();
    expect(row).toEqual(
      expect.objectContaining({
        status: 'ACTIVE',
        tokenExpiresAt: Date.UTC(2026, 10, 20, 13),
        apiConfig: {},
      }),
    );
    expect(await services.sealed.open(row)).toEqual({
      oauth_token: { access_token: 'at-fresh', refresh_token: 'rt-fresh', scopes: ['entries:read'] },
    });
  });

  it('connects the account at once in mode none', async () => {
    services = await consentServices({
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    const { query } = await consented();
    expect(await services.back(query)).toMatchObject({ redirectTo: null, connectorTitle: 'Ledger' });
    expect((await services.account()).status).toBe('ACTIVE');
  });

  it.each<[string, object, object, object]>([
    [
      'the scopes asked for where the reply names none',
      {},
      {},
      {
        access_token: 'at-fresh',
        refresh_token: 'rt-fresh',
        scopes: ['entries:read', 'entries:write', 'books:read', 'offline'],
      },
    ],
    [
      'the scopes of the app where the request names none either',
      { scope_parameter: false },
      {},
      {
        access_token: 'at-fresh',
        refresh_token: 'rt-fresh',
        scopes: ['entries:read', 'entries:write', 'books:read', 'offline'],
      },
    ],
    [
      'no refresh token where none came',
      { scope_parameter: false },
      { refresh_token: '', expires_in: null, scope: 'entries:read' },
      { access_token: 'at-fresh', scopes: ['entries:read'] },
    ],
  ])('stores from the token reply: %s', async (_, rules, reply, stored) => {
    services = await consentServices({
      rules,
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    services.answers.push(tokenReply(reply as Record<string, unknown>));
    const { query } = await consented();
    await services.back(query);
    const row = await services.account();
    expect(await services.sealed.open(row)).toEqual({ oauth_token: stored });
    expect(row.tokenExpiresAt).toBe('expires_in' in reply ? null : Date.UTC(2026, 10, 20, 13));
  });

  it('accepts an iss that equals the expected one, byte for byte', async () => {
    services = await consentServices({ rules: { issuer: 'https://ledger.example/tenant' } });
    const { query } = await consented();
    await expect(services.back({ ...query, iss: 'https://ledger.example/tenant' })).resolves.toMatchObject({
      connectorTitle: 'Ledger',
    });
  });
});

describe('OAuth callback: refusal before anything is sent', () => {
  type Query = Record<string, string> | URLSearchParams;
  type At = { connectionId?: string; browser?: string | null; environmentId?: string };
  const twice = (query: Record<string, string>, name: string, value: string): URLSearchParams => {
    const parameters = new URLSearchParams(query);
    parameters.append(name, value);
    return parameters;
  };

  it.each<[string, string, (query: Record<string, string>) => Query, At]>([
    ['an unknown state', 'state', (q) => ({ ...q, state: 'A'.repeat(43) }), {}],
    ['no state', 'state', ({ code }) => ({ code: code ?? '' }), {}],
    ['an empty state', 'state', (q) => ({ ...q, state: '' }), {}],
    ['a state with something after it', 'state', (q) => ({ ...q, state: `${q.state}=` }), {}],
    ['a hostile state', 'state', (q) => ({ ...q, state: "' or 1=1 --\u0000" }), {}],
    ['the same state twice', 'state', (q) => twice(q, 'state', q.state ?? ''), {}],
    ['a state of another environment', 'state', (q) => q, { environmentId: 'env_other' }],
    ['the path of another connection', 'connection', (q) => q, { connectionId: 'conn_2' }],
    ['the path of no connection', 'connection', (q) => q, { connectionId: '' }],
    ['another browser', 'browser', (q) => q, { browser: 'C'.repeat(43) }],
    ['a browser without the cookie', 'browser', (q) => q, { browser: null }],
    ['neither code nor error', 'malformed', ({ state }) => ({ state: state ?? '' }), {}],
    ['an empty code', 'malformed', (q) => ({ ...q, code: '' }), {}],
    ['code and error', 'malformed', (q) => ({ ...q, error: 'access_denied' }), {}],
    ['two codes', 'malformed', (q) => twice(q, 'code', 'code-2'), {}],
    ['the same code twice', 'malformed', (q) => twice(q, 'code', 'code-1'), {}],
    ['two issuers', 'malformed', (q) => twice({ ...q, iss: 'https://login.ledger.example' }, 'iss', ''), {}],
    ['a parameter we do not read, twice', 'malformed', (q) => twice({ ...q, x: '1' }, 'x', '2'), {}],
    ['another issuer', 'issuer', (q) => ({ ...q, iss: 'https://evil.example' }), {}],
    ['an issuer with a slash more', 'issuer', (q) => ({ ...q, iss: 'https://login.ledger.example/' }), {}],
    ['an empty issuer', 'issuer', (q) => ({ ...q, iss: '' }), {}],
    [
      'another issuer beside an error',
      'issuer',
      ({ state }) => ({ state: state ?? '', error: 'access_denied', iss: 'x' }),
      {},
    ],
  ])('refuses the callback and keeps the state good: %s', async (_, kind, change, at) => {
    const { token, query } = await consented();
    expect(await problemOf(services.back(change(query), at))).toBe(kind);
    expect(services.sent).toEqual([]);
    expect((await services.account()).status).toBe('PENDING_AUTH');
    // The right browser still gets through with the same state.
    await expect(services.back(query)).resolves.toMatchObject({ connectorTitle: 'Ledger' });
    await expect(services.go(token)).rejects.toMatchObject({ kind: 'used' });
  });

  it('refuses the callback ten minutes after the start, when the state has expired', async () => {
    const { token, query } = await consented();
    services.clock.advance(600_000);
    expect(await problemOf(services.back(query))).toBe('expired');
    expect(services.sent).toEqual([]);
    await expect(services.go(token)).resolves.toBeInstanceOf(URL);
  });

  it('accepts the callback one millisecond before the state expires', async () => {
    const { query } = await consented();
    services.clock.advance(599_999);
    await expect(services.back(query)).resolves.toMatchObject({ connectorTitle: 'Ledger' });
  });

  it.each<[string, string, Record<string, string>, At, number]>([
    ['expired', 'expired', { iss: 'x' }, { connectionId: 'conn_2', browser: null }, 600_000],
    ['connection', 'connection', { iss: 'x' }, { connectionId: 'conn_2', browser: null }, 0],
    ['browser', 'browser', { iss: 'x' }, { browser: null }, 0],
    ['code or error', 'malformed', { iss: 'x' }, {}, 0],
    ['issuer', 'issuer', { iss: 'x', error: 'access_denied' }, {}, 0],
  ])('names the first of several reasons: %s', async (_, kind, query, at, laterMs) => {
    const { query: right } = await consented();
    services.clock.advance(laterMs);
    const given = { ...query, state: right.state ?? '' };
    expect(await problemOf(services.back(given, at))).toBe(kind);
  });

  it('names the app once the flow is known, and never repeats state or code', async () => {
    const { query } = await consented();
    const problem = await services.back(query, { connectionId: 'conn_2' }).catch((error: unknown) => error);
    expect(problem).toMatchObject({ connectorTitle: 'Ledger' });
    expect(JSON.stringify(problem) + String(problem)).not.toMatch(new RegExp(`${query.state}|${query.code}`));
  });
});

describe('OAuth callback: replay and single use of the state', () => {
  it('refuses a replay of the callback, which changes nothing', async () => {
    const { query } = await consented();
    await services.back(query);
    const before = await services.account();
    expect(await problemOf(services.back(query))).toBe('state');
    expect(services.sent).toHaveLength(1);
    expect(await services.account()).toEqual(before);
  });

  it('accepts one of ten callbacks with the same state at the same time', async () => {
    const { query } = await consented();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async () => problemOf(services.back(query))),
    );
    expect(outcomes.filter((outcome) => outcome === 'none')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'state')).toHaveLength(9);
    expect(services.sent).toHaveLength(1);
    expect(await services.db.read.selectFrom('auth_requests').selectAll().execute()).toHaveLength(1);
  });

  it('refuses states swapped between two users, in either browser', async () => {
    const [own, other] = [
      await services.link({ connector: 'ledger', user_id: 'u1' }),
      await services.link({ connector: 'ledger', user_id: 'u2' }),
    ];
    const mine = await services.go(own, 'M'.repeat(43));
    const theirs = await services.go(other, 'T'.repeat(43));
    const swapped = (target: URL) => ({ code: 'c', state: target.searchParams.get('state') ?? '' });
    expect(await problemOf(services.back(swapped(theirs), { browser: 'M'.repeat(43) }))).toBe('browser');
    expect(await problemOf(services.back(swapped(mine), { browser: 'T'.repeat(43) }))).toBe('browser');
    expect(services.sent).toEqual([]);
  });

  it('sends its own PKCE verifier with the code of another flow', async () => {
    const token = await services.link();
    const [first, second] = [await services.go(token), await services.go(token)];
    await services.back({ code: 'code-of-second', state: first.searchParams.get('state') ?? '' });
    const verifier = formOf(services.sent[0]?.body).code_verifier ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(challenge).toBe(first.searchParams.get('code_challenge'));
    expect(challenge).not.toBe(second.searchParams.get('code_challenge'));
  });

  it('ends the flow of a second tab when the first has completed the link, without a token request', async () => {
    const token = await services.link();
    const [first, second] = [await services.go(token), await services.go(token)];
    await services.back({ code: 'c1', state: first.searchParams.get('state') ?? '' });
    await expect(
      services.back({ code: 'c2', state: second.searchParams.get('state') ?? '' }),
    ).rejects.toMatchObject({ name: 'PageFailure', subject: 'link', kind: 'used' });
    expect(services.sent).toHaveLength(1);
  });

  it('gives the tokens back to the provider when another tab won during the token request', async () => {
    const token = await services.link();
    const [first, second] = [await services.go(token), await services.go(token)];
    const answering = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    services.answers.push(async () => {
      asked.resolve();
      await answering.promise;
      return tokenReply({ access_token: 'at-late', refresh_token: 'rt-late' });
    });
    const late = problemOf(services.back({ code: 'c1', state: first.searchParams.get('state') ?? '' }));
    await asked.promise;
    await services.back({ code: 'c2', state: second.searchParams.get('state') ?? '' });
    answering.resolve();
    expect(await late).toMatchObject({ name: 'PageFailure', subject: 'link', kind: 'used' });
    await services.revocation.settled();
    const revoked = services.sent.slice(2).map(({ url, body }) => [url.pathname, formOf(body).token]);
    expect(revoked).toContainEqual(['/revoke', 'rt-late']);
    expect(JSON.stringify(revoked)).not.toContain('rt-fresh');
    const requests = await services.db.read.selectFrom('auth_requests').selectAll().execute();
    expect(requests.map(({ ended_at }) => ended_at)).toEqual([null]);
  });

  it('ends with the link: completes none that expires on the way', async () => {
    const token = await services.link();
    services.clock.advance(3_599_000);
    const target = await services.go(token);
    services.clock.advance(1_000);
    await expect(
      services.back({ code: 'c', state: target.searchParams.get('state') ?? '' }),
    ).rejects.toMatchObject({ name: 'PageFailure', subject: 'link', kind: 'expired' });
    expect(services.sent).toEqual([]);
  });

  it('ends the flow when its account is deleted', async () => {
    const { query } = await consented();
    const { id } = await services.account();
    await services.db.transaction(async (tx) => tx.deleteFrom('accounts').where('id', '=', id).execute());
    expect(await problemOf(services.back(query))).toBe('state');
  });
});

describe('OAuth callback: connection changed on the way', () => {
  it.each([
    ['its client id is gone', { client_id: null }, 'has no client_id'],
    [
      'it has another token endpoint',
      { overrides: '{"authorization_url":"https://x.example/a","token_url":"https://x.example/t"}' },
      'was changed while you were at the provider',
    ],
    [
      'it expects another issuer',
      {
        overrides:
          '{"authorization_url":"https://x.example/a","token_url":"https://login.ledger.example/token"}',
      },
      'was changed while you were at the provider',
    ],
  ])('sends no code for a changed connection: %s', async (_, change, words) => {
    const { token, query } = await consented();
    await services.change(change);
    await expect(services.back(query)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(words),
    });
    expect(services.sent).toEqual([]);
    await services.change({ client_id: 'client-1', overrides: '{}' });
    await expect(services.go(token)).resolves.toBeInstanceOf(URL);
  });

  it('refuses the callback when the connection has another authorization type', async () => {
    const { query } = await consented();
    await services.change({ authorization_type: 'API_KEY' });
    await expect(services.back(query)).rejects.toMatchObject({
      name: 'PageFailure',
      subject: 'link',
      kind: 'unknown',
    });
    expect(services.sent).toEqual([]);
  });
});

describe('OAuth consent that fails', () => {
  it.each([
    ['access_denied', 'denied'],
    ['user_cancelled_login', 'denied'],
    ['server_error', 'provider_error'],
    ['<script>', 'provider_error'],
  ])('reports a consent that the provider ends with %s, and spends the state', async (error, kind) => {
    const { token, query } = await consented();
    const { state = '' } = query;
    await expect(
      services.back({ state, error, error_description: `No\r\nway ${state}` }),
    ).rejects.toMatchObject({
      kind,
      connectorTitle: 'Ledger',
      providerText: `${error}: No way [secret]`,
    });
    expect(services.sent).toEqual([]);
    expect(await problemOf(services.back(query))).toBe('state');
    await expect(services.go(token)).resolves.toBeInstanceOf(URL);
  });

  it.each<[string, () => ConsentServices['answers'][number], string]>([
    ['invalid_grant', () => json(400, { error: 'invalid_grant' }), 'code_refused'],
    ['invalid_scope', () => json(400, { error: 'invalid_scope' }), 'code_refused'],
    ['an error inside a 200', () => json(200, { error: 'bad_verification_code' }), 'code_refused'],
    ['invalid_client', () => json(401, { error: 'invalid_client' }), 'client_refused'],
    ['503', () => json(503, {}), 'unreachable'],
    ['no connection', () => new OutboundFailure('connect', false), 'unreachable'],
    ['a timeout', () => new OutboundFailure('timeout', true), 'unreachable'],
    ['a reset', () => new OutboundFailure('reset', true), 'unreachable'],
    ['too much', () => new OutboundFailure('too_large', true), 'bad_answer'],
    ['HTML', () => ({ status: 200, headers: {}, body: Buffer.from('<p>') }), 'bad_answer'],
    ['a redirect', () => ({ status: 302, headers: {}, body: Buffer.from('') }), 'bad_answer'],
    ['no token', () => json(200, {}), 'bad_answer'],
  ])(
    'leaves the link usable and the state spent when the token endpoint answers %s',
    async (_, answer, kind) => {
      const { token, query } = await consented();
      services.answers.push(answer());
      expect(await problemOf(services.back(query))).toBe(kind);
      expect((await services.account()).status).toBe('PENDING_AUTH');
      expect(await problemOf(services.back(query))).toBe('state');
      expect(services.sent).toHaveLength(1);
      const again = await services.go(token);
      await services.back({ code: 'code-2', state: again.searchParams.get('state') ?? '' });
      expect((await services.account()).status).toBe('PENDING_VERIFICATION');
      await expect(services.go(token)).rejects.toMatchObject({ kind: 'used' });
    },
  );

  it('shows what the provider says without code, PKCE verifier and secret', async () => {
    const { query } = await consented();
    services.answers.push(async () => {
      const form = formOf(services.sent[0]?.body);
      const said = `${form.code} ${form.code_verifier} ${form.client_secret}`;
      return json(400, { error: 'invalid_grant', error_description: said });
    });
    const problem = await services.back(query).catch((error: unknown) => error);
    expect(problem).toMatchObject({ providerText: 'invalid_grant: [secret] [secret] [secret]' });
  });

  it('keeps a working account on its old credentials', async () => {
    services = await consentServices({
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    const first = await consented();
    await services.back(first.query);
    const before = await services.account();
    const second = await consented();
    services.answers.push(json(400, { error: 'invalid_grant' }));
    expect(await problemOf(services.back(second.query))).toBe('code_refused');
    expect(await services.account()).toEqual(before);
  });
});

describe('OAuth callback: process that dies on the way', () => {
  it('leaves an account that is not ACTIVE and a link that works after the claim', async () => {
    const { token, query } = await consented();
    const never = Promise.withResolvers<never>();
    const asked = Promise.withResolvers<void>();
    services.answers.push(async () => {
      asked.resolve();
      return never.promise;
    });
    void services.back(query).catch(() => undefined);
    await asked.promise;
    expect((await services.account()).status).toBe('PENDING_AUTH');
    expect((await flows())[0]?.consumed_at).toBe(Date.UTC(2026, 10, 20, 12));
    expect(await problemOf(services.back(query))).toBe('state');
    const again = await services.go(token);
    await services.back({ code: 'c2', state: again.searchParams.get('state') ?? '' });
    expect((await services.account()).status).toBe('PENDING_VERIFICATION');
  });
});

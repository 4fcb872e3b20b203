import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { authorize, connect, consent, crmClient, REDIRECT_URI, token } from './crm-client.ts';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

let clock: FixedClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock, crm: { refreshTokens: true, accessTokenSeconds: 600 } });
});

afterEach(async () => {
  await sandbox.close();
});

const codeOf = (url: URL): string => url.searchParams.get('code') ?? '';
const exchange = (code: string, more: Record<string, string> = {}) =>
  token(sandbox, { grant_type: 'authorization_code', code, ...more });
const refresh = (refresh_token = '') => token(sandbox, { grant_type: 'refresh_token', refresh_token });
const statusWith = async (accessToken: string) =>
  (await crmClient(sandbox, accessToken)('GET', '/v2/objects')).status;

describe('OAuth stand-in: consent page', () => {
  it('names the app, the workspace and the scopes, and forbids frames and caches', async () => {
    sandbox.crm.allowRedirect(REDIRECT_URI);
    const response = await authorize(sandbox);
    const html = await response.text();
    expect(html).toContain('<h1>Gatehouse demo wants to use your CRM</h1>');
    expect(html).toContain('Northlight Supply');
    expect(html).toContain('See, write, change and delete notes');
    expect(html).toContain('<bdi>127.0.0.1:9</bdi>');
    expect(html).not.toContain('wim@northlight.example');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'none'");
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['an unknown app', { client_id: 'other' }],
    ['no app', { client_id: '' }],
    ['an address that is not registered', { redirect_uri: `${REDIRECT_URI}/more` }],
    ['no address', { redirect_uri: '' }],
  ])('never redirects the browser for %s', async (_, parameters) => {
    sandbox.crm.allowRedirect(REDIRECT_URI);
    const response = await authorize(sandbox, parameters);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('Nothing was allowed.');
  });

  it('refuses a duplicate parameter', async () => {
    const query = `client_id=gatehouse-demo&client_id=gatehouse-demo&redirect_uri=${REDIRECT_URI}`;
    expect((await fetch(`${sandbox.url}/authorize?${query}`)).status).toBe(400);
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request'],
  ])('redirects %j with the error %s', async (parameters, error) => {
    sandbox.crm.allowRedirect(REDIRECT_URI);
    const response = await authorize(sandbox, parameters);
    expect(response.headers.get('location')).toBe(`${REDIRECT_URI}?error=${error}&state=st`);
  });

  it('redirects a denial as access_denied, with the state', async () => {
    const back = await consent(sandbox, { answer: 'deny' });
    expect(back.href).toBe(`${REDIRECT_URI}?error=access_denied&state=st`);
  });

  it('accepts its answer only once', async () => {
    sandbox.crm.allowRedirect(REDIRECT_URI);
    const html = await (await authorize(sandbox)).text();
    const form = {
      number: /name="number" value="([\w-]+)"/.exec(html)?.[1] ?? '',
      member: sandbox.crm.members[0]!.id,
      answer: 'allow',
    };
    const answer = () =>
      fetch(`${sandbox.url}/authorize`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(form),
      });
    expect((await answer()).status).toBe(303);
    expect((await answer()).status).toBe(400);
  });

  it('escapes markup in a redirect URI', async () => {
    const uri = 'http://127.0.0.1:9/<script>alert(1)</script>';
    sandbox.crm.allowRedirect(uri);
    const html = await (await authorize(sandbox, { redirect_uri: uri, state: '"><script>' })).text();
    expect(html).not.toContain('<script>');
  });
});

describe('OAuth stand-in: authorization codes', () => {
  it('become a token that works', async () => {
    const answer = await exchange(codeOf(await consent(sandbox)), { redirect_uri: REDIRECT_URI });
    expect(answer).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^crm-access-[\w-]{43}$/),
        token_type: 'Bearer',
        expires_in: 600,
        refresh_token: expect.stringMatching(/^crm-refresh-[\w-]{43}$/),
      },
    });
    expect(await statusWith(answer.body.access_token)).toBe(200);
  });

  it('work once; a replay revokes the tokens of the first use', async () => {
    const code = codeOf(await consent(sandbox));
    const first = await exchange(code);
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await statusWith(first.body.access_token)).toBe(401);
  });

  it('expire after a minute', async () => {
    const code = codeOf(await consent(sandbox));
    clock.advance(60_000);
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('require the redirect URI of their request', async () => {
    const answer = await exchange(codeOf(await consent(sandbox)), {
      redirect_uri: 'http://127.0.0.1:9/other',
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it.each([
    ['the verifier', { code_verifier: VERIFIER }, 200],
    ['another verifier', { code_verifier: `${VERIFIER}x` }, 400],
    ['no verifier', {}, 400],
  ])('require the PKCE verifier of the challenge: exchanged with %s gives %3$i', async (_, more, status) => {
    const parameters = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const answer = await exchange(codeOf(await consent(sandbox, { parameters })), more);
    expect(answer.status).toBe(status);
  });
});

describe('OAuth stand-in: token endpoint', () => {
  const post = (form: string, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form,
    });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });

  it.each([
    [
      'a wrong secret',
      'client_id=gatehouse-demo&client_secret=x&grant_type=refresh_token',
      401,
      'invalid_client',
    ],
    ['no client', 'grant_type=refresh_token&refresh_token=x', 401, 'invalid_client'],
    ['a parameter twice', 'grant_type=a&grant_type=b', 400, 'invalid_request'],
  ])('refuses a token request with %s', async (_, form, status, error) => {
    const response = await post(form);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  it.each([
    ['password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a code without code', { grant_type: 'authorization_code' }, 'invalid_request'],
  ])('refuses the grant type or request %s', async (_, form, error) => {
    expect(await token(sandbox, form)).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  it('accepts the client secret in the header as well, but not in both places', async () => {
    const { clientId, clientSecret } = sandbox.crm.app;
    const form = 'grant_type=refresh_token&refresh_token=x';
    const inHeader = await post(form, basic(clientId, clientSecret));
    expect(await inHeader.json()).toMatchObject({ error: 'invalid_grant' });
    const inBoth = await post(`${form}&client_secret=${clientSecret}`, basic(clientId, clientSecret));
    expect(await inBoth.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('accepts only form bodies', async () => {
    const response = await post('{}', { 'content-type': 'application/json' });
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });
});

describe('OAuth stand-in: tokens', () => {
  it('expire after their lifetime, and are renewed with the refresh token', async () => {
    const first = await connect(sandbox);
    clock.advance(600_000);
    expect(await statusWith(first.access_token)).toBe(401);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(await statusWith(second.body.access_token)).toBe(200);
  });

  it('expire at once on request, and the refresh token stays valid', async () => {
    const first = await connect(sandbox);
    await connect(sandbox);
    expect(sandbox.crm.expireAccessTokens()).toBe(2);
    expect(sandbox.crm.expireAccessTokens()).toBe(0);
    expect(await statusWith(first.access_token)).toBe(401);
    expect((await refresh(first.refresh_token)).status).toBe(200);
  });

  it('rotate strictly: a replay of a refresh token revokes the whole family', async () => {
    const first = await connect(sandbox);
    const second = await refresh(first.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await statusWith(second.body.access_token)).toBe(401);
    expect(await refresh(second.body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('end with their grant, for one person or for all', async () => {
    const [robin, sanna] = [await connect(sandbox, 0), await connect(sandbox, 1)];
    expect(sandbox.crm.revokeGrants(sandbox.crm.members[0]!.id)).toBe(1);
    expect(await statusWith(robin.access_token)).toBe(401);
    expect(await refresh(robin.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await statusWith(sanna.access_token)).toBe(200);
    expect(sandbox.crm.revokeGrants()).toBe(1);
    expect(await statusWith(sanna.access_token)).toBe(401);
  });

  it('end on revocation by the app: an access token alone, a refresh token with its family', async () => {
    const { clientId: client_id, clientSecret: client_secret } = sandbox.crm.app;
    const revoke = (text: string) =>
      fetch(`${sandbox.url}/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ client_id, client_secret, token: text }),
      });
    const first = await connect(sandbox);
    expect((await revoke(first.access_token)).status).toBe(200);
    expect(await statusWith(first.access_token)).toBe(401);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect((await revoke(second.body.refresh_token ?? '')).status).toBe(200);
    expect(await statusWith(second.body.access_token)).toBe(401);
    expect((await revoke('unknown')).status).toBe(200);
  });

  it('never expire and cannot be refreshed where the sandbox behaves as the real CRM', async () => {
    const real = await startSandbox({ clock });
    const answer = await connect(real);
    expect(answer).toEqual({ access_token: expect.any(String), token_type: 'Bearer' });
    clock.advance(365 * 86_400_000);
    expect((await crmClient(real, answer.access_token)('GET', '/v2/objects')).status).toBe(200);
    await real.close();
  });

  it('appear afterwards in a list for sweeps', async () => {
    const { access_token, refresh_token } = await connect(sandbox);
    expect(sandbox.crm.everIssued()).toEqual([
      expect.stringMatching(/^crm-code-/),
      access_token,
      refresh_token,
    ]);
  });
});

describe('OAuth stand-in: token introspection', () => {
  it('returns scopes and person of a token, without an envelope', async () => {
    const { access_token } = await connect(sandbox, 1);
    const call = crmClient(sandbox, access_token);
    const self = await call('GET', '/v2/self');
    expect(self.body).toMatchObject({
      active: true,
      scope: expect.stringContaining('record_permission:read-write object_configuration:read-write'),
      client_id: 'gatehouse-demo',
      exp: Date.UTC(2026, 10, 20, 12, 10) / 1000,
      authorized_by_workspace_member_id: sandbox.crm.members[1]!.id,
      workspace_name: 'Northlight Supply',
    });
    expect((await call('POST', '/oauth/introspect')).body).toEqual(self.body);
  });

  it('answers 200 for an ended token, 400 for an invalid one, 401 without', async () => {
    const { access_token } = await connect(sandbox);
    sandbox.crm.revokeGrants();
    expect(await crmClient(sandbox, access_token)('GET', '/v2/self')).toEqual({
      status: 200,
      body: { active: false },
    });
    expect((await crmClient(sandbox, 'nonsense')('GET', '/v2/self')).status).toBe(400);
    expect((await fetch(`${sandbox.url}/v2/self`)).status).toBe(401);
  });
});

describe('OAuth stand-in: page of connected apps', () => {
  const page = async () => (await fetch(`${sandbox.url}/apps`)).text();
  const act = (number: number, action: string) =>
    fetch(`${sandbox.url}/apps`, {
      method: 'POST',
      body: new URLSearchParams({ provider: 'crm', number: String(number), action }),
    });

  it('shows the grants, and revokes one alone', async () => {
    expect(await page()).toContain('None at the moment.');
    const [robin, sanna] = [await connect(sandbox, 0), await connect(sandbox, 1)];
    expect(await page()).toMatch(/allowed by Sanna Holm on\s+2026-11-20 12:00 UTC[^]*allowed by Robin Vale/);
    const after = await act(1, 'remove');
    expect(await after.text()).not.toContain('Robin Vale');
    expect(await statusWith(robin.access_token)).toBe(401);
    expect(await statusWith(sanna.access_token)).toBe(200);
  });

  it('expires the access tokens of one grant, which can be refreshed', async () => {
    const [robin, sanna] = [await connect(sandbox, 0), await connect(sandbox, 1)];
    await act(2, 'expire');
    expect(await statusWith(robin.access_token)).toBe(200);
    expect(await statusWith(sanna.access_token)).toBe(401);
    expect((await refresh(sanna.refresh_token)).status).toBe(200);
  });
});

describe('OAuth stand-in: public secrets', () => {
  let open: Sandbox;
  beforeEach(async () => {
    open = await startSandbox({ isPublic: true });
  });
  afterEach(() => open.close());

  const authorize = async (redirect_uri: string): Promise<number> => {
    const query = new URLSearchParams({ client_id: 'gatehouse-demo', response_type: 'code', redirect_uri });
    const response = await fetch(`${open.url}/authorize?${query.toString()}`, { redirect: 'manual' });
    return response.status;
  };

  it('has secrets that are the same in every one', () => {
    const { crm, mail } = open.providers;
    expect([open.apiKey, crm.app.clientSecret, mail.app.clientSecret]).toEqual([
      'sandbox-public-key',
      'crm-public-secret',
      'mail-public-secret',
    ]);
  });

  it.each(['http://127.0.0.1:3000/a', 'http://localhost:1/b', 'https://[::1]/c'])(
    'takes the redirect URI %s',
    async (uri) => expect(await authorize(uri)).toBe(200),
  );

  it.each([
    'https://evil.example/a',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1@evil.example/',
    'http://me@localhost/',
    'http://localhost/#a',
    'javascript:alert(1)//127.0.0.1',
    '/a',
    '',
  ])('refuses the redirect URI "%s"', async (uri) => expect(await authorize(uri)).toBe(400));
});

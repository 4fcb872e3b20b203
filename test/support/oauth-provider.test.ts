/** The test provider keeps the rules it is trusted with: without it the tests that lean on it prove nothing. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OAuthProvider } from './oauth-provider/provider.ts';
import { CLIENT_ID, CLIENT_SECRET } from './oauth-provider/settings.ts';

const VERIFIER = 'v'.repeat(43);
const REDIRECT_URI = 'https://gate.example.test/callback';

let provider: OAuthProvider;

beforeAll(async () => {
  provider = await OAuthProvider.start();
});
beforeEach(() => provider.reset());
afterAll(() => provider.close());

async function consent(more: Record<string, string> = {}): Promise<URLSearchParams> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: 'entries:read',
    state: 'state-1',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const response = await fetch(`${provider.url}/authorize?${query.toString()}`, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

interface TokenAnswer {
  status: number;
  access_token?: string;
  refresh_token?: string;
  error?: string;
}

async function request(form: Record<string, string>): Promise<TokenAnswer> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, ...form });
  const response = await fetch(`${provider.url}/token`, { method: 'POST', body });
  return { ...((await response.json()) as object), status: response.status };
}

const exchange = (code: string | null, more: Record<string, string> = {}) =>
  request({
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...more,
  });

const refresh = (token: string | undefined) =>
  request({ grant_type: 'refresh_token', refresh_token: token ?? '' });

const api = async (token: string | undefined): Promise<number> =>
  (await fetch(`${provider.url}/api/entries`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('OAuth provider of the tests', () => {
  it('issues a code, accepts it once with its PKCE verifier, and serves the token', async () => {
    const query = await consent();
    expect(query.get('state')).toBe('state-1');
    const reply = await exchange(query.get('code'));
    expect(reply).toMatchObject({ status: 200, token_type: 'Bearer', scope: 'entries:read' });
    expect(await api(reply.access_token)).toBe(200);
    expect(await exchange(query.get('code'))).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await api(reply.access_token)).toBe(401);
    expect(provider.counts()).toMatchObject({ codeReuse: 1, familiesRevoked: 1, apiRefused: 1 });
  });

  it.each([
    { code_verifier: 'w'.repeat(43) },
    { redirect_uri: 'https://evil.example/callback' },
    { client_secret: 'another' },
  ])('refuses a code with %o', async (more: Record<string, string>) => {
    const { status } = await exchange((await consent()).get('code'), more);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it('revokes the family at a replay of a refresh token, with strict rotation', async () => {
    const { accessToken, refreshToken } = provider.issue();
    const renewed = await refresh(refreshToken);
    expect(await api(renewed.access_token)).toBe(200);
    expect(await refresh(refreshToken)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await Promise.all([api(accessToken), api(renewed.access_token)])).toEqual([401, 401]);
    expect(await refresh(renewed.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect(provider.counts()).toMatchObject({ refreshReuse: 1, familiesRevoked: 1, maxPresentations: 2 });
  });

  it('accepts a used refresh token with grace, and always without rotation', async () => {
    provider.set({ rotation: 'grace' });
    const graced = provider.issue();
    await refresh(graced.refreshToken);
    expect((await refresh(graced.refreshToken)).status).toBe(200);
    provider.set({ rotation: 'off' });
    const kept = provider.issue();
    await refresh(kept.refreshToken);
    expect(await refresh(kept.refreshToken)).not.toHaveProperty('refresh_token');
    expect(provider.counts()).toMatchObject({ familiesRevoked: 0, refreshes: 4 });
  });

  it('acts before a damaged answer only on request', async () => {
    const first = provider.issue();
    provider.queue({ target: 'token', answer: { status: 500, body: 'no' } });
    await refresh(first.refreshToken).catch(() => {});
    expect((await refresh(first.refreshToken)).status).toBe(200);
    const second = provider.issue();
    provider.queue({ target: 'token', process: 'after', answer: { reset: true } });
    await expect(refresh(second.refreshToken)).rejects.toThrow('fetch failed');
    expect(await refresh(second.refreshToken)).toMatchObject({ error: 'invalid_grant' });
  });

  it('holds the requests that it should hold, and no others', async () => {
    provider.queue({ target: 'token', grant: 'refresh_token', hold: true });
    const { refreshToken } = provider.issue();
    const held = refresh(refreshToken);
    await provider.untilHeld();
    expect((await exchange((await consent()).get('code'))).status).toBe(200);
    provider.release();
    expect((await held).status).toBe(200);
  });
});

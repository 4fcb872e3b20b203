/**
 * Callbacks that somebody has tampered with, and providers that answer wrongly, against a running server
 * (docs/security.md#callback-once): nothing becomes usable, nothing is sent to anybody else, and the link still works.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authRequestIn, type Browser, type Page } from '../support/deployment/browser.ts';
import { Deployment, tally, VERIFY_URL } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import type { ProviderFault } from '../support/oauth-provider/faults.ts';
import { OAuthProvider } from '../support/oauth-provider/provider.ts';
import type { AuthorizeSettings } from '../support/oauth-provider/settings.ts';

let deployment: Deployment;
let provider: OAuthProvider;
/** Somebody else's provider, with a connection of its own: the attacker's, or the canary. */
let other: OAuthProvider;
let server: ServerProcess;

beforeAll(async () => {
  other = await OAuthProvider.start({ name: 'other' });
  deployment = await Deployment.open({
    providers: { other },
    env: { GATEHOUSE_OUTBOUND_TIMEOUT: '2s', GATEHOUSE_OUTBOUND_HEADERS_TIMEOUT: '2s' },
  });
  provider = deployment.provider;
  server = await deployment.serve();
});
beforeEach(() => {
  provider.reset();
  other.reset();
});
afterAll(async () => {
  await deployment?.close();
  await other?.close();
});

let users = 0;
const newUser = (): string => `user-${++users}`;

/** A callback's address with its query changed. */
function changed(callback: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(callback);
  change(url.searchParams);
  return url.href;
}

/** A page of ours that says what happened, and an account that nothing came into. */
async function expectRefused(page: Page, user: string): Promise<void> {
  expect(page.status).toBeGreaterThanOrEqual(400);
  expect(page.status).not.toBe(500);
  expect(page.location).toBe('');
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(await server.statusOf(user)).toBe('PENDING_AUTH');
}

/** The link of a flow that failed connects after all. */
async function expectLinkStillWorks(browser: Browser, link: string, user: string): Promise<void> {
  const page = await browser.connect(link);
  expect(page.status).toBe(302);
  expect((await server.verify(authRequestIn(page), user)).status).toBe(200);
  expect((await server.call(user)).body.data).toMatchObject({ subject: 'ada' });
}

describe('hostile OAuth callback', () => {
  it('connects once; a replay changes nothing and asks the provider nothing', async () => {
    const user = newUser();
    const browser = deployment.browser(server);
    const callback = await browser.consent(await server.magicLink(user, { state: 'app-state' }));
    const page = await browser.get(callback);
    expect(page.status).toBe(302);
    expect(page.location.startsWith(`${VERIFY_URL}?`)).toBe(true);
    expect(new URL(page.location).searchParams.get('state')).toBe('app-state');
    const again = await browser.get(callback);
    expect([again.status, again.location]).toEqual([400, '']);
    expect(provider.counts()).toMatchObject({ exchanges: 1, codeReuse: 0 });
    expect((await server.verify(authRequestIn(page), user)).status).toBe(200);
    expect((await browser.get(callback)).status).toBe(400);
    expect((await server.call(user)).status).toBe(200);
  });

  it('sends one token request when it arrives ten times at once', async () => {
    const user = newUser();
    const browser = deployment.browser(server);
    const callback = await browser.consent(await server.magicLink(user));
    const pages = await Promise.all(Array.from({ length: 10 }, () => browser.get(callback)));
    expect(tally(pages.map(({ status }) => status))).toEqual({ 302: 1, 400: 9 });
    expect(provider.counts()).toMatchObject({ exchanges: 1, codeReuse: 0 });
  });

  it.each([
    { what: 'a state that nobody made', change: (q: URLSearchParams) => q.set('state', 'A'.repeat(43)) },
    { what: 'no state', change: (q: URLSearchParams) => q.delete('state') },
    { what: 'an empty state', change: (q: URLSearchParams) => q.set('state', '') },
    { what: 'its state twice', change: (q: URLSearchParams) => q.append('state', q.get('state') ?? '') },
    { what: 'another state behind its own', change: (q: URLSearchParams) => q.append('state', 'x') },
    { what: 'a second code', change: (q: URLSearchParams) => q.append('code', 'planted-second-code') },
    { what: 'no code', change: (q: URLSearchParams) => q.delete('code') },
    { what: 'an empty code', change: (q: URLSearchParams) => q.set('code', '') },
    { what: 'code and error', change: (q: URLSearchParams) => q.set('error', 'access_denied') },
    {
      what: 'iss twice',
      change: (q: URLSearchParams) => ['iss', 'iss'].forEach((n) => q.append(n, provider.url)),
    },
    { what: 'another iss', change: (q: URLSearchParams) => q.set('iss', 'https://evil.example') },
    {
      what: 'an iss with a slash too many',
      change: (q: URLSearchParams) => q.set('iss', `${provider.url}/`),
    },
    { what: 'an empty iss', change: (q: URLSearchParams) => q.set('iss', '') },
    { what: 'far too long a query', change: (q: URLSearchParams) => q.set('extra', 'x'.repeat(12_000)) },
  ])('refuses a callback with $what before the provider is asked', async ({ change }) => {
    const user = newUser();
    const browser = deployment.browser(server);
    const link = await server.magicLink(user);
    await expectRefused(await browser.get(changed(await browser.consent(link), change)), user);
    expect(provider.counts().exchanges).toBe(0);
    await expectLinkStillWorks(browser, link, user);
  });

  it('connects with the iss of its provider and unknown parameters', async () => {
    const user = newUser();
    provider.set({
      authorize: {
        iss: 'correct',
        extra: [
          ['session_state', 'x'],
          ['redirect_uri', 'https://evil.example'],
        ],
      },
    });
    const page = await deployment.browser(server).connect(await server.magicLink(user));
    expect(page.location.startsWith(`${VERIFY_URL}?`)).toBe(true);
    expect(page.location).not.toContain('evil.example');
  });

  it('refuses a callback without the cookie of its browser, or with that of another (CSRF)', async () => {
    const user = newUser();
    const link = await server.magicLink(user);
    const [owner, stranger] = [deployment.browser(server), deployment.browser(server)];
    const callback = await owner.consent(link);
    await expectRefused(await stranger.get(callback), user);
    await stranger.get(link);
    await expectRefused(await stranger.get(callback), user);
    expect(provider.counts().exchanges).toBe(0);
    expect((await owner.get(callback)).status).toBe(302);
  });

  it('refuses the state of another person for both people', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [adas, eves] = [deployment.browser(server), deployment.browser(server)];
    const adasCallback = await adas.consent(await server.magicLink(ada));
    const evesCallback = await eves.consent(await server.magicLink(eve));
    const state = (callback: string) => new URL(callback).searchParams.get('state') ?? '';
    const swapped = changed(evesCallback, (query) => query.set('state', state(adasCallback)));
    await expectRefused(await eves.get(swapped), eve);
    expect(await server.statusOf(ada)).toBe('PENDING_AUTH');
    expect(provider.counts().exchanges).toBe(0);
  });

  it('fails with the code of another person, because the PKCE verifier does not fit', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [adas, eves] = [deployment.browser(server), deployment.browser(server)];
    const adasLink = await server.magicLink(ada);
    const adasCallback = await adas.consent(adasLink);
    const evesCallback = await eves.consent(await server.magicLink(eve));
    const code = new URL(evesCallback).searchParams.get('code') ?? '';
    await expectRefused(await adas.get(changed(adasCallback, (query) => query.set('code', code))), ada);
    await expectLinkStillWorks(adas, adasLink, ada);
  });

  it('refuses the path of another connection before anybody is asked', async () => {
    const user = newUser();
    const browser = deployment.browser(server);
    const link = await server.magicLink(user);
    const callback = await browser.consent(link);
    expect(callback).toContain('/sso/v1/oauth/conn_ledger/callback?');
    for (const id of ['conn_other', 'conn_none', 'conn_ledger%2F..%2Fconn_other', 'CONN_LEDGER']) {
      await expectRefused(await browser.get(callback.replace('conn_ledger', id)), user);
    }
    expect([provider.counts().exchanges, other.counts().exchanges]).toEqual([0, 0]);
  });

  it('reaches neither token endpoint after a mix-up attack of another provider', async () => {
    const user = newUser();
    const liveBefore = provider.grants.liveAccessTokens();
    const forward = {
      authorizeUrl: `${provider.url}/authorize`,
      clientId: provider.settings.clientId,
      redirectUri: 'https://gate.example.test/sso/v1/oauth/conn_ledger/callback',
    };
    other.set({ authorize: { forward } });
    const browser = deployment.browser(server);
    const link = await server.magicLink(user, { connector: 'other' });
    const { location: toHonest } = await browser.get(await browser.toProvider(link));
    const { location: callback } = await browser.get(toHonest);
    const page = await browser.get(callback);
    expect([page.status, page.location]).toEqual([400, '']);
    expect([provider.counts().exchanges, other.counts().exchanges]).toEqual([0, 0]);
    expect(provider.grants.liveAccessTokens()).toBe(liveBefore);
  });
});

describe('hostile provider in the OAuth callback', () => {
  const ANSWERS: Record<string, Partial<AuthorizeSettings>> = {
    denies: { mode: 'deny' },
    'is in trouble': { mode: 'error' },
    'loses the state': { state: 'drop' },
    'alters the state': { state: 'alter' },
    'sends no code': { code: 'drop' },
    'sends two codes': { code: 'duplicate' },
    'sends a code that is none': { code: 'garbage' },
    'says it is another': { iss: 'https://evil.example' },
  };

  it.each(Object.entries(ANSWERS))(
    'connects nothing and spends nothing when the provider %s',
    async (_what, authorize) => {
      const user = newUser();
      const browser = deployment.browser(server);
      const link = await server.magicLink(user);
      provider.set({ authorize });
      await expectRefused(await browser.connect(link), user);
      provider.reset();
      await expectLinkStillWorks(browser, link, user);
    },
  );

  const html = { 'content-type': 'text/html' };
  const REPLIES: Record<string, ProviderFault['answer']> = {
    'resets the connection': { reset: true },
    'never answers': { hang: true },
    'stops after the headers': { headersOnly: true },
    'answers garbage': { raw: 'SSH-2.0-OpenSSH_9.6\r\n' },
    'answers HTML with 200': { status: 200, headers: html, body: '<h1>Welcome</h1>' },
    'answers HTML with 503': { status: 503, headers: html, body: '<h1>Maintenance</h1>' },
    'answers an error inside a 200': { json: { error: 'invalid_grant', error_description: 'no' } },
    'answers an error beside a token': {
      json: { error: 'x', access_token: 'planted-at', token_type: 'bearer' },
    },
    'answers an empty object': { json: {} },
    'answers a list': { json: [] },
    'answers null': { json: null },
    'answers an empty body': { body: '' },
    'gives an empty token': { json: { access_token: '', token_type: 'bearer' } },
    'gives a token that is a number': { json: { access_token: 7, token_type: 'bearer' } },
    'gives a token with line breaks': { json: { access_token: 'a\r\nX-Evil: 1', token_type: 'bearer' } },
    'wants another scheme': { json: { access_token: 'planted-at', token_type: 'mac' } },
    'sends the code elsewhere': { status: 307, headers: { location: 'http://127.0.0.1:1/steal' }, body: '' },
    'answers far too much': { hugeBytes: 5_000_000 },
    'answers half': { truncate: true, body: '{"access_token":"planted-at","token_type":"bearer"}' },
    'refuses the code': { status: 400, json: { error: 'invalid_grant' } },
    'refuses the client': { status: 401, json: { error: 'invalid_client' } },
    'is too busy': { status: 429, headers: { 'retry-after': '1' }, json: {} },
  };

  it.each(Object.entries(REPLIES))(
    'connects nothing and spends only the code when the token endpoint %s',
    async (_what, reply) => {
      const user = newUser();
      const browser = deployment.browser(server);
      const link = await server.magicLink(user);
      provider.queue({ target: 'token', ...(reply !== undefined && { answer: reply }) });
      await expectRefused(await browser.connect(link), user);
      expect(provider.counts().exchanges).toBe(1);
      await expectLinkStillWorks(browser, link, user);
    },
  );
});

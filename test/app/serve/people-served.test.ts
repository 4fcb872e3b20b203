/** People's pages as `gatehouse serve` has them: real HTTP, and a real OpenID provider on this machine. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operatorIn } from '../../../src/app/commands/admin.ts';
import { buildIdentity, type People } from '../../../src/app/serve/build-identity.ts';
import { startServer, type RunningServer } from '../../../src/app/serve/serve.ts';
import { NO_VISITOR, type Caller } from '../../../src/core/caller.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { DeskBrowser } from '../../pages/people-desk.ts';

/** A provider whose only person is signed in already. */
async function openIdProvider(redirectUri: () => string): Promise<{ issuer: string; server: Server }> {
  const { Provider } = await import('oidc-provider');
  const { generateKeyPair, exportJWK } = await import('jose');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'gatehouse', client_secret: 's'.repeat(40), redirect_uris: [redirectUri()] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['k'.repeat(32)] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: 'ada@acme.example', email_verified: true, given_name: 'Ada' }),
    }),
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({
        ...(client !== undefined && { clientId: client.clientId }),
        ...(session?.accountId !== undefined && { accountId: session.accountId }),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    return void provider.interactionFinished(request, response, { login: { accountId: 'subject-1' } });
  });
  return { issuer, server };
}

describe('served pages for people', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-served-'));
  let server: RunningServer;
  let people: People;
  let operator: Caller;
  let browser: DeskBrowser;

  beforeAll(async () => {
    const config = join(folder, 'gatehouse.yaml');
    const outbound = { allow_private_hosts: ['127.0.0.1'] };
    writeFileSync(config, JSON.stringify({ data_dir: 'data', port: 0, outbound }));
    const settings = loadSettings({ flags: { config }, env: {}, cwd: folder, homeDir: folder });
    server = await startServer({ settings, log: silentLog });
    people = await buildIdentity(server.services).people();
    operator = operatorIn(server.services.environments.byName('development').id);
    browser = new DeskBrowser(server.baseUrl, async (url, init) =>
      fetch(url, { ...init, redirect: 'manual' }),
    );
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('sign people in at a real OpenID provider, through the outbound rules', async () => {
    const { organization } = await people.organizations.create(
      operator,
      { name: 'Acme', user: { email: 'root@example.test' } },
      NO_VISITOR,
    );
    const callback = `${server.baseUrl}/sso/v1/oidc/${organization.id}/callback`;
    // The provider's library says that it keeps everything in memory, which is meant here.
    const spoken = (['warn', 'info'] as const).map((how) => vi.spyOn(console, how).mockReturnValue());
    const openId = await openIdProvider(() => callback);
    const { redirect_uri } = await people.organizationProviders.put(operator, organization.id, {
      issuer: openId.issuer,
      client_id: 'gatehouse',
      client_secret: 's'.repeat(40),
      domains: ['acme.example'],
    });
    expect(redirect_uri).toBe(callback);

    await browser.get('/sign-in');
    const page = await browser.submit({ email: 'ada@acme.example' });
    const href = (/class="button" href="([^"]*)"/.exec(page.html)?.[1] ?? '').replaceAll('&amp;', '&');
    const away = await browser.get(href, { 'sec-fetch-site': 'same-origin' });
    const abroad = new DeskBrowser(openId.issuer, async (url, init) =>
      fetch(url, { ...init, redirect: 'manual' }),
    );
    let { location } = away;
    for (let hop = 0; hop < 5 && location.startsWith(openId.issuer); hop++)
      location = new URL((await abroad.get(location)).location, openId.issuer).href;
    expect(location.startsWith(`${callback}?code=`)).toBe(true);
    expect(await browser.get(location)).toMatchObject({ status: 303, location: '/dashboard' });
    const sessions = await browser.get('/sessions');
    expect(sessions.html).toContain('ada@<wbr />acme.<wbr />example');
    expect(sessions.html).toContain('Acme');
    expect(await browser.get('/dashboard')).toMatchObject({ status: 303, location: '/accounts' });
    for (const spy of spoken) spy.mockRestore();
    openId.server.closeAllConnections();
    openId.server.close();
  });

  it.each([
    [true, 1],
    [false, 0],
  ])(
    'fetch no client metadata document from an allowed private host, unless everything is on loopback (%s)',
    async (isLocalOnly, reached) => {
      let connections = 0;
      const host = createTcpServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(host, 'listening');
      const { services } = server;
      const environment = { ...services.environments.byName('development'), isLocalOnly };
      const { authorizationServer } = buildIdentity(services);
      const front = createServer(
        (request, response) => void authorizationServer.handle(environment, request, response, NO_VISITOR),
      ).listen(0, '127.0.0.1');
      await once(front, 'listening');
      const client = `https://127.0.0.1:${(host.address() as AddressInfo).port}/client.json`;
      const answer = await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: client }),
      });
      expect(await answer.json()).toMatchObject({ error: 'invalid_client' });
      expect(connections).toBe(reached);
      front.closeAllConnections();
      front.close();
      host.close();
    },
  );

  it('appear in metrics without tokens, ids and queries', async () => {
    const token = 'secret-of-the-link-1';
    for (const path of [
      `/invitations/${token}`,
      `/connect/confirm?auth_request_id=${token}`,
      `/sso/v1/oidc/${token}/callback?code=${token}&state=${token}`,
      `/sign-in?next=${token}`,
      `/dashboard/upstreams/server/${token}/approve`,
    ])
      await browser.get(path);
    await browser.post(`/invitations/${token}/code`, { csrf: 'x', code: '1' });
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    for (const label of [
      '/invitations/:token',
      '/invitations/:token/code',
      '/connect/confirm',
      '/sso/v1/oidc/:id/callback',
      '/sign-in',
      '/dashboard/upstreams/server/:name/approve',
    ])
      expect(metrics).toContain(`route="${label}"`);
    expect(metrics).not.toContain(token);
  });

  it('refuse a cross-site POST without a CSRF proof', async () => {
    const answer = await fetch(`${server.baseUrl}/sign-in`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a@example.test',
    });
    expect(answer.status).toBe(403);
  });

  it('lead from the dashboard to the sign-in page with and without an unknown session', async () => {
    const other = new DeskBrowser(server.baseUrl, (url, init) => fetch(url, { ...init, redirect: 'manual' }));
    const signIn = { status: 303, location: '/sign-in', html: '' };
    expect(await other.get('/dashboard')).toMatchObject(signIn);
    other.cookies.set('gatehouse_session', 'x'.repeat(43));
    expect(await other.get('/dashboard')).toMatchObject(signIn);
  });

  describe('unknown address', () => {
    const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
    const ask = async (path: string, accept: string, method = 'GET') => {
      const response = await fetch(server.baseUrl + path, { method, headers: { accept } });
      return {
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        challenge: response.headers.get('www-authenticate'),
        policy: response.headers.get('content-security-policy') ?? '',
        text: await response.text(),
      };
    };

    it.each([
      '/sign-inn',
      '/nosuch',
      '/connect',
      '/apis',
      '/%FF',
      '/oauth/nosuch',
      '/.well-known/nosuch',
      '/keys/nosuch',
    ])('leads a browser to the front page: %s', async (path) => {
      const page = await ask(path, chromium);
      expect([page.status, page.type]).toEqual([404, 'text/html; charset=UTF-8']);
      expect(page.text).toContain('There is no page here');
      expect(page.text).toContain('<a href="/">front page</a>');
      expect(page.policy).toContain("default-src 'none'");
      expect(page.policy).toContain("form-action 'none'");
    });

    it.each([
      ['/nosuch', '*/*', 'GET'],
      ['/nosuch', 'application/json', 'GET'],
      ['/nosuch', 'application/json, text/html;q=0.9', 'GET'],
      ['/nosuch', chromium, 'POST'],
    ])('answers programs with an error body: %s for %s with %s', async (path, accept, method) => {
      const answer = await ask(path, accept, method);
      expect([answer.status, answer.type]).toEqual([404, expect.stringContaining('application/json')]);
    });

    it.each(['/mcp', '/mcp/sales', '/api/v1/tools', '/api/v1/nosuch', '/proxy/crm/v2/self'])(
      'says in a browser that it is for programs: %s',
      async (path) => {
        const page = await ask(path, chromium);
        expect([page.status, page.type]).toEqual([401, 'text/html; charset=UTF-8']);
        expect(page.text).toContain('This address is for programs');
        expect((await ask(path, '*/*')).type).toContain('application/json');
      },
    );

    it('tells a client of MCP on that page too where to learn how to get a token', async () => {
      const { challenge } = await ask('/mcp', chromium);
      expect(challenge).toMatch(
        /^Bearer resource_metadata="http:\/\/[^"]+\/\.well-known\/oauth-protected-resource\/mcp"$/,
      );
      expect((await ask('/api/v1/tools', chromium)).challenge).toBe('Bearer');
    });

    it('serves a browser the existing resources in their own format', async () => {
      expect((await ask('/openapi.json', chromium)).type).toContain('application/json');
      expect((await ask('/healthz', chromium)).status).toBe(200);
    });
  });
});

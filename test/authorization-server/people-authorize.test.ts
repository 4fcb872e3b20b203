import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NO_VISITOR } from '../../src/core/caller.ts';
import { CALLBACK, startPeople, wayBack, type PeopleServer, type Tokens } from './people-support.ts';
import type { Visited } from './scripted-browser.ts';
import type { StoredForm } from '../../src/store/tables/column-types.ts';
import type { McpServerTable } from '../../src/store/tables/policy-tables.ts';
import { rows } from '../../src/store/engine/rows.ts';

const stdout = vi.spyOn(console, 'info');
const stderr = vi.spyOn(console, 'warn');

let people: PeopleServer;
let baseUrl: string;
let clientId: string;

beforeAll(async () => {
  people = await startPeople();
  ({ baseUrl } = people.environment);
  await people.user('usr_ann');
  await people.user('usr_bob');
  await people.user('usr_op', true);
  clientId = await people.register();
});
afterAll(async () => {
  expect(stdout).not.toHaveBeenCalled();
  expect(stderr).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  await people.close();
});

/** The answer that the client gets at its redirect URI. */
function told({ url, status, text }: Visited): Record<string, string> {
  if (!url.startsWith(`${CALLBACK}?`)) throw new Error(`did not go back: ${status} ${url} ${text}`);
  return Object.fromEntries(new URL(url).searchParams);
}

/** What the audit log says about a client, by action. */
async function linesAbout(target: string) {
  return people.database.read
    .selectFrom('audit')
    .select(['action', 'actor', 'ip'])
    .where('environment_id', '=', people.environment.id)
    .where('target', '=', target)
    .orderBy('action')
    .execute();
}

/** Read-only where its name says so. */
function virtualServer(name: string): StoredForm<McpServerTable> {
  return {
    id: `mcps_${name}`,
    environment_id: people.environment.id,
    name,
    organization_id: '',
    connections: '["mail"]',
    toolsets: '[]',
    tools: '[]',
    read_only: name === 'reading' ? 1 : 0,
    created_at: 1,
    updated_at: 1,
  };
}

describe('OAuth authorization of an app by a person', () => {
  it('signs the person in, asks for consent, and gives the app tokens of the session for exactly one resource', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    expect(page.status).toBe(200);
    expect(page.url).toMatch(/\/oauth\/interaction\/[\w-]+$/);
    const shown = [
      'Test client',
      'client.example.test',
      'ann@example.test',
      `${baseUrl}/mcp`,
      'tools:execute',
    ];
    for (const text of shown) expect(page.text.replaceAll('<wbr />', '')).toContain(text);
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://client.example.test",
    );
    const back = told(await browser.submit(page, { answer: 'allow' }));
    expect(back).toEqual({ code: expect.any(String), state: 'xyz', iss: baseUrl });
    const answer = await people.exchange(clientId, back['code'] ?? '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const tokens = (await answer.json()) as Tokens;
    expect(tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'tools:execute',
    });
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(decodeJwt(tokens.access_token)).toEqual({
      iss: baseUrl,
      sub: 'usr_ann',
      client_id: clientId,
      aud: `${baseUrl}/mcp`,
      iat: 1795176000,
      nbf: 1795176000,
      exp: 1795179600,
      jti: expect.any(String),
      scope: 'tools:execute',
      scopes: ['tools:execute'],
      gid: expect.stringMatching(/^ses_/),
    });
  });

  it('leaves no OAuth cookie behind after the page was answered', async () => {
    const browser = people.browser('usr_ann');
    await people.code(browser, clientId);
    expect(browser.cookieNames().filter((name) => name.startsWith('gatehouse_oauth'))).toEqual([]);
  });

  it('tells the app that the person has refused', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    expect(told(await browser.submit(page, { answer: 'deny' }))).toEqual({
      error: 'access_denied',
      error_description: 'The person did not allow it.',
      state: 'xyz',
      iss: baseUrl,
    });
  });

  it('writes each answer into the audit log, with the person and the app', async () => {
    const id = await people.register();
    const browser = people.browser('usr_ann');
    for (const answer of ['deny', 'allow'])
      await browser.submit(await browser.goTo(people.authorizeUrl(id)), { answer });
    expect(await linesAbout(id)).toEqual([
      { action: 'client.register', actor: '', ip: expect.stringMatching(/^198\.51\.100\./) },
      { action: 'consent.allow', actor: 'usr_ann', ip: '192.0.2.7' },
      { action: 'consent.deny', actor: 'usr_ann', ip: '192.0.2.7' },
    ]);
  });

  it('shows that a read-only virtual server is for reading, and says so of no other', async () => {
    await people.database.transaction(async (tx) => {
      for (const name of ['reading', 'writing']) {
        await rows(tx, 'mcp_servers').insert(virtualServer(name));
      }
    });
    const page = async (name: string): Promise<string> =>
      (
        await people
          .browser('usr_ann')
          .goTo(people.authorizeUrl(clientId, { resource: `${baseUrl}/mcp${name}` }))
      ).text;
    expect(await page('/reading')).toContain('Read things in the apps you connected');
    expect(await page('/reading')).toContain('and change nothing there');
    expect(await page('/reading')).not.toContain('Read and change things');
    expect(await page('/reading')).toContain('MCP server <bdi>reading</bdi>, 12 tools');
    for (const name of ['', '/writing', '/absent']) {
      expect(await page(name)).toContain('Read and change things in the apps you connected');
      expect(await page(name)).not.toContain('change nothing');
      expect((await page(name)).includes('MCP server <bdi>')).toBe(name === '/writing');
    }
  });

  it('asks once in a session for the same app, address and resource', async () => {
    const browser = people.browser('usr_ann');
    await people.code(browser, clientId);
    expect(told(await browser.goTo(people.authorizeUrl(clientId)))['code']).toEqual(expect.any(String));
    expect((await browser.goTo(people.authorizeUrl(clientId, { prompt: 'consent' }))).status).toBe(200);
    expect((await browser.goTo(people.authorizeUrl(clientId, { scope: 'accounts:read' }))).status).toBe(200);
    expect((await browser.goTo(people.authorizeUrl(clientId, { resource: `${baseUrl}/api` }))).status).toBe(
      200,
    );
    const other = await people.register();
    expect((await browser.goTo(people.authorizeUrl(other))).status).toBe(200);
    expect((await people.browser('usr_ann').goTo(people.authorizeUrl(clientId))).status).toBe(200);
  });

  it('asks again, in every session, when the person has taken the consent back', async () => {
    const app = await people.register();
    const [ann, annElsewhere, bob] = ['usr_ann', 'usr_ann', 'usr_bob'].map((id) => people.browser(id));
    const ask = async (browser = ann) => browser!.goTo(people.authorizeUrl(app));
    for (const browser of [ann, annElsewhere, bob]) await people.code(browser!, app);
    await people.server.consents.forget(people.environment.id, 'usr_ann', app);
    expect([(await ask(ann)).status, (await ask(annElsewhere)).status]).toEqual([200, 200]);
    expect(told(await ask(bob))['code']).toEqual(expect.any(String));
  });

  it("always asks for an app on the person's own computer, where any program can pretend to be it", async () => {
    const native = await people.register({ redirect_uris: ['http://127.0.0.1/done'] });
    const browser = people.browser('usr_ann');
    const ask = { redirect_uri: 'http://127.0.0.1:49152/done' };
    await people.code(browser, native, ask);
    const again = await browser.goTo(people.authorizeUrl(native, ask));
    expect(again.status).toBe(200);
    expect(again.text).toContain('a program on this computer');
  });
});

describe('OAuth authorization request: resource and scopes', () => {
  it.each([
    ['{base}/api', undefined, 'accounts:read accounts:write tools:execute'],
    ['{base}/api', 'accounts:read', 'accounts:read'],
    ['{base}/mcp/sales', undefined, 'tools:execute'],
    ['{base}/mcp', 'tools:execute accounts:read openid unknown', 'accounts:read tools:execute'],
  ])('grants for resource %s with scope %s the scopes %s', async (resource, scope, granted) => {
    const asked = { resource: resource.replace('{base}', baseUrl), scope };
    const tokens = await people.tokens('usr_ann', clientId, asked);
    expect(tokens.scope).toBe(granted);
    expect(decodeJwt(tokens.access_token).aud).toBe(asked.resource);
  });

  it.each(['query', ''])('accepts response_mode=%s, and refuses any other with it', async (mode) => {
    const url = people.authorizeUrl(clientId, { response_mode: mode });
    expect((await people.browser('usr_ann').goTo(url)).url).toMatch(/\/oauth\/interaction\/[\w-]+$/);
    const refused = wayBack(await people.browser('usr_ann').goTo(`${url}&response_mode=form_post`));
    expect(refused.search).toContain('error=invalid_request');
    expect(refused.hash).toBe('');
  });

  it('refuses two resources in one authorization request', async () => {
    const url = `${people.authorizeUrl(clientId, { resource: `${baseUrl}/mcp` })}&resource=${baseUrl}/api`;
    const refused = wayBack(await people.browser('usr_ann').goTo(url));
    expect(refused.searchParams.get('error')).toBe('invalid_target');
  });

  it('accepts the authorization request by POST as well', async () => {
    const url = new URL(people.authorizeUrl(clientId));
    const page = await people.browser('usr_ann').goTo('/oauth/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: url.searchParams.toString(),
    });
    expect(page.url).toMatch(/\/oauth\/interaction\/[\w-]+$/);
  });

  it('lets no app administer everything unless the person ticks that', async () => {
    const browser = people.browser('usr_op');
    const asked = { resource: `${baseUrl}/api`, scope: 'admin accounts:read' };
    const page = await browser.goTo(people.authorizeUrl(clientId, asked));
    expect(page.text.indexOf('Administer this whole Gatehouse')).toBeLessThan(
      page.text.indexOf('See which accounts you have connected'),
    );
    const again = await browser.submit(page, { answer: 'allow' });
    expect(again.text).toContain('<input type="checkbox" name="administer" value="yes" required />');
    const end = await browser.submit(again, { answer: 'allow', administer: 'yes' });
    expect(new URL(end.url).searchParams.has('code')).toBe(true);
  });

  it('asks for a new sign-in before an app may administer everything, ten minutes after the last one', async () => {
    const browser = people.browser('usr_op');
    const asked = { resource: `${baseUrl}/api`, scope: 'admin accounts:read' };
    const page = await browser.goTo(people.authorizeUrl(clientId, asked));
    people.clock.advance(10 * 60_000 + 1);
    const signedInAgain = await browser.submit(page, { answer: 'allow', administer: 'yes' });
    expect(new URL(signedInAgain.url).searchParams.has('code')).toBe(false);
    const end = await browser.submit(signedInAgain, { answer: 'allow', administer: 'yes' });
    expect(new URL(end.url).searchParams.has('code')).toBe(true);
  });

  it('lists the apps that the person has connected', async () => {
    const page = await people.browser('usr_ann').goTo(people.authorizeUrl(clientId));
    expect(page.text).toContain('The apps that you have connected:');
    expect(page.text).toContain(
      '<li><i aria-hidden="true">A</i><bdi>Attio</bdi></li><li><i aria-hidden="true">E</i><bdi>Exa &lt;b&gt;</bdi></li>',
    );
  });

  it('grants the scope admin to operators and the API only', async () => {
    const asked = { resource: `${baseUrl}/api`, scope: 'admin accounts:read' };
    expect((await people.tokens('usr_op', clientId, asked)).scope).toBe('accounts:read admin');
    expect((await people.tokens('usr_ann', clientId, asked)).scope).toBe('accounts:read');
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId, { ...asked, scope: 'admin' }));
    expect(page.text).toContain('You cannot allow this');
    expect(told(await browser.submit(page, { answer: 'allow' }))['error']).toBe('access_denied');
  });
});

it('sets cookies for https only, out of the reach of scripts, and for their own page', async () => {
  const { server, environments } = people;
  const production = createServer((req, res) => {
    void server.handle(environments.get('env_prod'), req, res, NO_VISITOR);
  });
  await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(production.address() as AddressInfo).port}`;
  try {
    const registered = await fetch(`${origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
    });
    const { client_id: id } = (await registered.json()) as { client_id: string };
    const { search } = new URL(people.authorizeUrl(id));
    const answer = await fetch(`${origin}/oauth/authorize${search}`, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    const uid = answer.headers.get('location')?.replace('/oauth/interaction/', '') ?? '';
    const cookies = answer.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      'gatehouse_consent',
      'gatehouse_consent.sig',
      'gatehouse_consent_resume',
      'gatehouse_consent_resume.sig',
    ]);
    for (const cookie of cookies)
      expect(cookie).toMatch(
        new RegExp(
          `; path=/oauth/(interaction|authorize)/${uid}; expires=[^;]+; samesite=lax; secure; httponly$`,
        ),
      );
    const elsewhere = await fetch(`${people.environment.baseUrl}/oauth/authorize${search}`);
    expect(elsewhere.status).toBe(400);
  } finally {
    production.closeAllConnections();
    await new Promise((resolve) => production.close(resolve));
  }
});

describe('OAuth authorization request without a trusted redirect URI', () => {
  it.each([
    ['an unknown client', { client_id: 'ghapp_00000000000000000000000000000000' }],
    ['a machine', { client_id: 'gh_00000000000000000000000000000000' }],
    ['no client', { client_id: undefined }],
    ['another address', { redirect_uri: 'https://evil.test/callback' }],
    ['a longer address', { redirect_uri: `${CALLBACK}/../evil` }],
    ['an address with a query added', { redirect_uri: `${CALLBACK}?next=https://evil.test` }],
    ['another port', { redirect_uri: 'https://client.example.test:8443/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ])('shows a page in our own words instead of a redirect: %s', async (_what, changes) => {
    const page = await people.browser('usr_ann').goTo(people.authorizeUrl(clientId, changes));
    expect(page.status).toBe(400);
    expect(page.url).toContain('/oauth/authorize?');
    expect(page.text).toContain('This app cannot be connected');
    expect(page.text).not.toMatch(/evil|alert|stack|node_modules/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('consent page of the authorization server: answer', () => {
  it('refuses the answer from another browser, whoever is signed in there', async () => {
    const attacker = people.browser('usr_bob');
    const waiting = await attacker.goTo(people.authorizeUrl(clientId));
    const victim = people.browser('usr_ann');
    const shown = await victim.goTo(waiting.url);
    expect(shown.status).toBe(404);
    const own = await victim.goTo(people.authorizeUrl(clientId));
    const forged: Visited = { ...own, text: own.text.replaceAll(pathOf(own.url), pathOf(waiting.url)) };
    expect((await victim.submit(forged, { answer: 'allow' })).status).toBe(404);
    const resumed = await attacker.goTo(waiting.url.replace('interaction', 'authorize'));
    expect(resumed.url).not.toContain('code=');
  });

  it('refuses an answer with a made-up cookie', async () => {
    const uid =
      (await people.browser('usr_bob').goTo(people.authorizeUrl(clientId))).url.split('/').at(-1) ?? '';
    const victim = people.browser('usr_ann');
    victim.setCookie('gatehouse_consent', uid, `/oauth/interaction/${uid}`);
    expect((await victim.goTo(`/oauth/interaction/${uid}`)).status).toBe(404);
  });

  it('refuses an answer with the cookie of another request of the same browser', async () => {
    const waiting = await people.browser('usr_bob').goTo(people.authorizeUrl(clientId));
    const victim = people.browser('usr_ann');
    await victim.goTo(people.authorizeUrl(clientId));
    for (const name of ['gatehouse_consent', 'gatehouse_consent.sig'])
      victim.copyCookie(name, pathOf(waiting.url));
    expect((await victim.goTo(waiting.url)).status).toBe(404);
  });

  it('answers 403 without the CSRF token of the form, and to another origin', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    expect((await browser.submit(page, { answer: 'allow', csrf: 'wrong' })).status).toBe(403);
    expect((await browser.submit(page, { answer: 'allow' }, { origin: 'https://evil.test' })).status).toBe(
      403,
    );
    expect((await browser.submit(page, { answer: 'allow' })).url).toContain('code=');
  });

  it('accepts two answers for the same app at the same time, and gives each its code', async () => {
    const id = await people.register();
    const browser = people.browser('usr_ann');
    const pages = [await browser.goTo(people.authorizeUrl(id)), await browser.goTo(people.authorizeUrl(id))];
    const ends = await Promise.all(pages.map(async (page) => browser.submit(page, { answer: 'allow' })));
    expect(ends.map((end) => typeof told(end)['code'])).toEqual(['string', 'string']);
  });

  it('asks again when somebody else has signed in meanwhile', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    browser.setCookie('test_user', 'usr_bob');
    await browser.goTo(`/sign-in?next=${encodeURIComponent('/nowhere')}`);
    const again = await browser.submit(page, { answer: 'allow' });
    expect(again.status).toBe(200);
    expect(again.text).toContain('bob@example.test');
  });

  it('accepts an answer only once', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    await browser.submit(page, { answer: 'allow' });
    expect((await browser.submit(page, { answer: 'allow' })).status).toBe(404);
    expect((await browser.goTo(page.url.replace('interaction', 'authorize'))).url).not.toContain('code=');
  });

  it('asks nothing for a HEAD request to the authorization endpoint', async () => {
    const browser = people.browser('usr_ann');
    const looked = await browser.goTo(people.authorizeUrl(clientId), { method: 'HEAD' });
    expect(looked.status).toBe(200);
    expect(browser.cookieNames()).toEqual(['test_user']);
    expect((await browser.goTo(people.authorizeUrl(clientId), { method: 'PUT' })).status).toBe(405);
  });

  it('expects no answer from a HEAD request or a browser that prefetches', async () => {
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(clientId));
    expect((await browser.goTo(page.url, { method: 'HEAD' })).status).toBe(200);
    expect((await browser.goTo(page.url, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(503);
  });

  it('answers 400 to a request that is over, whatever its address brings along', async () => {
    const browser = people.browser('usr_ann');
    for (const query of ['', '?redirect_uri=x&redirect_uri=x', '?client_id=%ff&request=x&prompt=none']) {
      const page = await browser.goTo(`${baseUrl}/oauth/authorize/unknown${query}`);
      expect([query, page.status]).toEqual([query, 400]);
    }
  });

  it('keeps the question waiting while nobody is signed in', async () => {
    const page = await people.browser('').goTo(people.authorizeUrl(clientId));
    expect(page.status).toBe(401);
    expect(new URL(page.url).pathname).toBe('/sign-in');
    expect(new URL(page.url).searchParams.get('next')).toMatch(/^\/oauth\/interaction\/[\w-]+$/);
  });
});

function pathOf(url: string): string {
  return new URL(url).pathname;
}

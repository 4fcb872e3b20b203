/**
 * Authorization requests that are wrong, of apps that anybody can register: the browser stays here until the person
 * takes the link (RFC 9700 section 4.11.2).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLBACK, startPeople, wayBack, type PeopleServer } from './people-support.ts';
import type { Visited } from './scripted-browser.ts';

const DOCUMENT = 'https://agent.example.test/client.json';

let people: PeopleServer;
let baseUrl: string;
let clientId: string;

beforeAll(async () => {
  const http = {
    send: async () => ({
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ client_id: DOCUMENT, redirect_uris: [CALLBACK] })),
    }),
  };
  people = await startPeople({ http, publicHttp: http });
  ({ baseUrl } = people.environment);
  await people.user('usr_ann');
  clientId = await people.register();
});
afterAll(async () => people.close());

const ask = async (changes: Record<string, string | undefined>, id = clientId): Promise<Visited> =>
  people.browser('usr_ann').goTo(people.authorizeUrl(id, changes));

/** A page as people read it. */
const wordsOf = ({ text }: Visited): string =>
  text
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('OAuth authorization request with an error', () => {
  it.each([
    [{ resource: 'https://elsewhere.test/mcp' }, 'invalid_target'],
    [{ resource: '{base}' }, 'invalid_target'],
    [{ resource: '{base}/mcp/../api' }, 'invalid_target'],
    [{ scope: 'unknown' }, 'invalid_scope'],
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [
      { response_type: 'token', code_challenge: undefined, code_challenge_method: undefined },
      'unsupported_response_type',
    ],
    [
      { other_response_type: 'code', code_challenge: undefined, code_challenge_method: undefined },
      'unsupported_response_type',
    ],
    [
      { other_response_type: '', code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: 'none' }, 'unsupported_response_type'],
    [{ response_type: 'token', response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ response_mode: 'web_message' }, 'invalid_request'],
    [{ response_mode: 'jwt' }, 'invalid_request'],
    [{ response_mode: 'form_post', scope: 'unknown' }, 'invalid_scope'],
    [{ prompt: 'none' }, 'consent_required'],
    [{ prompt: 'unheard-of' }, 'invalid_request'],
    [{ nonce: 'n' }, 'invalid_request'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://client.example.test/request' }, 'request_uri_not_supported'],
  ])('answers %j with a page of ours, whose link tells the app %s', async (changes, error) => {
    const asked = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, value?.replace('{base}', baseUrl)]),
    );
    const page = await ask(asked);
    expect([page.status, new URL(page.url).pathname]).toEqual([400, '/oauth/authorize']);
    expect(wordsOf(page)).toContain('This app cannot be connected');
    expect(page.text).toContain(`<code>${error}</code>`);
    const link = wayBack(page);
    expect(`${link.origin}${link.pathname}`).toBe(CALLBACK);
    expect(link.hash).toBe('');
    const answer = link.searchParams;
    answer.delete('error_description');
    expect(Object.fromEntries(answer)).toEqual({ error, state: 'xyz', iss: baseUrl });
  });

  it('says what is wrong, whose app it is, and that nobody has checked it', async () => {
    const page = await ask({ scope: 'admin', state: undefined });
    expect(wordsOf(page)).toContain(
      'It asked for permissions that do not exist here. Nothing was allowed. ' +
        'The app client.example.test Nobody has checked who is behind it. ' +
        `The error invalid_scope Scopes of ${baseUrl}/mcp are accounts:read accounts:write tools:execute organization:read organization:write. ` +
        'Did you start this? If not, or if you do not know who is behind client.example.test , close this page. ' +
        'Otherwise go back to client.example.test , which is told what is wrong.',
    );
    expect(wayBack(page).href).toBe(
      `${CALLBACK}?error=invalid_scope&error_description=Scopes+of+${encodeURIComponent(baseUrl)}%2Fmcp+are+` +
        `accounts%3Aread+accounts%3Awrite+tools%3Aexecute+organization%3Aread+organization%3Awrite.&iss=${encodeURIComponent(baseUrl)}`,
    );
  });

  it('makes no redirect by itself: no script, no form, no cookie', async () => {
    const answer = await fetch(people.authorizeUrl(clientId, { scope: 'unknown' }), { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toMatch(/<script|<form|http-equiv|<img|<iframe/);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; .*form-action 'none'; frame-ancestors 'none'/,
      ),
    });
    for (const name of ['location', 'refresh', 'set-cookie'])
      expect([name, answer.headers.get(name)]).toEqual([name, null]);
  });

  it('shows the page without a signed-in person, and for a POST', async () => {
    const stranger = people.browser('');
    const url = new URL(people.authorizeUrl(clientId, { scope: 'unknown' }));
    const posted = await stranger.goTo('/oauth/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: url.searchParams.toString(),
    });
    for (const page of [await stranger.goTo(url.href), posted])
      expect([page.status, wayBack(page).origin]).toEqual([400, 'https://client.example.test']);
  });

  it('shows the page although the person has allowed this app before', async () => {
    const browser = people.browser('usr_ann');
    await people.code(browser, clientId);
    for (const changes of [{ prompt: 'none' }, { scope: 'unknown' }])
      expect((await browser.goTo(people.authorizeUrl(clientId, changes))).status).toBe(400);
  });

  it('shows the page for an app with a client ID metadata document', async () => {
    const page = await ask({ scope: 'unknown' }, DOCUMENT);
    expect([page.status, wayBack(page).searchParams.get('error')]).toEqual([400, 'invalid_scope']);
  });

  it.each([
    ['http://127.0.0.1/done', 'http://127.0.0.1:49152/done', 'a program on this computer'],
    ['com.example.app:/done', 'com.example.app:/done', 'an app on this device (com.example.app)'],
  ])('names an app at %s in words', async (registered, used, name) => {
    const id = await people.register({ redirect_uris: [registered] });
    const page = await ask({ scope: 'unknown', redirect_uri: used }, id);
    expect(wordsOf(page)).toContain(`The app ${name} Nobody has checked`);
    expect(wayBack(page).href).toMatch(new RegExp(`^${used.replaceAll('.', '\\.')}\\?error=invalid_scope&`));
  });

  it('lets the request bring no markup or words of its own to the page', async () => {
    const redirect_uri = `https://client.example.test/'onclick='x"><b>?a="><script>alert(1)</script>`;
    const id = await people.register({ redirect_uris: [redirect_uri], client_name: '<i>Click here</i>' });
    const page = await ask(
      { redirect_uri, scope: 'call-this-number', state: `"><script>alert(2)</script>` },
      id,
    );
    expect(page.text).not.toMatch(/<script|<b>|<i>|'onclick|Click here/);
    const link = wayBack(page);
    expect(link.searchParams.get('state')).toBe(`"><script>alert(2)</script>`);
    expect(link.searchParams.get('a')).toBe(`"><script>alert(1)</script>`);
    expect(wordsOf(page)).not.toContain('call-this-number');
  });

  it.each([
    ['an address that is not registered', { redirect_uri: 'https://evil.test/' }],
    ['an unknown app', { client_id: 'ghapp_00000000000000000000000000000000' }],
  ])('shows no link at all for %s', async (_what, changes) => {
    const page = await ask({ scope: 'unknown', ...changes });
    expect(page.status).toBe(400);
    expect(page.text).not.toMatch(/<a |evil\.test|client\.example/);
  });
});

it('leads a waiting request back to its question while nobody has answered', async () => {
  const browser = people.browser('usr_ann');
  const page = await browser.goTo(people.authorizeUrl(clientId, { prompt: 'consent' }));
  const resumed = await browser.goTo(page.url.replace('interaction', 'authorize'));
  expect([resumed.status, resumed.url]).toEqual([
    200,
    expect.stringMatching(/\/oauth\/interaction\/[\w-]+$/),
  ]);
});

/** BOARD_OAUTH1 end to end: a token from the fragment of the callback, and OAuth 1.0a checked by another implementation. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  promptedLink,
  refusal,
  startExampleServer,
  type ExampleServer,
  type ExampleServerOptions,
} from '../../support/example-server.ts';
import { isSignedBy, oauthParameters } from '../../support/oauth1-check.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

const EXAMPLE = 'board-oauth1/connector.yaml';
const CONSUMER = { key: 'key-1', secret: 'consumer secret & more' };

let provider: StandIn;
let server: ExampleServer;
/** Query of the last authorization request. */
let asked: URLSearchParams;

afterEach(async () => {
  await server.close();
  await provider.close();
});

const start = async (
  connection: Record<string, unknown> = {},
  changes: ExampleServerOptions['changes'] = {},
) => {
  const overrides = {
    base_url: provider.origin,
    authorization_url: `${provider.origin}/1/authorize`,
    ...(connection['overrides'] as object | undefined),
  };
  const common = { connector: 'boards', client_id: CONSUMER.key, client_secret: CONSUMER.secret };
  server = await startExampleServer({ changes, connections: [{ ...common, ...connection, overrides }] });
};
const call = async (query = 'tea & cake') => server.call('boards_search_cards', { query }, 'ada');
const redirect = (location: string): StandInReply => ({ status: 302, json: {}, headers: { location } });
const withoutFragment = (url: string): string => url.split('#')[0] ?? '';

describe('BOARD_OAUTH1 token in the fragment of the callback', () => {
  let refusedWith: string;

  beforeEach(async () => {
    refusedWith = 'invalid token';
    provider = await startStandIn(({ path, query, headers }) => {
      if (path === '/1/authorize') {
        asked = query;
        return redirect(`${query.get('return_url')}#token=token-1`);
      }
      const header = oauthParameters(headers['authorization']);
      const isGood =
        (query.get('key') === 'key-1' && query.get('token') === 'token-1') ||
        (header['oauth_consumer_key'] === 'key-1' && header['oauth_token'] === 'token-1');
      return isGood ? { json: { cards: [] } } : { status: 401, text: refusedWith };
    });
  });

  /** Consents. @returns the address of the callback, without its fragment */
  const consented = async (browser: ReturnType<ExampleServer['browser']>): Promise<string> =>
    withoutFragment(await browser.consent(await promptedLink(call())));
  const status = async () => (await server.details('boards', 'ada')).status;

  it('gets the token by a post of the callback page, and sends it as a query parameter', async () => {
    await start({ params: { app_name: 'Tea agents' } });
    const browser = server.browser();
    const back = await consented(browser);
    expect(Object.fromEntries(asked)).toEqual({
      key: 'key-1',
      name: 'Tea agents',
      scope: 'read,write',
      expiration: 'never',
      response_type: 'token',
      return_url: back,
      callback_method: 'fragment',
    });
    expect(back).toMatch(/\/sso\/v1\/oauth\/conn_[a-z0-9]+\/callback\?state=[\w-]{43}$/);
    const page = await browser.get(back);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form id="answer" method="post">');
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+';/);
    expect(await status()).toBe('PENDING_AUTH');
    expect(await browser.post(back, { token: 'token-1', error: '' })).toMatchObject({
      status: 303,
      location: '/connect/done',
    });
    expect(await call()).toEqual({ cards: [] });
    expect(Object.fromEntries(provider.at('/1/search').at(-1)!.query)).toEqual({
      query: 'tea & cake',
      key: 'key-1',
      token: 'token-1',
    });
    expect((await server.auth('boards', 'ada')).authorization_details).toEqual({
      oauth_token: { access_token: 'token-1', scopes: ['read', 'write'] },
    });
  });

  it('sends the token in a header where the connector says so', async () => {
    await start({}, { [EXAMPLE]: ['attach: query', 'attach: header'] });
    const browser = server.browser();
    await browser.post(await consented(browser), { token: 'token-1' });
    expect(await call()).toEqual({ cards: [] });
    const { query, headers } = provider.at('/1/search').at(-1)!;
    expect(headers['authorization']).toBe('OAuth oauth_consumer_key="key-1", oauth_token="token-1"');
    expect(query.has('token')).toBe(false);
  });

  it('accepts the token over the API', async () => {
    await start();
    expect(await server.create('boards', 'ada', { oauth_token: { access_token: 'token-1' } })).toMatchObject({
      status: 'ACTIVE',
    });
    expect(await call()).toEqual({ cards: [] });
  });

  it('ends the account when the token is refused twice, with a link', async () => {
    await start();
    await server.create('boards', 'ada', { oauth_token: { access_token: 'token-0' } });
    expect((await refusal(call())).code).toBe('TOOL_ERROR');
    expect(await promptedLink(call())).toContain('/connect/');
    expect(await status()).toBe('EXPIRED');
  });

  it('keeps the token when the provider does not take a key of the connection', async () => {
    await start({ client_id: 'key-0' });
    await server.create('boards', 'ada', { oauth_token: { access_token: 'token-1' } });
    refusedWith = 'invalid key';
    for (let n = 0; n < 3; n++)
      expect((await refusal(call())).message).toBe(
        'Boards refused the key of the connection boards (401). The operator has to correct its client_id. The account stays connected.',
      );
    expect(await status()).toBe('ACTIVE');
  });

  it('accepts the token of a callback only once', async () => {
    await start();
    const browser = server.browser();
    const back = await consented(browser);
    await browser.post(back, { token: 'token-1' });
    const again = await browser.post(back, { token: 'token-2' });
    expect(again.status).toBe(400);
    expect(again.text).toContain('<h1>We did not expect this answer</h1>');
    expect((await browser.get(back)).status).toBe(400);
    expect(await call()).toEqual({ cards: [] });
  });

  it.each([
    ['without a state', (back: string) => back.replace(/\?.*$/, ''), 'We did not expect this answer'],
    [
      'with a state of nobody',
      (back: string) => back.replace(/state=.*$/, `state=${'A'.repeat(43)}`),
      'We did not expect this answer',
    ],
    ['with two states', (back: string) => `${back}&state=${'A'.repeat(43)}`, 'We did not expect this answer'],
    [
      'at the path of another connection',
      (back: string) => back.replace(/conn_[a-z0-9]+/, 'conn_other'),
      'This answer came back to the wrong place',
    ],
    ['in the address too', (back: string) => `${back}&token=token-1`, 'We cannot read this answer'],
  ])('connects nothing by a token posted %s', async (_case, change, title) => {
    await start();
    const browser = server.browser();
    const back = await consented(browser);
    const page = await browser.post(change(back), { token: 'token-1' });
    expect(page.text).toContain(`<h1>${title}</h1>`);
    expect(await status()).toBe('PENDING_AUTH');
    expect((await browser.post(back, { token: 'token-1' })).status).toBe(303);
  });

  it.each([
    ['from another site', { origin: 'https://evil.example' }, 403],
    ['as something else than a form', { 'content-type': 'text/plain' }, 400],
  ])('refuses a token posted %s', async (_case, headers, refused) => {
    await start();
    const browser = server.browser();
    const back = await consented(browser);
    const form = { origin: server.baseUrl, 'content-type': 'application/x-www-form-urlencoded' };
    const page = await browser.get(back, {
      method: 'POST',
      headers: { ...form, ...headers },
      body: 'token=token-1',
    });
    expect(page.status).toBe(refused);
    expect(await status()).toBe('PENDING_AUTH');
  });

  it('accepts the token only from the browser that started the flow', async () => {
    await start();
    const back = await consented(server.browser());
    const stranger = server.browser();
    const page = await stranger.get(back);
    expect([page.status, page.text.includes('This did not start in this browser')]).toEqual([403, true]);
    expect((await stranger.post(back, { token: 'token-1' })).status).toBe(403);
    expect(await status()).toBe('PENDING_AUTH');
  });

  it('refuses a token in the address, which logs and histories keep', async () => {
    await start();
    const browser = server.browser();
    const back = await consented(browser);
    const page = await browser.get(`${back}&token=token-1`);
    expect([page.status, page.text.includes('We cannot read this answer')]).toEqual([400, true]);
    expect(await status()).toBe('PENDING_AUTH');
  });

  it('says that nobody has granted access, and lets the link work again', async () => {
    await start();
    const link = await promptedLink(call());
    const browser = server.browser();
    const back = withoutFragment(await browser.consent(link));
    const page = await browser.post(back, { token: '', error: 'access_denied' });
    expect([page.status, page.text.includes('Access was not allowed')]).toEqual([403, true]);
    const second = withoutFragment(await browser.consent(link));
    expect((await browser.post(second, { token: ' token-1\n' })).status).toBe(303);
    expect(await call()).toEqual({ cards: [] });
  });
});

describe('BOARD_OAUTH1 with OAuth 1.0a signatures at the provider', () => {
  const SIGNED: ExampleServerOptions['changes'] = {
    [EXAMPLE]: [
      'flow: token',
      'flow: oauth1\n      request_token_url: https://boards.example/1/OAuthGetRequestToken\n      access_token_url: https://boards.example/1/OAuthGetAccessToken',
    ],
  };
  let requestReply: () => StandInReply;
  let callback: string;
  const nonces = new Set<string>();
  /** What the provider says to a call that it refuses. */
  let refusedWith: { text: string; headers?: Record<string, string> };
  let isRevoked: boolean;
  /** The consumer as the provider has it. */
  let known: typeof CONSUMER;

  beforeEach(async () => {
    [isRevoked, known] = [false, CONSUMER];
    refusedWith = { text: 'invalid signature' };
    requestReply = () => ({
      text: 'oauth_token=request-1&oauth_token_secret=request%2Fsecret&oauth_callback_confirmed=true',
    });
    provider = await startStandIn((request) => {
      const { path, query, headers } = request;
      if (path === '/1/authorize') {
        asked = query;
        const back = new URL(callback);
        back.searchParams.set('oauth_token', query.get('oauth_token') ?? '');
        back.searchParams.set('oauth_verifier', 'verifier-1');
        return redirect(back.href);
      }
      const given = oauthParameters(headers['authorization']);
      const isFresh = !nonces.has(given['oauth_nonce'] ?? '');
      nonces.add(given['oauth_nonce'] ?? '');
      const isNow = Math.abs(Number(given['oauth_timestamp']) - Date.now() / 1_000) < 30;
      const isSigned = (secret?: string) =>
        isFresh && isNow && isSignedBy(request, provider.origin, known, secret);
      if (path === '/1/request') {
        callback = given['oauth_callback'] ?? '';
        return isSigned() ? requestReply() : { status: 401, text: 'invalid signature' };
      }
      if (path === '/1/access') {
        const isGrant = given['oauth_token'] === 'request-1' && given['oauth_verifier'] === 'verifier-1';
        return isGrant && isSigned('request/secret')
          ? { text: 'oauth_token=access-1&oauth_token_secret=access+secret'.replace('+', '%2B') }
          : { status: 401, text: 'invalid verifier' };
      }
      return !isRevoked && given['oauth_token'] === 'access-1' && isSigned('access+secret')
        ? { json: { cards: [1] } }
        : { status: 401, ...refusedWith };
    });
  });
  const startSigned = async (connection: Record<string, unknown> = {}) =>
    start(
      {
        ...connection,
        overrides: {
          request_token_url: `${provider.origin}/1/request`,
          token_url: `${provider.origin}/1/access`,
        },
      },
      SIGNED,
    );

  it('signs every step and every call, each with a fresh nonce', async () => {
    await startSigned();
    const done = await server.browser().connect(await promptedLink(call()));
    expect(done).toMatchObject({ status: 302, location: '/connect/done' });
    expect(Object.fromEntries(asked)).toEqual({
      oauth_token: 'request-1',
      name: 'Gatehouse',
      scope: 'read,write',
      expiration: 'never',
    });
    expect(await call()).toEqual({ cards: [1] });
    expect(await call('Käse (100%)!*~+')).toEqual({ cards: [1] });
    expect(provider.at('/1/search')).toHaveLength(2);
    expect((await server.auth('boards', 'ada')).authorization_details).toEqual({
      oauth_token: { access_token: 'access-1', scopes: ['read', 'write'] },
    });
  });

  it.each([
    ['a query as it is written', 'GET', 'b=2&a=1&a=0&q=%20%2B%C3%A9&flag=', undefined],
    ['a form', 'POST', 'b=2', 'name=tea+%26+cake&a=%C3%A9&a=1&empty='],
  ] as const)('signs a proxied request with %s', async (_, method, query, form) => {
    await startSigned();
    await server.browser().connect(await promptedLink(call()));
    const { status } = await server.proxy('boards', 'ada', {
      method,
      path: '/cards/a%2Fb',
      query,
      headers: form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
      ...(form !== undefined && { body: Buffer.from(form) }),
    });
    expect(status).toBe(200);
    const sent = provider.requests.at(-1)!;
    expect([sent.target, sent.body]).toEqual([`/1/cards/a%2Fb?${query}`, form ?? '']);
    // Whatever was signed differs from what any other request would need.
    const others = [
      { ...sent, query: new URLSearchParams('b=2&a=0') },
      { ...sent, path: '/1/cards/b' },
      ...(form === undefined ? [] : [{ ...sent, form: new URLSearchParams('name=other') }]),
    ];
    for (const other of others)
      expect(isSignedBy(other, provider.origin, CONSUMER, 'access+secret')).toBe(false);
  });

  it('passes on a refused proxied request, and keeps the account', async () => {
    await startSigned();
    await server.browser().connect(await promptedLink(call()));
    known = { ...CONSUMER, secret: 'another since today' };
    const request = { method: 'GET' as const, path: '/search', query: '', headers: {} };
    for (let n = 0; n < 3; n++) {
      const { status, body } = await server.proxy('boards', 'ada', request);
      expect([status, body.toString()]).toEqual([401, 'invalid signature']);
    }
    expect((await server.details('boards', 'ada')).status).toBe('ACTIVE');
  });

  it('does not exchange the request token of another flow', async () => {
    await startSigned();
    const browser = server.browser();
    const back = await browser.consent(await promptedLink(call()));
    const page = await browser.get(back.replace('oauth_token=request-1', 'oauth_token=request-2'));
    expect([page.status, page.text.includes('The last step failed')]).toEqual([502, true]);
    expect(provider.at('/1/access')).toEqual([]);
  });

  it.each([
    ['denied', 'denied=request-1', 403, 'Access was not allowed'],
    ['a refusal in words', 'oauth_problem=user_refused&oauth_token=request-1', 403, 'Access was not allowed'],
    ['another problem', 'oauth_problem=nonce_used&oauth_token=request-1', 502, 'nonce_used'],
  ])(
    'takes %s for a refusal of the provider, and lets the link work again',
    async (_case, said, status, words) => {
      await startSigned();
      const link = await promptedLink(call());
      const browser = server.browser();
      const back = new URL(await browser.consent(link));
      const page = await browser.get(
        `${back.origin}${back.pathname}?state=${back.searchParams.get('state')}&${said}`,
      );
      expect([page.status, page.text.includes(words)]).toEqual([status, true]);
      // The flow has failed, whatever comes with its state afterwards.
      expect((await browser.get(back.href)).status).toBe(502);
      expect(provider.at('/1/access')).toEqual([]);
      expect(await browser.connect(link)).toMatchObject({ status: 302, location: '/connect/done' });
    },
  );

  it('stops at the start where the provider does not confirm the callback', async () => {
    requestReply = () => ({ text: 'oauth_token=request-1&oauth_token_secret=s' });
    await startSigned();
    const link = await promptedLink(call());
    const browser = server.browser();
    await browser.get(link);
    const page = await browser.get(`${link}/go`);
    expect([page.status, page.text.includes('Boards does not let you in')]).toEqual([502, true]);
  });

  it('says that the operator has to act where the consumer is refused', async () => {
    await startSigned({ client_secret: 'wrong' });
    const link = await promptedLink(call());
    const browser = server.browser();
    await browser.get(link);
    const page = await browser.get(`${link}/go`);
    expect([page.status, page.text.includes('Boards does not know this Gatehouse')]).toEqual([502, true]);
    expect(page.text).toContain('invalid signature');
  });

  it('keeps the account where the consumer secret is wrong, however often it is refused', async () => {
    await startSigned();
    await server.browser().connect(await promptedLink(call()));
    known = { ...CONSUMER, secret: 'another since today' };
    for (let n = 0; n < 3; n++)
      expect((await refusal(call())).message).toBe(
        "Boards refused the signed request (401) and does not say that it is for the account's token. The operator has to check the clock of the computer that runs Gatehouse, and client_id and client_secret of the connection boards. The account stays connected.",
      );
    known = CONSUMER;
    expect(await call()).toEqual({ cards: [1] });
  });

  const problem = (word: string) => ({
    text: 'no',
    headers: { 'www-authenticate': `OAuth realm="boards", oauth_problem="${word}"` },
  });

  it.each([
    ['a wrong clock', problem('timestamp_refused')],
    ['a revoked consumer', problem('consumer_key_rejected')],
    ['no reason', { text: '' }],
    ['a page', { text: '<html>Unauthorized</html>' }],
    ['token and signature in one', { text: 'Invalid signature or token' }],
  ])('keeps the account where the provider names %s', async (_, said) => {
    await startSigned();
    await server.browser().connect(await promptedLink(call()));
    [isRevoked, refusedWith] = [true, said];
    for (let n = 0; n < 3; n++) expect((await refusal(call())).code).toBe('TOOL_ERROR');
    expect((await server.details('boards', 'ada')).status).toBe('ACTIVE');
  });

  it.each([
    ['in words', { text: 'expired token' }],
    ['in the words of OAuth', problem('token_revoked')],
    ['as a form', { text: 'oauth_problem=token_rejected&oauth_problem_advice=key' }],
  ])('ends the account where the provider refuses its token twice, %s', async (_, said) => {
    await startSigned();
    await server.browser().connect(await promptedLink(call()));
    [isRevoked, refusedWith] = [true, said];
    expect((await refusal(call())).code).toBe('TOOL_ERROR');
    expect(await promptedLink(call())).toContain('/connect/');
    expect((await server.details('boards', 'ada')).status).toBe('EXPIRED');
  });

  it('takes no token without its secret over the API', async () => {
    await startSigned();
    const { details } = await refusal(
      server.create('boards', 'ada', { oauth_token: { access_token: 'access-1' } }),
    );
    expect(details).toMatchObject({
      field_violations: [
        {
          field: 'connected_account.authorization_details.oauth_token.access_token',
          constraint: 'consent',
        },
      ],
    });
  });
});

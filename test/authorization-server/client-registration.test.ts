import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutboundRequest, OutboundResponse } from '../../src/outbound/outbound.ts';
import { basic } from './identity-support.ts';
import { CALLBACK, startPeople, VERIFIER, type PeopleServer } from './people-support.ts';

let people: PeopleServer;
let baseUrl: string;

/** What the web answers, by address; what was asked. */
const web = new Map<string, Partial<OutboundResponse> | Error>();
const asked: OutboundRequest[] = [];

beforeAll(async () => {
  people = await startPeople({
    http: {
      send: async (request) => {
        asked.push(request);
        const answer = web.get(request.url.href);
        if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no such site');
        return { status: 200, headers: {}, body: Buffer.from(''), ...answer };
      },
    },
  });
  ({ baseUrl } = people.environment);
  await people.user('usr_ann');
});
afterAll(async () => people.close());

let addresses = 0;

async function register(body: unknown, init: { type?: string; ip?: string } = {}): Promise<Response> {
  return people.request('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': init.type ?? 'application/json' },
    ip: init.ip ?? `203.0.113.${(addresses += 1) % 250}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function errorOf(answer: Response): Promise<string> {
  const { error, error_description: description } = (await answer.json()) as Record<string, string>;
  expect(description).toEqual(expect.any(String));
  expect(description).not.toMatch(/node_modules|\bat \/|Error:/);
  return `${answer.status} ${error}`;
}

describe('dynamic client registration: POST /oauth/register', () => {
  it('registers a public client without a secret', async () => {
    const answer = await register({
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      client_name: 'Agent',
      client_uri: 'https://client.example.test',
      logo_uri: 'https://tracker.test/pixel.png',
      client_id: 'gh_chosen',
      client_secret: 'chosen',
      scope: 'admin',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('set-cookie')).toBeNull();
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^ghapp_[0-9a-f]{32}$/),
      client_id_issued_at: expect.any(Number),
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Agent',
    });
    for (const name of ['client_secret', 'logo_uri', 'scope', 'registration_access_token'])
      expect(body).not.toHaveProperty(name);
  });

  it.each(['client_secret_basic', 'client_secret_post'])(
    'issues a secret for %s, and requires it afterwards',
    async (method) => {
      const client = await people.registered({ token_endpoint_auth_method: method });
      const secret = client.client_secret ?? '';
      expect(secret).toHaveLength(43);
      const form = async (): Promise<Record<string, string>> => ({
        grant_type: 'authorization_code',
        code: await people.code(people.browser('usr_ann'), client.client_id),
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      });
      const fields = { ...(await form()), client_id: client.client_id };
      expect(await errorOf(await people.post('/oauth/token', fields))).toBe('401 invalid_client');
      const wrong = await people.post('/oauth/token', { ...fields, client_secret: `${secret}x` });
      expect(await errorOf(wrong)).toBe('401 invalid_client');
      expect((await people.post('/oauth/token', { ...fields, client_secret: secret })).status).toBe(200);
      const asBasic = await people.post('/oauth/token', await form(), basic(client.client_id, secret));
      expect(asBasic.status).toBe(200);
    },
  );

  it.each([
    ['http://localhost/done', 'http://localhost:51234/done'],
    ['http://127.0.0.1:3000/done', 'http://127.0.0.1:3001/done'],
    ['http://[::1]/done', 'http://[::1]:8080/done'],
    ['com.example.app:/done', 'com.example.app:/done'],
  ])('accepts the redirect URI %s, and sends a code to %s', async (registered, used) => {
    const id = await people.register({ redirect_uris: [registered] });
    const page = await people.browser('usr_ann').goTo(people.authorizeUrl(id, { redirect_uri: used }));
    expect(page.url).toContain('/oauth/interaction/');
  });

  it.each([
    [['http://client.example.test/callback']],
    [['http://127.0.0.1.evil.test/done']],
    [['http://localhost@evil.test/done']],
    [['https://user:pass@client.example.test/callback']],
    [['https://client.example.test/callback#fragment']],
    [['https://client.example.test/call back']],
    [['https:client.example.test']],
    [['https://localhost/done']],
    [['javascript:alert(1)']],
    [['data:text/html,hi']],
    [['https://*.example.test/callback']],
    [['myapp://done']],
    [['/callback']],
    [['']],
    [[42]],
    [[`https://client.example.test/${'a'.repeat(2_048)}`]],
    [[]],
    ['https://client.example.test/callback'],
    [Array.from({ length: 11 }, (_, index) => `https://client.example.test/${index}`)],
  ])('refuses the redirect URIs %j', async (uris) => {
    expect(await errorOf(await register({ redirect_uris: uris }))).toBe('400 invalid_redirect_uri');
  });

  it.each([
    [[]],
    ['a string'],
    [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'tls_client_auth' }],
    [{ redirect_uris: [CALLBACK], grant_types: ['client_credentials'] }],
    [{ redirect_uris: [CALLBACK], grant_types: 'authorization_code' }],
    [{ redirect_uris: [CALLBACK], response_types: ['token'] }],
    [{ redirect_uris: [CALLBACK], client_name: 'a'.repeat(201) }],
    [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' }],
    [
      {
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: 'http://a.test/jwks',
      },
    ],
    [
      {
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
      },
    ],
  ])('refuses the client metadata %j', async (metadata) => {
    expect(await errorOf(await register(JSON.stringify(metadata)))).toBe('400 invalid_client_metadata');
  });

  it('refuses a body that is not JSON or is too long, and other methods', async () => {
    expect(await errorOf(await register('{', {}))).toBe('400 invalid_client_metadata');
    expect(await errorOf(await register({ redirect_uris: [CALLBACK] }, { type: 'text/plain' }))).toBe(
      '400 invalid_client_metadata',
    );
    const long = { redirect_uris: [CALLBACK], padding: 'a'.repeat(16 * 1024) };
    expect(await errorOf(await register(long))).toBe('413 invalid_request');
    expect(await errorOf(await people.request('/oauth/register'))).toBe('405 invalid_request');
    expect((await people.request('/oauth/register/ghapp_1')).status).toBe(404);
  });

  it('limits registrations for each address', async () => {
    const ip = '198.18.0.1';
    const statuses = [];
    for (let count = 0; count < 11; count++) statuses.push((await register({}, { ip })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    expect((await register({}, { ip: '198.18.0.2' })).status).toBe(400);
  });

  it('forgets a client after 30 days without use, and not before', async () => {
    const [used, unused] = [await people.register(), await people.register()];
    people.clock.advance(29 * 24 * 3_600_000);
    const tokens = await people.tokens('usr_ann', used);
    people.clock.advance(24 * 3_600_000);
    expect((await people.refresh(used, tokens.refresh_token)).status).toBe(200);
    const page = await people.browser('usr_ann').goTo(people.authorizeUrl(unused));
    expect(page.status).toBe(400);
    expect(await errorOf(await people.refresh(unused, 'any'))).toBe('401 invalid_client');
  });
});

describe('client ID metadata document', () => {
  const ID = 'https://agent.example.test/client.json';
  const document = (changes: Record<string, unknown> = {}): Partial<OutboundResponse> => ({
    headers: { 'cache-control': 'max-age=600' },
    body: Buffer.from(
      JSON.stringify({
        client_id: ID,
        client_name: 'Published agent',
        redirect_uris: [CALLBACK, 'http://127.0.0.1/done'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        ...changes,
      }),
    ),
  });

  it('reads the document that describes the client, and fetches it once', async () => {
    web.set(ID, document());
    asked.length = 0;
    const browser = people.browser('usr_ann');
    const page = await browser.goTo(people.authorizeUrl(ID));
    expect(page.text).toContain('Published agent');
    expect(page.text).toContain('agent.example.test');
    const tokens = await people.tokens('usr_ann', ID);
    expect((await people.refresh(ID, tokens.refresh_token)).status).toBe(200);
    expect((await people.post('/oauth/revoke', { client_id: ID, token: 'nothing' })).status).toBe(200);
    expect(asked).toEqual([
      {
        method: 'GET',
        url: new URL(ID),
        headers: { accept: 'application/json' },
        headersTimeoutMs: 5_000,
        totalTimeoutMs: 5_000,
        maxResponseBytes: 65_536,
      },
    ]);
  });

  it('accepts any port of a loopback redirect URI', async () => {
    web.set(ID, document());
    const url = people.authorizeUrl(ID, { redirect_uri: 'http://127.0.0.1:4711/done' });
    expect((await people.browser('usr_ann').goTo(url)).url).toContain('/oauth/interaction/');
  });

  it.each([
    ['names another client', document({ client_id: 'https://other.example.test/client.json' })],
    ['has a secret', document({ client_secret: 'shared' })],
    ['wants a secret', document({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['has bad redirect URIs', document({ redirect_uris: ['http://evil.test'] })],
    ['has none', document({ redirect_uris: undefined })],
    ['is no JSON', { body: Buffer.from('<html>') }],
    ['is a list', { body: Buffer.from('[]') }],
    ['has moved', { status: 302, headers: { location: 'http://169.254.169.254/' } }],
    ['is not there', { status: 404 }],
    ['cannot be reached', new Error('refused by the address policy')],
  ])('refuses the client when its document %s', async (what, answer) => {
    const id = `https://broken.example.test/${encodeURIComponent(what)}`;
    const body =
      answer instanceof Error || answer.body === undefined
        ? undefined
        : Buffer.from(answer.body.toString().replace(ID, id));
    web.set(id, answer instanceof Error ? answer : { ...answer, ...(body && { body }) });
    const page = await people.browser('usr_ann').goTo(people.authorizeUrl(id));
    expect(page.status).toBe(400);
    expect(page.url).toContain('/oauth/authorize?');
    expect(page.text).not.toMatch(/evil|169\.254|address policy|node_modules/);
    expect(await errorOf(await people.refresh(id, 'any'))).toMatch(/^40[01] invalid_client/);
  });

  it.each<[string, Partial<OutboundResponse> | Error]>([
    ['does not answer in time', new Error('no answer within 5 s')],
    ['is not there', { status: 404 }],
    ['is no JSON', { body: Buffer.from('<html>') }],
    ['names no redirect URI', document({ client_id: 'https://slow.example.test/3', redirect_uris: [] })],
  ])('fetches the document once for a request when it %s', async (what, answer) => {
    const id = `https://slow.example.test/${what.length}`;
    web.set(id, answer);
    const { pathname, search } = new URL(people.authorizeUrl(id), baseUrl);
    for (const count of [1, 2]) {
      asked.length = 0;
      const page = await people.request(`${pathname}${search}`, { ip: `198.18.2.${what.length}` });
      expect([count, page.status, asked.length]).toEqual([count, 400, 1]);
    }
  });

  it.each([
    'http://agent.example.test/client.json',
    'https://agent.example.test/client.json#x',
    'https://a@agent.example.test/',
    'https://agent.example.test/../x',
  ])('takes %s for no address of a document', async (id) => {
    asked.length = 0;
    expect((await people.browser('usr_ann').goTo(people.authorizeUrl(id))).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('fetches the document and its keys from public addresses only, where other computers can name it', async () => {
    const sent: [string, string][] = [];
    const sender = (name: string) => ({
      send: async ({ url }: OutboundRequest): Promise<never> => {
        sent.push([name, url.href]);
        throw new Error('refused');
      },
    });
    const served = await startPeople({ http: sender('with private hosts'), publicHttp: sender('public') });
    try {
      served.environment.isLocalOnly = false;
      const keys = 'https://10.0.0.8/keys';
      const id = await served.register({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keys });
      const { privateKey } = await generateKeyPair('ES256');
      const assertion = await new SignJWT({ jti: 'one' })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(served.environment.baseUrl)
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(privateKey);
      await served.post('/oauth/token', {
        client_id: 'https://10.0.0.8/client.json',
        grant_type: 'refresh_token',
      });
      await served.post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: id,
        refresh_token: 'x',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      });
      expect(sent).toEqual([
        ['public', 'https://10.0.0.8/client.json'],
        ['public', keys],
      ]);
    } finally {
      await served.close();
    }
  });

  it('fetches so many documents a minute for one address, and no more', async () => {
    asked.length = 0;
    for (let count = 0; count < 25; count++) {
      const form = {
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_id: `https://many.example.test/${count}`,
      };
      await people.post('/oauth/token', form, {}, '198.18.1.1');
    }
    expect(asked).toHaveLength(20);
  });
});

describe('client authentication with private_key_jwt', () => {
  it('exchanges codes with an assertion, and takes each assertion once', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
    const id = await people.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    });
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(baseUrl)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
    const ask = async (given: string): Promise<Response> =>
      people.post('/oauth/token', {
        grant_type: 'authorization_code',
        code: await people.code(people.browser('usr_ann'), id),
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: given,
      });
    expect((await ask(assertion)).status).toBe(200);
    expect(await errorOf(await ask(assertion))).toBe('401 invalid_client');
    expect(await errorOf(await ask(`${assertion.slice(0, -4)}AAAA`))).toBe('401 invalid_client');
    expect(await errorOf(await ask('e30.e30.e30'))).toMatch(/invalid_client|invalid_request/);
  });
});

it("slows down the guessing of an app's client secret", async () => {
  const { client_id: id } = await people.registered({ token_endpoint_auth_method: 'client_secret_post' });
  const guess = async (): Promise<number> =>
    (
      await people.post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_id: id,
        client_secret: 'guess',
      })
    ).status;
  for (let count = 0; count < 20; count++) expect(await guess()).toBe(401);
  expect(await guess()).toBe(429);
});

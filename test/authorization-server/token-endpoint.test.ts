import { connect } from 'node:net';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import type { NewCredentialView } from '../../src/api-credentials/api-credentials.ts';
import { OAuthError } from '../../src/authorization-server/protocol/oauth-error.ts';
import type { MachineTokenAnswer, MachineTokenQuestion } from '../../src/interceptors/policy.ts';
import { ALLOWING } from '../support/authorization-server.ts';
import { admin, basic, startIdentity, type FormInput, type Identity } from './identity-support.ts';

const stdout = vi.spyOn(console, 'info');
const stderr = vi.spyOn(console, 'warn');

let identity: Identity;
let baseUrl: string;
let credential: NewCredentialView;
let asFields: { client_id: string; client_secret: string };
let asBasic: Record<string, string>;

beforeAll(async () => {
  identity = await startIdentity();
  baseUrl = identity.environment.baseUrl;
  ({ credential } = await identity.credentials.create(admin, {
    name: 'Backend',
    scopes: ['accounts:read', 'tools:execute'],
  }));
  asFields = { client_id: credential.client_id, client_secret: credential.client_secret };
  asBasic = basic(credential.client_id, credential.client_secret);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await identity.close();
});

interface TokenReply {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

/** A token request with HTTP Basic. */
async function token(form: FormInput, headers: Record<string, string> = {}): Promise<Response> {
  return identity.post('/oauth/token', form, { ...asBasic, ...headers });
}

async function claimsOf(answer: Response): Promise<Record<string, unknown>> {
  const { access_token } = (await answer.json()) as TokenReply;
  const keys = (await (await identity.request('/keys')).json()) as JSONWebKeySet;
  const { payload, protectedHeader } = await jwtVerify(access_token, createLocalJWKSet(keys), {
    currentDate: new Date(identity.clock.now()),
  });
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: keys.keys[0]?.kid });
  return payload;
}

async function refusal(answer: Response): Promise<unknown> {
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { error, error_description } = (await answer.json()) as Record<string, string>;
  expect(error_description).toEqual(expect.any(String));
  return `${answer.status} ${error}`;
}

const GRANT = { grant_type: 'client_credentials' };

describe('token endpoint: POST /oauth/token', () => {
  it('answers with exactly the four members, and forbids caching', async () => {
    const answer = await identity.post('/oauth/token', { ...GRANT, ...asFields });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await answer.json()).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'accounts:read tools:execute',
    });
  });

  it('issues an RS256 JWT with the claims of RFC 9068 and ours', async () => {
    expect(await claimsOf(await token(GRANT))).toEqual({
      iss: baseUrl,
      sub: credential.client_id,
      client_id: credential.client_id,
      aud: baseUrl,
      iat: 1795176000,
      nbf: 1795176000,
      exp: 1795179600,
      jti: expect.stringMatching(/^[\w-]{20,}$/),
      scope: 'accounts:read tools:execute',
      scopes: ['accounts:read', 'tools:execute'],
      gid: credential.id,
    });
  });

  it('names the organization of a credential that is bound to one', async () => {
    const { credential: bound } = await identity.credentials.create(admin, {
      name: 'Bound',
      scopes: ['tools:execute'],
      organization_id: 'org_a',
    });
    const answer = await identity.post('/oauth/token', GRANT, basic(bound.client_id, bound.client_secret));
    expect(await claimsOf(answer)).toMatchObject({ oid: 'org_a', gid: bound.id });
  });

  it('gives every token an id of its own', async () => {
    const [one, two] = [await claimsOf(await token(GRANT)), await claimsOf(await token(GRANT))];
    expect(one['jti']).not.toBe(two['jti']);
  });

  it('gives a scope that one of the credential includes', async () => {
    const { credential } = await identity.credentials.create(admin, {
      name: 'W',
      scopes: ['accounts:write'],
    });
    const { client_id, client_secret } = credential;
    const ask = async (scope: string) =>
      identity.post('/oauth/token', { ...GRANT, client_id, client_secret, scope });
    const answer = await ask('accounts:read');
    expect(await claimsOf(answer)).toMatchObject({ scope: 'accounts:read', scopes: ['accounts:read'] });
    expect(await refusal(await ask('organization:read'))).toBe('400 invalid_scope');
  });

  it('gives the scopes that the request asks for', async () => {
    const answer = await token({ ...GRANT, scope: 'tools:execute' });
    expect(((await answer.clone().json()) as TokenReply).scope).toBe('tools:execute');
    expect(await claimsOf(answer)).toMatchObject({ scope: 'tools:execute', scopes: ['tools:execute'] });
  });

  it.each([
    ['no resource', undefined, ''],
    ['the base URL', '', ''],
    ['the base URL with a slash', '/', ''],
    ['MCP', '/mcp', '/mcp'],
    ['REST', '/api', '/api'],
  ])('issues a token for %s', async (_what, resource, audience) => {
    const form = resource === undefined ? GRANT : { ...GRANT, resource: `${baseUrl}${resource}` };
    expect(await claimsOf(await token(form))).toMatchObject({ aud: `${baseUrl}${audience}` });
  });

  it('ignores parameters it does not know and empty ones', async () => {
    const answer = await token({
      ...GRANT,
      scope: '',
      resource: '',
      audience: 'https://x.test',
      __proto__x: '1',
    });
    expect(await claimsOf(answer)).toMatchObject({ aud: baseUrl, scope: 'accounts:read tools:execute' });
  });

  it('issues under the configured address, whatever the headers of the request say', async () => {
    const answer = await token(GRANT, { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' });
    expect(await claimsOf(answer)).toMatchObject({ iss: baseUrl, aud: baseUrl });
  });

  it('answers JSON to a browser too', async () => {
    const answer = await token(
      { ...GRANT, scope: 'nope' },
      { accept: 'text/html', origin: 'https://a.test' },
    );
    expect(await refusal(answer)).toBe('400 invalid_scope');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('token endpoint: refused requests', () => {
  it.each<[string, FormInput]>([
    ['400 invalid_request', {}],
    ['400 invalid_request', { grant_type: '' }],
    ['400 unsupported_grant_type', { grant_type: 'password', username: 'a', password: 'b' }],
    ['400 unauthorized_client', { grant_type: 'authorization_code', code: 'x' }],
    ['400 invalid_grant', { grant_type: 'refresh_token', refresh_token: 'x' }],
    ['400 invalid_request', { grant_type: 'refresh_token' }],
    ['400 unsupported_grant_type', { grant_type: 'implicit' }],
    ['400 unsupported_grant_type', { grant_type: '__proto__' }],
    ['400 unsupported_grant_type', { grant_type: 'constructor' }],
    ['400 invalid_scope', { ...GRANT, scope: 'nope' }],
    ['400 invalid_scope', { ...GRANT, scope: 'accounts:read nope' }],
    ['400 invalid_scope', { ...GRANT, scope: 'admin' }],
    ['400 invalid_scope', { ...GRANT, scope: 'openid' }],
    ['400 invalid_scope', { ...GRANT, scope: ' ' }],
    ['400 invalid_scope', { ...GRANT, scope: 'accounts:read\u0000' }],
    ['400 invalid_scope', { ...GRANT, scope: 'accounts:read,tools:execute' }],
    ['400 invalid_target', { ...GRANT, resource: 'https://evil.test/mcp' }],
    ['400 invalid_target', { ...GRANT, resource: 'mcp' }],
    ['400 invalid_target', { ...GRANT, resource: '\u0000' }],
    [
      '400 invalid_target',
      [
        ['grant_type', 'client_credentials'],
        ['resource', 'https://a.test'],
        ['resource', 'https://b.test'],
      ],
    ],
    [
      '400 invalid_request',
      [
        ['grant_type', 'client_credentials'],
        ['grant_type', 'client_credentials'],
      ],
    ],
    [
      '400 invalid_request',
      [
        ['grant_type', 'client_credentials'],
        ['scope', 'admin'],
        ['scope', 'admin'],
      ],
    ],
    [
      '400 invalid_request',
      [
        ['grant_type', 'client_credentials'],
        ['extra', '1'],
        ['extra', ''],
      ],
    ],
  ])('answers %s for the form %j', async (expected, form) => {
    expect(await refusal(await token(form))).toBe(expected);
  });

  it('names the scopes that the credential has', async () => {
    const answer = await token({ ...GRANT, scope: 'admin' });
    expect(await answer.json()).toEqual({
      error: 'invalid_scope',
      error_description:
        'This credential has the scopes accounts:read tools:execute. Ask for some of them, or leave scope out for all.',
    });
  });

  it.each([
    ['/mcp/', 'a trailing slash'],
    ['/mcp#x', 'a fragment'],
    ['/mcp?x=1', 'a query'],
    ['/API', 'other letters'],
    ['/dashboard', 'another path'],
  ])('answers 400 invalid_target for our own address with %s (%s)', async (path) => {
    expect(await refusal(await token({ ...GRANT, resource: `${baseUrl}${path}` }))).toBe(
      '400 invalid_target',
    );
  });

  it.each([
    ['application/json', '{"grant_type":"client_credentials"}'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', 'grant_type=client_credentials'],
    ['', 'grant_type=client_credentials'],
  ])('answers 400 invalid_request for the content type "%s"', async (type, body) => {
    const answer = await identity.request('/oauth/token', {
      method: 'POST',
      headers: { ...asBasic, 'content-type': type },
      body: Buffer.from(body),
    });
    expect(await refusal(answer)).toBe('400 invalid_request');
  });

  it('accepts a form whose content type names a charset', async () => {
    const answer = await token(GRANT, { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' });
    expect(answer.status).toBe(200);
  });

  it.each([65, 1_000, 5_000])('answers 413 invalid_request for a body of %i kB', async (kilobytes) => {
    const answer = await token(`grant_type=client_credentials&x=${'a'.repeat(kilobytes * 1024)}`);
    expect(await refusal(answer)).toBe('413 invalid_request');
  });

  it.each(['GET', 'PUT', 'DELETE'])('answers 405 to the method %s', async (method) => {
    const answer = await identity.request('/oauth/token', { method });
    expect(answer.headers.get('allow')).toBe('POST');
    expect(await refusal(answer)).toBe('405 invalid_request');
  });

  it('reads nothing from the query', async () => {
    const query = new URLSearchParams({ ...GRANT, ...asFields }).toString();
    expect(await refusal(await identity.post(`/oauth/token?${query}`, {}))).toBe('401 invalid_client');
  });

  it('survives a client that hangs up in the middle of its body', async () => {
    const { port } = new URL(baseUrl);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\ngrant_type=');
        socket.destroy();
        resolve();
      });
    });
    expect((await token(GRANT)).status).toBe(200);
  });
});

describe('token endpoint: client authentication', () => {
  const CHALLENGE = /^Basic realm="http:\/\/127\.0\.0\.1:\d+"$/;

  it('answers an unknown client and a wrong secret alike', async () => {
    const wrongSecret = await identity.post('/oauth/token', { ...GRANT, ...asFields, client_secret: 'x' });
    const unknown = await identity.post('/oauth/token', { ...GRANT, client_id: 'gh_x', client_secret: 'x' });
    const headersOf = (answer: Response) =>
      [...answer.headers].filter(([name]) => name !== 'date').join('\n');
    expect(wrongSecret.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(headersOf(unknown)).toBe(headersOf(wrongSecret));
    const body = await wrongSecret.text();
    expect(await unknown.text()).toBe(body);
    expect(JSON.parse(body)).toEqual({
      error: 'invalid_client',
      error_description: 'The client is unknown or its secret is wrong.',
    });
  });

  it('challenges a client that used HTTP Basic with 401', async () => {
    const answer = await identity.post('/oauth/token', GRANT, basic(credential.client_id, 'wrong'));
    expect(answer.headers.get('www-authenticate')).toMatch(CHALLENGE);
    expect(await refusal(answer)).toBe('401 invalid_client');
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['nothing', {}, {}],
    ['an id alone', { client_id: 'gh_x' }, {}],
    ['a secret alone', { client_secret: 'x' }, {}],
    ['an empty secret', { client_id: 'gh_x', client_secret: '' }, {}],
    ['a bearer token', {}, { authorization: 'Bearer abc' }],
    ['Basic without a value', {}, { authorization: 'Basic' }],
    ['Basic that is not base64', {}, { authorization: 'Basic ???' }],
    ['Basic without a colon', {}, { authorization: `Basic ${btoa('abc')}` }],
    ['Basic without a secret', {}, { authorization: `Basic ${btoa('abc:')}` }],
    ['Basic without an id', {}, { authorization: `Basic ${btoa(':abc')}` }],
    ['Basic with NUL', {}, { authorization: `Basic ${btoa('a\u0000:b\u0000')}` }],
    ['Basic with broken percent signs', {}, { authorization: `Basic ${btoa('%zz:%')}` }],
    ['an id with NUL', { client_id: '\u0000', client_secret: 'x' }, {}],
    ['a very long id', { client_id: 'x'.repeat(20_000), client_secret: 'x' }, {}],
    ['a strange id', { client_id: '🗝', client_secret: '🗝' }, {}],
  ])('answers 401 invalid_client for %s', async (_what, fields, headers) => {
    const answer = await identity.post('/oauth/token', { ...GRANT, ...fields }, headers, '192.0.2.20');
    expect(answer.headers.get('www-authenticate')).toMatch(CHALLENGE);
    expect(await refusal(answer)).toBe('401 invalid_client');
  });

  it('refuses two ways of authentication at once', async () => {
    const twice = await token({ ...GRANT, ...asFields });
    expect(await refusal(twice)).toBe('400 invalid_request');
    const mixed = await identity.post(
      '/oauth/token',
      { ...GRANT, ...asFields },
      { authorization: 'Bearer x' },
    );
    expect(await refusal(mixed)).toBe('400 invalid_request');
  });

  it('lets HTTP Basic repeat its own client_id, and no other', async () => {
    expect((await token({ ...GRANT, client_id: credential.client_id })).status).toBe(200);
    expect(await refusal(await token({ ...GRANT, client_id: 'gh_other' }))).toBe('400 invalid_request');
  });

  it('understands secrets with special characters, encoded as the standard says or not', async () => {
    const secret = 'a%2Bb+c:d%/e';
    await identity.credentials.ensureFirst('env_dev', { clientId: 'my-app', clientSecret: secret });
    const asIs = await identity.post('/oauth/token', GRANT, basic('my-app', secret));
    const encoded = await identity.post('/oauth/token', GRANT, basic('my-app', encodeURIComponent(secret)));
    const asForm = await identity.post('/oauth/token', {
      ...GRANT,
      client_id: 'my-app',
      client_secret: secret,
    });
    expect([asIs.status, encoded.status, asForm.status]).toEqual([200, 200, 200]);
  });

  it('accepts both secrets after a rotation', async () => {
    const rotated = await identity.credentials.rotate(admin, credential.id);
    const both = [credential.client_secret, rotated.credential.client_secret];
    for (const secret of both) {
      const answer = await identity.post('/oauth/token', GRANT, basic(credential.client_id, secret));
      expect(answer.status).toBe(200);
    }
  });
});

describe('token endpoint: guessing of client secrets', () => {
  const guess = async (ip: string, secret = 'wrong', id = credential.client_id): Promise<Response> =>
    identity.post('/oauth/token', { ...GRANT, client_id: id, client_secret: secret }, {}, ip);

  it('answers 429 after 20 failures a minute, to the right secret too', async () => {
    const ip = '198.51.100.1';
    for (let i = 0; i < 20; i++) expect((await guess(ip)).status).toBe(401);
    const blocked = await guess(ip);
    expect(blocked.headers.get('retry-after')).toBe('60');
    expect(await refusal(blocked)).toBe('429 temporarily_unavailable');
    expect((await guess(ip, credential.client_secret)).status).toBe(429);
    expect((await guess('198.51.100.2', credential.client_secret)).status).toBe(200);
    expect((await guess(ip, 'wrong', 'gh_someone_else')).status).toBe(401);

    identity.clock.advance(45_000);
    expect((await guess(ip)).headers.get('retry-after')).toBe('15');
    identity.clock.advance(15_000);
    expect((await guess(ip, credential.client_secret)).status).toBe(200);
  });

  it('answers 429 to simultaneous guesses too', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, async () => guess('198.51.100.3')));
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it('counts an unknown client like a wrong secret', async () => {
    for (let i = 0; i < 20; i++) expect((await guess('198.51.100.4', 'x', 'gh_nobody')).status).toBe(401);
    expect((await guess('198.51.100.4', 'x', 'gh_nobody')).status).toBe(429);
  });

  it('counts no request that succeeds', async () => {
    for (let i = 0; i < 25; i++) {
      expect((await guess('198.51.100.5', credential.client_secret)).status).toBe(200);
    }
  });

  it('counts failures at revocation and introspection as well', async () => {
    const ask = async (path: string) =>
      identity.post(path, { token: 'x' }, basic(credential.client_id, 'wrong'), '198.51.100.6');
    for (let i = 0; i < 10; i++) {
      expect((await ask('/oauth/revoke')).status).toBe(401);
      expect((await ask('/oauth/introspect')).status).toBe(401);
    }
    expect((await guess('198.51.100.6')).status).toBe(429);
  });
});

describe('token endpoint: interceptor before a token is issued', () => {
  async function withHook(
    hook: (draft: MachineTokenQuestion) => Promise<MachineTokenAnswer>,
    work: (ask: (form?: Record<string, string>) => Promise<Response>, hooked: Identity) => Promise<void>,
  ): Promise<void> {
    const hooked = await startIdentity({
      policy: { ...ALLOWING, beforeMachineToken: hook },
      lifetimes: { tokenMs: 2_500, sessionMs: 3_600_000 },
    });
    try {
      const { credential: machine } = await hooked.credentials.create(admin, {
        name: 'Hooked',
        scopes: ['tools:execute', 'accounts:read'],
      });
      const sender = basic(machine.client_id, machine.client_secret);
      await work(async (form = {}) => hooked.post('/oauth/token', { ...GRANT, ...form }, sender), hooked);
    } finally {
      await hooked.close();
    }
  }
  const payloadOf = async (answer: Response): Promise<Record<string, unknown>> => {
    const { access_token } = (await answer.json()) as TokenReply;
    return JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
  };

  it('shows the token to the interceptor, which may add claims and change scope and audience', async () => {
    const drafts: MachineTokenQuestion[] = [];
    const hook = async (draft: MachineTokenQuestion): Promise<MachineTokenAnswer> => {
      drafts.push(draft);
      return {
        customClaims: { plan: 'gold' },
        scopes: ['tools:execute', 'vip'],
        audience: ['https://a.test', 'https://b.test'],
      };
    };
    await withHook(hook, async (ask) => {
      const answer = await ask({ scope: 'tools:execute' });
      expect(((await answer.clone().json()) as TokenReply).scope).toBe('tools:execute vip');
      expect(await payloadOf(answer)).toMatchObject({
        custom_claims: { plan: 'gold' },
        scope: 'tools:execute vip',
        scopes: ['tools:execute', 'vip'],
        aud: ['https://a.test', 'https://b.test'],
      });
      expect(drafts).toEqual([
        {
          environmentId: 'env_dev',
          actor: expect.stringMatching(/^cred_/),
          clientId: expect.stringMatching(/^gh_/),
          organizationId: '',
          scopes: ['tools:execute'],
          visitor: { ip: '192.0.2.1', userAgent: 'node', region: '', city: '' },
        },
      ]);
    });
  });

  it('lets the interceptor take every scope away, and says so in the answer', async () => {
    await withHook(
      async () => ({ customClaims: {}, scopes: [] }),
      async (ask) => {
        const answer = await ask();
        expect(((await answer.clone().json()) as TokenReply).scope).toBe('');
        expect(await payloadOf(answer)).toMatchObject({ scope: '', scopes: [] });
      },
    );
  });

  it('lets the interceptor change no reserved claim, and give no scope that the credential lacks', async () => {
    const hook = async (): Promise<MachineTokenAnswer> => ({
      customClaims: { sub: 'x', oid: 'org_x' },
      scopes: ['admin', 'accounts:read'],
      audience: [],
    });
    await withHook(hook, async (ask, { environment: { baseUrl: issuer } }) => {
      const claims = await payloadOf(await ask());
      expect(claims).toMatchObject({
        iss: issuer,
        aud: issuer,
        scope: 'accounts:read',
        scopes: ['accounts:read'],
      });
      expect(claims).toMatchObject({ iat: 1795176000, exp: 1795176002, sub: claims['client_id'] });
      expect(claims['gid']).toMatch(/^cred_01/);
      expect(claims['client_id']).toMatch(/^gh_/);
      expect(claims).not.toHaveProperty('oid');
      expect(claims['custom_claims']).toEqual({ sub: 'x', oid: 'org_x' });
    });
  });

  it.each([
    ['400 access_denied', new OAuthError('access_denied', 'Not on Sundays.')],
    ['400 access_denied', new ServiceError('POLICY_DENIED', 'Not on Sundays.')],
    ['503 temporarily_unavailable', new ServiceError('UNAVAILABLE', 'The database is busy.')],
    ['500 server_error', new Error('a defect with a secret in it')],
  ])('ends the request with %s when the interceptor denies or fails', async (expected, error) => {
    await withHook(
      async () => {
        throw error;
      },
      async (ask) => {
        const answer = await ask();
        const text = await answer.clone().text();
        expect(await refusal(answer)).toBe(expected);
        expect(text).not.toContain('defect');
        expect(text.includes('Not on Sundays.')).toBe(expected === '400 access_denied');
      },
    );
  });

  it('asks no interceptor about a request that is refused anyway', async () => {
    const hook = vi.fn(async () => ({ customClaims: {} }));
    await withHook(hook, async (ask) => {
      await ask({ scope: 'nope' });
      await ask({ resource: 'https://evil.test' });
      await ask({ grant_type: 'password' });
      expect(hook).not.toHaveBeenCalled();
      await ask();
      expect(hook).toHaveBeenCalledTimes(1);
    });
  });

  it('rounds a lifetime under a second up to one second, and cuts parts of seconds', async () => {
    await withHook(
      async () => ({ customClaims: {} }),
      async (ask) => expect(((await (await ask()).json()) as TokenReply).expires_in).toBe(2),
    );
  });
});

describe('authorization server: malformed requests', () => {
  it('never answers garbage with a 5xx', async () => {
    const random = mulberry32(20261120);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const NAMES = [
      'grant_type',
      'client_id',
      'client_secret',
      'scope',
      'resource',
      'token',
      '__proto__',
      'constructor',
      'a[b]',
      '',
      '\u0000',
    ];
    const VALUES = [
      'client_credentials',
      credential.client_id,
      credential.client_secret,
      '',
      '\u0000',
      '\ud800',
      '__proto__',
      '%',
      '%00',
      '%ff',
      '=',
      '&',
      '[object Object]',
      'x'.repeat(3_000),
      '🗝',
      '../..',
      `${baseUrl}/mcp`,
      '-1',
      'null',
    ];
    const HEADERS: Record<string, string>[] = [
      {},
      asBasic,
      { authorization: 'Basic' },
      { authorization: 'Basic =' },
      { authorization: `Basic ${'A'.repeat(4_000)}` },
      { accept: '*/*' },
      { 'content-type': 'application/json' },
      { dpop: 'x' },
    ];
    const statuses = new Set<number>();
    for (let i = 0; i < 300; i++) {
      const parts = Array.from({ length: Math.floor(random() * 6) }, () => {
        const encode = random() < 0.5 ? (text: string) => encodeURIComponent(text.toWellFormed()) : String;
        return `${encode(pick(NAMES))}=${encode(pick(VALUES))}`;
      });
      const path = pick(['/oauth/token', '/oauth/revoke', '/oauth/introspect']);
      const answer = await identity.post(path, parts.join('&'), pick(HEADERS), `203.0.113.${i % 250}`);
      statuses.add(answer.status);
      await answer.arrayBuffer();
    }
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(200);
    expect(statuses).toContain(400);
    expect(statuses).toContain(401);
    expect(identity.logged).toEqual([]);
  });
});

describe('authorization server: library underneath', () => {
  it('prints nothing during all of this', () => {
    expect(stdout).not.toHaveBeenCalled();
    expect(stderr).not.toHaveBeenCalled();
  });
});

/** A small seeded generator of numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Token requests to a provider that writes its answers in every way there is, and misbehaves. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenClient } from '../../../src/credentials/oauth/token-client.ts';
import {
  TokenFailure,
  type OAuthClient,
  type TokenReply,
} from '../../../src/credentials/oauth/token-endpoint.ts';
import { AddressPolicy } from '../../../src/outbound/address-policy.ts';
import { Outbound } from '../../../src/outbound/outbound.ts';
import { startFaultServer, type Fault, type FaultServer } from '../../support/fault-server.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const TIMEOUT_MS = 30_000;

/** For answers that never come. */
const IMPATIENT_MS = 1_500;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let server: FaultServer;
let canary: FaultServer;
let outbound: Outbound;
let tokens: TokenClient;
let impatient: TokenClient;

beforeAll(async () => {
  server = await startFaultServer();
  canary = await startFaultServer();
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 20_000,
    headersTimeoutMs: 1,
    totalTimeoutMs: 1,
    maxResponseBytes: 1,
  });
  tokens = new TokenClient(outbound, { clock: fixedClock(), timeoutMs: TIMEOUT_MS });
  impatient = new TokenClient(outbound, { clock: fixedClock(), timeoutMs: IMPATIENT_MS });
});
beforeEach(() => {
  server.reset();
  canary.reset();
});
afterAll(async () => {
  await outbound.close();
  await server.close();
  await canary.close();
});

function client(change: Partial<OAuthClient> = {}): OAuthClient {
  return {
    tokenUrl: `${server.origin}/oauth/token`,
    revocationUrl: `${server.origin}/oauth/revoke`,
    issuer: 'https://provider.example',
    clientId: 'client-1',
    clientSecret: 'top-secret',
    authentication: 'post',
    scopeSeparator: ' ',
    ...change,
  };
}

const CODE = { code: 'code-abcdef', redirectUri: 'https://gate.example/cb', verifier: 'verifier-abcdef' };

async function exchange(fault: Fault, change: Partial<OAuthClient> = {}): Promise<TokenReply> {
  server.queue(fault);
  const isEndless = fault.hang === true || fault.headersOnly === true || fault.dripMs !== undefined;
  return (isEndless ? impatient : tokens).exchange(client(change), CODE);
}

async function failureOf(sending: Promise<unknown>): Promise<TokenFailure> {
  const failure = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(TokenFailure);
  return failure as TokenFailure;
}

const sentForm = (): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(server.requests[0]?.body));

describe('token request to a provider', () => {
  const reply = { json: { access_token: 'at', token_type: 'Bearer' } };

  it('sends the code, the PKCE verifier and the client as a form', async () => {
    await exchange(reply);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      target: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(sentForm()).toEqual({
      grant_type: 'authorization_code',
      code: 'code-abcdef',
      redirect_uri: 'https://gate.example/cb',
      code_verifier: 'verifier-abcdef',
      client_id: 'client-1',
      client_secret: 'top-secret',
    });
  });

  it('leaves the PKCE verifier out where no challenge was announced', async () => {
    server.queue(reply);
    await tokens.exchange(client(), { ...CODE, verifier: undefined });
    expect(sentForm()).not.toHaveProperty('code_verifier');
  });

  it('sends a refresh token and nothing that would change the grant', async () => {
    server.queue(reply);
    await tokens.refresh(client(), 'refresh-1', { timeoutMs: TIMEOUT_MS });
    expect(sentForm()).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: 'client-1',
      client_secret: 'top-secret',
    });
  });

  it('keeps the query of the token URL', async () => {
    await exchange(reply, { tokenUrl: `${server.origin}/token?tenant=a%20b` });
    expect(server.requests[0]?.target).toBe('/token?tenant=a%20b');
  });

  it.each([
    ['client-1', 's3cret_key.v2', 'client-1:s3cret_key.v2'],
    ['id:with colon', 'p+q%/é&=', 'id%3Awith+colon:p%2Bq%25%2F%C3%A9%26%3D'],
  ])('authenticates %s by Basic, form-encoded', async (clientId, clientSecret, credentials) => {
    await exchange(reply, { clientId, clientSecret, authentication: 'basic' });
    expect(server.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(credentials).toString('base64')}`,
    );
    expect(sentForm()).not.toHaveProperty('client_secret');
    expect(sentForm()).not.toHaveProperty('client_id');
  });

  it.each([
    ['post', 'EC PRIVATE KEY'],
    ['basic', 'PRIVATE KEY'],
  ] as const)('never sends a private key as a secret (%s)', async (authentication, kind) => {
    for (const clientSecret of [
      `-----BEGIN ${kind}-----\nMHc`,
      `{"private_key":"-----BEGIN ${kind}-----\\n"}`,
    ]) {
      const failure = await failureOf(tokens.exchange(client({ clientSecret, authentication }), CODE));
      expect(failure.kind).toBe('client_refused');
      expect(failure.message).toContain('Its secret is a private key, which is never sent.');
    }
    expect(server.requests).toEqual([]);
  });

  it.each([undefined, ''])('names a public client (secret %j) and sends no secret', async (clientSecret) => {
    await exchange(reply, { clientSecret, authentication: 'basic' });
    expect(sentForm()).toMatchObject({ client_id: 'client-1' });
    expect(sentForm()).not.toHaveProperty('client_secret');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('token reply of a provider', () => {
  const full = {
    access_token: 'at',
    token_type: 'Bearer',
    refresh_token: 'rt',
    expires_in: 3600,
    scope: 'read write',
  };
  const read = {
    accessToken: 'at',
    refreshToken: 'rt',
    expiresInSeconds: 3600,
    scopes: ['read', 'write'],
  };
  it('reads scopes by our names, where the provider calls them otherwise', async () => {
    const scopeNames = { read: 'https://p.example/read', all: 'https://p.example/all' };
    const scope = 'https://p.example/all openid https://p.example/read all';
    const reply = await exchange({ json: { ...full, scope } }, { scopeNames });
    expect(reply.scopes).toEqual(['all', 'openid', 'read']);
  });

  const bare = { accessToken: 'at', refreshToken: undefined, expiresInSeconds: undefined, scopes: undefined };

  it.each<[string, Fault, Partial<TokenReply>]>([
    ['as the RFC has it', { json: full }, {}],
    ['with 201', { json: full, status: 201 }, {}],
    ['with a byte order mark', { body: `\ufeff${JSON.stringify(full)}` }, {}],
    ['as text/html that is JSON', { json: full, headers: { 'content-type': 'text/html' } }, {}],
    [
      'as a form',
      {
        body: 'access_token=at&token_type=bearer&refresh_token=rt&expires_in=3600&scope=read%20write',
        headers: FORM,
      },
      {},
    ],
    [
      'as a form called text/plain',
      {
        body: 'access_token=at&refresh_token=rt&expires_in=3600&scope=read,write\n',
        headers: { 'content-type': 'text/plain' },
      },
      {},
    ],
    ['without token_type', { json: { ...full, token_type: undefined } }, {}],
    ['with token_type null', { json: { ...full, token_type: null } }, {}],
    ['with token_type BEARER', { json: { ...full, token_type: 'BEARER ' } }, {}],
    ['with an id_token that is none', { json: { ...full, id_token: 'not a jwt' } }, {}],
    ['with error null', { json: { ...full, error: null } }, {}],
    ['with ok true', { json: { ...full, ok: true, error: '' } }, {}],
    ['with expires_in as text', { json: { ...full, expires_in: '3600' } }, {}],
    ['with expires_in as a fraction', { json: { ...full, expires_in: 3600.9 } }, {}],
    ['with expires_in null', { json: { ...full, expires_in: null } }, { expiresInSeconds: undefined }],
    ['with expires_in empty', { json: { ...full, expires_in: '' } }, { expiresInSeconds: undefined }],
    ['with expires_in garbage', { json: { ...full, expires_in: 'soon' } }, { expiresInSeconds: undefined }],
    ['with expires_in as an object', { json: { ...full, expires_in: {} } }, { expiresInSeconds: undefined }],
    ['with expires_in 0', { json: { ...full, expires_in: 0 } }, { expiresInSeconds: undefined }],
    ['with expires_in -1', { json: { ...full, expires_in: -1 } }, { expiresInSeconds: undefined }],
    ['with expires_in 1e300', { json: { ...full, expires_in: 1e300 } }, { expiresInSeconds: undefined }],
    ['with an empty refresh_token', { json: { ...full, refresh_token: '' } }, { refreshToken: undefined }],
    ['with refresh_token null', { json: { ...full, refresh_token: null } }, { refreshToken: undefined }],
    ['with refresh_token false', { json: { ...full, refresh_token: false } }, { refreshToken: undefined }],
    ['with scope as an array', { json: { ...full, scope: ['read', 'write', 7] } }, {}],
    ['with scope separated by commas', { json: { ...full, scope: 'read, write,read' } }, {}],
    ['with scope null', { json: { ...full, scope: null } }, { scopes: undefined }],
    ['with an empty scope', { json: { ...full, scope: ' ' } }, { scopes: undefined }],
    ['with an access token alone', { json: { access_token: 'at' } }, bare],
  ])('understands a token reply %s', async (_, fault, change) => {
    expect(await exchange(fault)).toEqual({ ...read, ...change });
  });
});

describe('token request: failure', () => {
  it.each<[string, Fault, string, number | undefined]>([
    ['invalid_grant', { status: 400, json: { error: 'invalid_grant' } }, 'invalid_grant', 400],
    ['invalid_grant with 401', { status: 401, json: { error: 'invalid_grant' } }, 'invalid_grant', 401],
    ['invalid_grant inside a 200', { json: { error: 'invalid_grant' } }, 'invalid_grant', 200],
    [
      'invalid_grant as a form',
      { status: 400, body: 'error=invalid_grant', headers: FORM },
      'invalid_grant',
      400,
    ],
    [
      'bad_verification_code inside a 200',
      { json: { error: 'bad_verification_code' } },
      'invalid_grant',
      200,
    ],
    ['ok false with invalid_code', { json: { ok: false, error: 'invalid_code' } }, 'invalid_grant', 200],
    ['ok false with another error', { json: { ok: false, error: 'team_gone' } }, 'refused', 200],
    ['ok false alone', { json: { ok: false, access_token: 'at' } }, 'refused', 200],
    ['an error beside a token', { json: { error: 'invalid_scope', access_token: 'at' } }, 'refused', 200],
    ['an error as an object', { json: { error: { type: 'Broken', message: 'no' } } }, 'refused', 200],
    ['invalid_client', { status: 401, json: { error: 'invalid_client' } }, 'client_refused', 401],
    ['unauthorized_client', { status: 400, json: { error: 'unauthorized_client' } }, 'client_refused', 400],
    [
      'a challenge without a body',
      { status: 401, body: '', headers: { 'www-authenticate': 'Basic realm="x"' } },
      'client_refused',
      401,
    ],
    ['invalid_request', { status: 400, json: { error: 'invalid_request' } }, 'refused', 400],
    ['an unknown error', { status: 400, json: { error: '__proto__' } }, 'refused', 400],
    ['429', { status: 429, json: { error: 'invalid_grant' } }, 'temporary', 429],
    ['500 in HTML', { status: 500, body: '<h1>Oops</h1>' }, 'temporary', 500],
    ['503', { status: 503, body: '' }, 'temporary', 503],
    ['server_error', { status: 400, json: { error: 'server_error' } }, 'temporary', 400],
    ['400 in HTML', { status: 400, body: '<p>bad=request</p>' }, 'unknown', 400],
    ['403 without an error', { status: 403, json: { message: 'no' } }, 'unknown', 403],
    ['HTML with 200', { body: '<!doctype html><title>a=b</title>' }, 'unknown', 200],
    ['an empty 200', { body: '' }, 'unknown', 200],
    ['JSON that is cut off', { body: '{"access_token":"at"' }, 'unknown', 200],
    ['JSON that is an array', { json: [{ access_token: 'at' }] }, 'unknown', 200],
    ['JSON nested without end', { body: '['.repeat(100_000) }, 'unknown', 200],
    ['no access token', { json: { token_type: 'bearer' } }, 'unknown', 200],
    ['an access token that is a number', { json: { access_token: 7 } }, 'unknown', 200],
    ['an access token with a line break', { json: { access_token: 'a\r\nx: y' } }, 'unknown', 200],
    ['a token type that needs more', { json: { access_token: 'at', token_type: 'DPoP' } }, 'unknown', 200],
    ['a token type nobody knows', { json: { access_token: 'at', token_type: 'mac' } }, 'unknown', 200],
    ['a reset', { reset: true }, 'unknown', undefined],
    ['no answer', { hang: true }, 'unknown', undefined],
    ['headers and then nothing', { headersOnly: true }, 'unknown', undefined],
    ['a dripping answer', { json: { access_token: 'at'.repeat(500) }, dripMs: 50 }, 'unknown', undefined],
    ['half an answer', { json: { access_token: 'at' }, truncate: true }, 'unknown', undefined],
    ['more than 1 MB', { hugeBytes: 1_200_000 }, 'unknown', undefined],
    ['a bomb', { gzipBombBytes: 50_000_000 }, 'unknown', undefined],
    ['no HTTP', { raw: 'hello\r\n\r\n' }, 'unknown', undefined],
  ])('classifies the failure after %s', async (_, fault, kind, status) => {
    const failure = await failureOf(exchange(fault));
    expect({ kind: failure.kind, status: failure.status }).toEqual({ kind, status });
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect with status %i', async (status) => {
    const failure = await failureOf(exchange({ status, headers: { location: `${canary.origin}/token` } }));
    expect({ kind: failure.kind, status: failure.status }).toEqual({ kind: 'unknown', status });
    expect(canary.requests).toEqual([]);
  });

  it.each([
    ['a closed port', 'http://127.0.0.1:1/token'],
    ['a private address', 'http://127.0.0.2/token'],
    ['http to a public host', 'http://provider.example/token'],
    ['no address at all', 'nowhere'],
    ['another scheme', 'file:///etc/passwd'],
  ])('counts a request to %s as not sent', async (_, tokenUrl) => {
    const failure = await failureOf(tokens.exchange(client({ tokenUrl }), CODE));
    expect(failure.kind).toBe('not_sent');
    expect(server.requests).toEqual([]);
  });

  it('gives a refresh a deadline of its own, also for the headers', async () => {
    server.queue({ json: { access_token: 'at' }, delayMs: IMPATIENT_MS * 2 });
    expect(await impatient.refresh(client(), 'refresh-1', { timeoutMs: 30_000 })).toMatchObject({
      accessToken: 'at',
    });
    server.queue({ hang: true });
    const failure = await failureOf(tokens.refresh(client(), 'refresh-1', { timeoutMs: IMPATIENT_MS }));
    expect(failure.kind).toBe('unknown');
  });

  it.each([
    ['120', 120_000],
    ['0.5', 500],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['later', undefined],
  ])('tells when to come back for Retry-After %s', async (value, retryAfterMs) => {
    const failure = await failureOf(exchange({ status: 503, headers: { 'retry-after': value } }));
    expect(failure.retryAfterMs).toBe(retryAfterMs);
  });
});

describe('token request: words of the provider', () => {
  it("keeps the provider's words as data next to our own sentence", async () => {
    const failure = await failureOf(
      exchange({ status: 400, json: { error: 'invalid_scope', error_description: 'No such scope' } }),
    );
    expect(failure).toMatchObject({ providerError: 'invalid_scope', providerDescription: 'No such scope' });
    expect(failure.message).toBe('The provider refuses the token request.');
  });

  it('removes control characters and cuts at 300 characters, never within one', async () => {
    const failure = await failureOf(
      exchange({
        status: 400,
        json: { error: 'bad\u0000\u001b[31m', error_description: `a\r\nb\u202E c\u2028${'😀'.repeat(200)}` },
      }),
    );
    expect(failure.providerError).toBe('bad [31m');
    expect(failure.providerDescription).toMatch(/^a b c 😀/u);
    expect(failure.providerDescription).toHaveLength(299);
    expect(failure.providerDescription).toMatch(/^(?:[^\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$/);
  });

  it.each([
    ['the client secret', 'top-secret'],
    ['the code', 'code-abcdef'],
    ['the verifier', 'verifier-abcdef'],
    ['the Basic credentials', Buffer.from('client-1:top-secret').toString('base64')],
    ['a secret with something invisible in it', 'top-secret', 'top-sec\u200bret'],
    ['a token of the same answer', 'fresh-access-token'],
  ])('never repeats %s in the failure', async (_, secret, said = secret) => {
    const failure = await failureOf(
      exchange({
        status: 400,
        json: { error: 'nope', error_description: `got ${said}`, access_token: 'fresh-access-token' },
      }),
    );
    expect(failure.providerDescription).not.toContain(secret);
    expect(failure.providerDescription).toMatch(/^got /);
  });

  it.each<[string, Fault]>([
    ['an unusable token type', { json: { access_token: 'issued-token', token_type: 'mac' } }],
    ['a bad access token', { json: { access_token: 'issued-token\n', refresh_token: 'issued-token' } }],
    ['garbage', { body: 'issued-token' }],
    ['a redirect', { status: 302, headers: { location: 'https://x.example/?t=issued-token' } }],
  ])('keeps tokens and secrets out of the failure for %s', async (_, fault) => {
    const failure = await failureOf(exchange(fault));
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(
      /issued-token|top-secret|code-abcdef|verifier-abcdef/,
    );
  });
});

describe('token revocation at the provider', () => {
  it('sends the token, its kind and the client', async () => {
    server.queue({ status: 200, body: '' });
    await tokens.revoke(client(), 'refresh-1', 'refresh_token');
    expect(server.requests[0]?.target).toBe('/oauth/revoke');
    expect(sentForm()).toEqual({
      token: 'refresh-1',
      token_type_hint: 'refresh_token',
      client_id: 'client-1',
      client_secret: 'top-secret',
    });
  });

  it.each<[string, Fault]>([
    ['204', { status: 204, body: '' }],
    ['200 with HTML', { body: '<p>done</p>' }],
    ['a token the provider does not know', { status: 400, json: { error: 'invalid_token' } }],
    ['a grant the provider does not know', { status: 400, json: { error: 'invalid_grant' } }],
  ])('counts %s as revoked', async (_, fault) => {
    server.queue(fault);
    await expect(tokens.revoke(client(), 'refresh-1', 'refresh_token')).resolves.toBeUndefined();
  });

  it.each<[string, Fault, string]>([
    ['503', { status: 503, headers: { 'retry-after': '1' } }, 'temporary'],
    ['invalid_token with 500', { status: 500, json: { error: 'invalid_token' } }, 'temporary'],
    ['invalid_client', { status: 401, json: { error: 'invalid_client' } }, 'client_refused'],
    ['unsupported_token_type', { status: 400, json: { error: 'unsupported_token_type' } }, 'refused'],
    ['a redirect', { status: 302, headers: { location: '/' } }, 'unknown'],
    ['no answer', { hang: true }, 'unknown'],
  ])('fails when the provider answers %s', async (_, fault, kind) => {
    server.queue(fault);
    const by = fault.hang === true ? impatient : tokens;
    const failure = await failureOf(by.revoke(client(), 'refresh-1', 'refresh_token'));
    expect(failure.kind).toBe(kind);
  });

  it('sends nothing where the provider has no endpoint for it', async () => {
    const failure = await failureOf(
      tokens.revoke(client({ revocationUrl: undefined }), 'refresh-1', 'refresh_token'),
    );
    expect(failure.kind).toBe('not_sent');
    expect(server.requests).toEqual([]);
  });
});

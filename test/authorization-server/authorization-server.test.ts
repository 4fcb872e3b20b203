import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ClientCredentialsProvider,
  discoverAuthorizationServerMetadata,
  fetchToken,
} from '@modelcontextprotocol/client';
import { ServiceError } from '../../src/core/errors.ts';
import type { NewCredentialView } from '../../src/api-credentials/api-credentials.ts';
import { AuthorizationServer } from '../../src/authorization-server/authorization-server.ts';
import { admin, basic, brokenDatabase, startIdentity, type Identity } from './identity-support.ts';

let identity: Identity;
let baseUrl: string;
let credential: NewCredentialView;
let sender: Record<string, string>;

beforeAll(async () => {
  identity = await startIdentity();
  baseUrl = identity.environment.baseUrl;
});
afterAll(async () => identity.close());
beforeEach(async () => {
  ({ credential, sender } = await newMachine());
});

async function newMachine(
  organization?: string,
): Promise<{ credential: NewCredentialView; sender: Record<string, string> }> {
  const made = await identity.credentials.create(admin, {
    name: 'Backend',
    scopes: ['tools:execute'],
    organization_id: organization,
  });
  return { ...made, sender: basic(made.credential.client_id, made.credential.client_secret) };
}

async function newToken(as = sender): Promise<string> {
  const answer = await identity.post('/oauth/token', { grant_type: 'client_credentials' }, as);
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function introspect(token: string, as = sender): Promise<unknown> {
  const answer = await identity.post('/oauth/introspect', { token }, as);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return answer.json();
}

async function revoke(token: string, as = sender, more: Record<string, string> = {}): Promise<Response> {
  return identity.post('/oauth/revoke', { token, ...more }, as);
}

const INACTIVE = { active: false };

describe('token introspection: POST /oauth/introspect', () => {
  it('tells what a token stands for', async () => {
    expect(await introspect(await newToken())).toEqual({
      active: true,
      token_type: 'Bearer',
      iss: baseUrl,
      aud: baseUrl,
      sub: credential.client_id,
      client_id: credential.client_id,
      scope: 'tools:execute',
      scopes: ['tools:execute'],
      gid: credential.id,
      jti: expect.any(String),
      iat: 1795176000,
      nbf: 1795176000,
      exp: 1795179600,
    });
  });

  it('tells another client of the environment the same', async () => {
    const other = await newMachine();
    expect(await introspect(await newToken(), other.sender)).toMatchObject({
      active: true,
      gid: credential.id,
    });
  });

  it('tells a client of an organization nothing about the tokens of others', async () => {
    const [a, b] = [await newMachine('org_a'), await newMachine('org_b')];
    const token = await newToken(a.sender);
    expect(await introspect(token, a.sender)).toMatchObject({ active: true, oid: 'org_a' });
    expect(await introspect(token, b.sender)).toEqual(INACTIVE);
    expect(await introspect(await newToken(), b.sender)).toEqual(INACTIVE);
  });

  it.each(['garbage', 'a.b.c', '\u0000', 'e30.e30.e30'])('answers active: false for %j', async (token) => {
    expect(await introspect(token)).toEqual(INACTIVE);
  });

  it('answers active: false for the token of a deleted credential', async () => {
    const other = await newMachine();
    const token = await newToken(other.sender);
    expect(await introspect(token)).toMatchObject({ active: true });
    await identity.credentials.remove(admin, other.credential.id);
    expect(await introspect(token)).toEqual(INACTIVE);
  });

  it('requires an authenticated client and a token', async () => {
    const stranger = await identity.post('/oauth/introspect', { token: await newToken() });
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ error: 'invalid_client' });
    const empty = await identity.post('/oauth/introspect', {}, sender);
    expect(empty.status).toBe(400);
    expect(await empty.json()).toEqual({
      error: 'invalid_request',
      error_description: 'The parameter token is missing.',
    });
  });
});

describe('token revocation: POST /oauth/revoke', () => {
  it('revokes a token, for this process at once', async () => {
    const token = await newToken();
    const kept = await newToken();
    const audiences = [baseUrl];
    await identity.verifier.verify('env_dev', token, { audiences });
    const answer = await revoke(token, sender, { token_type_hint: 'access_token' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.text()).toBe('');
    await expect(identity.verifier.verify('env_dev', token, { audiences })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(await introspect(token)).toEqual(INACTIVE);
    expect(await introspect(kept)).toMatchObject({ active: true });
  });

  it('answers 200 to a second revocation and to what is no token', async () => {
    const token = await newToken();
    for (const text of [token, token, 'garbage', 'a.b.c']) expect((await revoke(text)).status).toBe(200);
  });

  it('refuses to revoke the token of another client', async () => {
    const other = await newMachine();
    const token = await newToken();
    const answer = await revoke(token, other.sender);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: 'unauthorized_client',
      error_description: 'The token was issued to another client.',
    });
    expect(await introspect(token)).toMatchObject({ active: true });
  });

  it('requires an authenticated client and a token', async () => {
    const token = await newToken();
    expect((await identity.post('/oauth/revoke', { token })).status).toBe(401);
    expect((await identity.post('/oauth/revoke', {}, sender)).status).toBe(400);
    expect(await introspect(token)).toMatchObject({ active: true });
  });
});

describe('authorization server metadata', () => {
  it('builds the metadata from the configured address, whatever the request says', async () => {
    const answer = await identity.request('/.well-known/oauth-authorization-server', {
      headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await answer.json()).toEqual({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      registration_endpoint: `${baseUrl}/oauth/register`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      introspection_endpoint: `${baseUrl}/oauth/introspect`,
      jwks_uri: `${baseUrl}/keys`,
      scopes_supported: [
        'accounts:read',
        'accounts:write',
        'accounts:credentials',
        'tools:execute',
        'metrics:read',
        'admin',
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
      ],
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
  });

  it('serves OpenID clients the same metadata', async () => {
    const oauth = await (await identity.request('/.well-known/oauth-authorization-server')).json();
    expect(await (await identity.request('/.well-known/openid-configuration')).json()).toEqual({
      ...(oauth as object),
      response_types_supported: ['code', 'id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
    });
  });

  it('publishes the public keys as a JWK set', async () => {
    const answer = await identity.request('/keys?x=1');
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json');
    const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
  });

  it('answers HEAD like GET, and 405 to every other method', async () => {
    expect((await identity.request('/keys', { method: 'HEAD' })).status).toBe(200);
    expect((await identity.post('/keys', {})).status).toBe(405);
    expect((await identity.post('/.well-known/openid-configuration', {})).headers.get('allow')).toBe('GET');
  });

  it('names the addresses that the server answers', async () => {
    expect(AuthorizationServer.answers('/oauth/token')).toBe(true);
    expect(AuthorizationServer.answers('/oauth/token/')).toBe(false);
    expect(AuthorizationServer.answers('/api/v1/tools')).toBe(false);
    expect((await identity.request('/oauth/other')).status).toBe(404);
  });
});

describe('authorization server: failure behind the endpoints', () => {
  async function failing(error: Error, work: (broken: Identity) => Promise<void>): Promise<void> {
    const broken = await startIdentity({}, brokenDatabase(identity.database, error));
    try {
      await work(broken);
    } finally {
      await broken.close();
    }
  }

  it('answers 503 with Retry-After when the database cannot be used', async () => {
    const busy = new ServiceError('UNAVAILABLE', 'The database is busy.', { retryAfterSeconds: 5 });
    await failing(busy, async (broken) => {
      const answer = await broken.post('/oauth/token', { grant_type: 'client_credentials' }, sender);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await answer.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: 'The database is busy.',
      });
      expect(broken.logged).toEqual([['warn', 'oauth_unavailable', { err: busy }]]);
    });
  });

  it('logs a defect and tells the client nothing about it', async () => {
    const defect = new Error('column x of table y');
    await failing(defect, async (broken) => {
      const answer = await broken.post('/oauth/revoke', { token: 'x' }, sender);
      expect(answer.status).toBe(500);
      expect(await answer.json()).toEqual({
        error: 'server_error',
        error_description: 'Something went wrong here. Try again later.',
      });
      expect(broken.logged).toEqual([['error', 'oauth_failed', { err: defect }]]);
    });
  });
});

describe('authorization server: MCP client of the current SDK', () => {
  it('lets the client find the server and get a token for the MCP address with HTTP Basic', async () => {
    const metadata = await discoverAuthorizationServerMetadata(baseUrl);
    expect(metadata?.token_endpoint).toBe(`${baseUrl}/oauth/token`);
    const provider = new ClientCredentialsProvider({
      clientId: credential.client_id,
      clientSecret: credential.client_secret,
      expectedIssuer: baseUrl,
      scope: 'tools:execute',
    });
    const tokens = await fetchToken(provider, baseUrl, {
      ...(metadata === undefined ? {} : { metadata }),
      resource: new URL(`${baseUrl}/mcp`),
    });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'tools:execute' });
    const verified = await identity.verifier.verify('env_dev', tokens.access_token, {
      audiences: [`${baseUrl}/mcp`],
    });
    expect(verified.credentialId).toBe(credential.id);
  });
});

import { SignJWT, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { NewCredentialView } from '../../../src/api-credentials/api-credentials.ts';
import {
  TokenVerifier,
  toCaller,
  type VerifiedToken,
} from '../../../src/authorization-server/tokens/token-verifier.ts';
import { RevokedTokenStore } from '../../../src/store/tokens/revoked-token-store.ts';
import { sentStatements } from '../../support/measured.ts';
import { admin, basic, startIdentity, type Identity } from '../identity-support.ts';

let identity: Identity;
let credential: NewCredentialView;
let baseUrl: string;

beforeAll(async () => {
  identity = await startIdentity();
  baseUrl = identity.environment.baseUrl;
});
afterAll(async () => identity.close());
beforeEach(async () => {
  ({ credential } = await identity.credentials.create(admin, {
    name: 'Backend',
    scopes: ['tools:execute', 'accounts:read'],
    organization_id: 'org_a',
  }));
});

async function newToken(form: Record<string, string> = {}): Promise<string> {
  const answer = await identity.post(
    '/oauth/token',
    { grant_type: 'client_credentials', ...form },
    basic(credential.client_id, credential.client_secret),
  );
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** A token with our key whose claims are changed; `undefined` removes one. */
async function forged(
  claims: Record<string, unknown>,
  {
    header = {},
    environmentId = 'env_dev',
  }: { header?: Record<string, string>; environmentId?: string } = {},
): Promise<string> {
  const jwk = await identity.keys.signingJwk(environmentId);
  const now = Math.floor(identity.clock.now() / 1000);
  return new SignJWT({
    iss: baseUrl,
    sub: credential.client_id,
    client_id: credential.client_id,
    aud: baseUrl,
    iat: now,
    nbf: now,
    exp: now + 60,
    jti: 'j1',
    scope: 'tools:execute',
    gid: credential.id,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid, ...header })
    .sign(await importJWK(jwk, 'RS256'));
}

async function verify(
  token: string,
  audiences = [baseUrl],
  verifier = identity.verifier,
): Promise<VerifiedToken> {
  return verifier.verify('env_dev', token, { audiences });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'UNAUTHENTICATED') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Another process on the same database and clock. */
function otherProcess(): TokenVerifier {
  const { environments, keys, database, clock } = identity;
  return new TokenVerifier({ log: silentLog, environments, keys, database, clock });
}

const EXPIRED = 'The access token has expired. Get a new one from the token endpoint.';
const REVOKED = 'The access token was revoked, or its credential was deleted. Get a new one.';
const NOT_OURS = 'This is not an access token of this server. Get one from the token endpoint.';

describe('access token verification', () => {
  it('reads what a token stands for', async () => {
    expect(await verify(await newToken())).toEqual({
      environmentId: 'env_dev',
      credentialId: credential.id,
      clientId: credential.client_id,
      scopes: new Set(['accounts:read', 'tools:execute']),
      organizationId: 'org_a',
      audience: [baseUrl],
      expiresAt: identity.clock.now() + 3_600_000,
      tokenId: expect.stringMatching(/^[\w-]{20,}$/),
    });
  });

  it('notes the use of a credential once a minute', async () => {
    const lastUse = async () => (await identity.credentials.get('env_dev', credential.id)).last_used_at;
    const token = await newToken();
    const used = async () => {
      await verify(token);
      // Nobody waits for the note; transactions of one process run one after the other.
      await identity.database.transaction(async () => {});
      return lastUse();
    };
    const started = identity.clock.now();
    expect(await lastUse()).toBeNull();
    const times = [await used()];
    for (const ms of [30_000, 29_000, 4_000]) {
      identity.clock.advance(ms);
      times.push(await used());
    }
    const first = new Date(started).toISOString();
    expect(times).toEqual([first, first, first, new Date(started + 63_000).toISOString()]);
  });

  it('accepts the unchanged token that the tests below change', async () => {
    expect((await verify(await forged({}))).tokenId).toBe('j1');
  });

  it('accepts one of several audiences', async () => {
    const token = await newToken({ resource: `${baseUrl}/mcp` });
    expect((await verify(token, [baseUrl, `${baseUrl}/mcp`])).audience).toEqual([`${baseUrl}/mcp`]);
  });

  it('refuses a token for another resource and says which one is needed', async () => {
    const token = await newToken({ resource: `${baseUrl}/mcp` });
    expect(await refusal(verify(token, [baseUrl, `${baseUrl}/api`]))).toBe(
      `The access token is for ${baseUrl}/mcp, not for this address. Ask for a token without resource, or with the resource ${baseUrl}/api.`,
    );
    expect(await refusal(verify(await forged({ aud: 'https://evil.test' })))).toContain('https://evil.test');
  });

  it('refuses a token from the moment it expires, remembered or not', async () => {
    const token = await newToken();
    const fresh = await newToken();
    await verify(token);
    identity.clock.advance(3_599_999);
    await verify(token);
    identity.clock.advance(1);
    expect(await refusal(verify(token))).toBe(EXPIRED);
    expect(await refusal(verify(fresh))).toBe(EXPIRED);
  });

  it('overlooks a clock that is half a minute ahead, not more', async () => {
    const now = Math.floor(identity.clock.now() / 1000);
    await verify(await forged({ nbf: now + 30 }));
    expect(await refusal(verify(await forged({ nbf: now + 31 })))).toBe(NOT_OURS);
  });

  it.each<[string, () => Promise<string>]>([
    ['another issuer', async () => forged({ iss: 'https://evil.test' })],
    ['no credential', async () => forged({ gid: undefined })],
    ['no expiry', async () => forged({ exp: undefined })],
    ['no token id', async () => forged({ jti: undefined })],
    ['no audience', async () => forged({ aud: undefined })],
    ['the type of an id token', async () => forged({}, { header: { typ: 'JWT' } })],
    ['a key that is not ours', async () => forged({}, { header: { kid: 'key_other' } })],
    ['the key of another environment', async () => forged({}, { environmentId: 'env_prod' })],
    ['a changed payload', async () => changed(await newToken())],
    ['a cut signature', async () => (await newToken()).slice(0, -8)],
    ['no signature', async () => (await newToken()).replace(/\.[^.]+$/, '.')],
    ['alg none', async () => unsigned(await newToken())],
    ['the public key as a secret', async () => hmacWithPublicKey()],
    ['the text of no token', async () => 'not-a-token'],
    ['nothing', async () => ''],
    ['NUL', async () => '\u0000.\u0000.\u0000'],
    ['a very long text', async () => `${'a'.repeat(20_000)}.a.a`],
    ['an empty header', async () => 'e30.e30.e30'],
    ['a header of broken JSON', async () => `${encoded('{')}.e30.e30`],
    ['a header that is a list', async () => `${encoded('[]')}.e30.e30`],
    ['a header of odd types', async () => `${encoded('{"alg":["RS256"],"kid":{},"typ":1}')}.e30.e30`],
    ['an unknown critical header', async () => `${encoded('{"alg":"RS256","crit":["x"],"x":1}')}.e30.e30`],
    ['letters that are no base64', async () => '!.?.§'],
    ['a lone surrogate', async () => '\ud800.\ud800.\ud800'],
  ])('refuses a token with %s', async (_what, make) => {
    expect(await refusal(verify(await make()))).toBe(NOT_OURS);
  });

  it('refuses a token of one environment in another', async () => {
    const token = await newToken();
    await verify(token);
    const elsewhere = identity.verifier.verify('env_prod', token, { audiences: [baseUrl] });
    expect(await refusal(elsewhere)).toBe(NOT_OURS);
  });
});

describe('access token verification: revoked token', () => {
  it('refuses the token within 5 s in a process that has seen it', async () => {
    const token = await newToken();
    const other = otherProcess();
    const { tokenId, expiresAt } = await verify(token, [baseUrl], other);
    await identity.database.transaction(async (tx) =>
      new RevokedTokenStore(tx).add({ environment_id: 'env_dev', token_id: tokenId, expires_at: expiresAt }),
    );
    identity.clock.advance(3_999);
    await verify(token, [baseUrl], other);
    identity.clock.advance(1);
    expect(await refusal(verify(token, [baseUrl], other))).toBe(REVOKED);
    expect(await refusal(verify(token, [baseUrl], other))).toBe(REVOKED);
  });

  it('refuses the token at once in a process that has not seen it', async () => {
    const token = await newToken();
    await identity.credentials.remove(admin, credential.id);
    expect(await refusal(verify(token))).toBe(REVOKED);
  });

  it('refuses the token within 5 s when its credential is deleted', async () => {
    const token = await newToken();
    await verify(token);
    await identity.credentials.remove(admin, credential.id);
    identity.clock.advance(4_000);
    expect(await refusal(verify(token))).toBe(REVOKED);
  });

  it('refuses the token when the clock was set back meanwhile', async () => {
    const token = await newToken();
    await verify(token);
    await identity.credentials.remove(admin, credential.id);
    identity.clock.advance(-1);
    expect(await refusal(verify(token))).toBe(REVOKED);
    identity.clock.advance(1);
  });
});

/** The use of a credential is recorded apart from the checks. */
function isRead(statement: string): boolean {
  return statement.startsWith('select');
}

describe('access token verification: memory', () => {
  it('remembers tokens up to a limit, and forgets the least used first', async () => {
    const { environments, keys, clock, database } = identity;
    const sent = sentStatements();
    const watched = new TokenVerifier({
      log: silentLog,
      environments,
      keys,
      clock,
      database,
      rememberedTokens: 3,
    });
    const jti = ['a', 'b', 'c', 'd'];
    const [a, b, c, d] = await Promise.all(jti.map(async (id) => forged({ jti: id })));
    for (const token of [a, b, c, a, d]) await verify(token ?? '', [baseUrl], watched);
    expect(sent.filter(isRead)).toHaveLength(4);
    for (const token of [a, c, d]) await verify(token ?? '', [baseUrl], watched);
    expect(sent.filter(isRead)).toHaveLength(4);
    await verify(b ?? '', [baseUrl], watched);
    expect(sent.filter(isRead)).toHaveLength(5);
  });
});

describe('access token verification: database load', () => {
  it('asks the database once in 4 s for a repeated token, however many calls there are at once', async () => {
    const token = await newToken();
    const { environments, keys, clock, database } = identity;
    const sent = sentStatements();
    const watched = new TokenVerifier({ log: silentLog, environments, keys, clock, database });
    await verify(token, [baseUrl], watched);
    expect(sent.filter(isRead)).toHaveLength(1);
    for (let i = 0; i < 100; i++) await verify(token, [baseUrl], watched);
    expect(sent.filter(isRead)).toHaveLength(1);
    clock.advance(4_000);
    await Promise.all(Array.from({ length: 50 }, async () => verify(token, [baseUrl], watched)));
    expect(sent.filter(isRead)).toHaveLength(2);
  });
});

describe('caller of an access token', () => {
  it('gives the caller that rules work with', async () => {
    const caller = toCaller(await verify(await newToken()), 'api', '192.0.2.5');
    expect(caller).toEqual({
      kind: 'machine',
      environmentId: 'env_dev',
      actor: credential.id,
      scopes: new Set(['accounts:read', 'tools:execute']),
      source: 'api',
      clientId: credential.client_id,
      boundOrganizationId: 'org_a',
      ip: '192.0.2.5',
    });
  });

  it('leaves out scopes that are not ours, and the organization where there is none', async () => {
    const token = await verify(await forged({ scope: 'tools:execute vip constructor' }));
    const caller = toCaller(token, 'mcp', '');
    expect([...caller.scopes]).toEqual(['tools:execute']);
    expect(caller).not.toHaveProperty('boundOrganizationId');
  });
});

function changed(token: string): string {
  const [header, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as object;
  const more = Buffer.from(JSON.stringify({ ...claims, scope: 'admin' })).toString('base64url');
  return `${header}.${more}.${signature}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function unsigned(token: string): string {
  const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}

/** The classic confusion: an HMAC keyed with what everybody can read. */
async function hmacWithPublicKey(): Promise<string> {
  const [jwk] = (await identity.keys.jwks('env_dev')).keys;
  return new SignJWT({ iss: baseUrl, aud: baseUrl, sub: 'x', client_id: 'x', gid: credential.id, jti: 'j' })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: jwk?.kid ?? '' })
    .setExpirationTime('1h')
    .sign(Buffer.from(JSON.stringify(jwk)));
}

/** Tokens of people as every face reads them: bound to one live session, its user, its client and its one resource. */
import { SignJWT, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller, Person } from '../../../src/core/caller.ts';
import { silentLog } from '../../../src/core/log.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { toCaller, TokenVerifier } from '../../../src/authorization-server/tokens/token-verifier.ts';
import { peopleOf, type People, type SessionOptions, type SignedIn } from '../../support/people.ts';
import { startIdentity, testVault, type Identity } from '../identity-support.ts';

let identity: Identity;
let people: People;
let base: string;
let ada: string;
let names = 0;

beforeAll(async () => {
  identity = await startIdentity();
  base = identity.environment.baseUrl;
  people = peopleOf({ ...identity, db: identity.database, vault: testVault() }, 'env_dev');
});
afterAll(async () => identity.close());
beforeEach(async () => {
  ada = await people.user(`ada-${names++}`);
});

const verify = async (token: string, path = '/mcp', verifier = identity.verifier) =>
  verifier.verify('env_dev', token, { audiences: [base, `${base}${path}`] });

async function callerOf(token: string, path = '/mcp'): Promise<Caller> {
  return toCaller(await verify(token, path), 'mcp', '192.0.2.5');
}

async function personOf(token: string): Promise<Person | undefined> {
  const caller = await callerOf(token);
  return caller.kind === 'person' ? caller.person : undefined;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'nothing was refused',
    (thrown: unknown) => thrown,
  );
  return error instanceof ServiceError && error.code === 'UNAUTHENTICATED' ? error.message : String(error);
}

/** A token of a session with our key, its claims changed. */
async function forged({ userId, sessionId }: SignedIn, claims: Record<string, unknown>): Promise<string> {
  const jwk = await people.keys.signingJwk('env_dev');
  const now = Math.floor(identity.clock.now() / 1000);
  return new SignJWT({
    iss: base,
    sub: userId,
    client_id: 'test-client',
    aud: `${base}/mcp`,
    iat: now,
    nbf: now,
    exp: now + 60,
    jti: `j-${sessionId}`,
    scope: 'tools:execute accounts:read accounts:write',
    gid: sessionId,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid })
    .sign(await importJWK(jwk, 'RS256'));
}

const ENDED = 'The access token was revoked, or its session has ended. Sign in again.';

describe('token of a person: caller', () => {
  it('gives the token the reach of the person and of nobody else', async () => {
    const { token, sessionId } = await people.signIn(ada);
    const own = { userId: ada, organizationId: '' };
    expect(await callerOf(token)).toEqual({
      kind: 'person',
      isApp: true,
      environmentId: 'env_dev',
      actor: ada,
      scopes: new Set(['accounts:read', 'accounts:write', 'tools:execute']),
      source: 'mcp',
      clientId: 'test-client',
      person: { userId: ada, sessionId, organizationId: '' },
      owner: own,
      onlyOwner: own,
      ip: '192.0.2.5',
    });
  });

  it('gives the person the role in the organization of the session', async () => {
    const organizationId = await people.organization({ [ada]: 'admin' });
    const { token } = await people.signIn(ada, { organizationId });
    expect(await personOf(token)).toMatchObject({ organizationId, role: 'admin' });
  });

  it("never gives more than a person's scopes, whatever the token says", async () => {
    const session = await people.signIn(ada);
    const token = await forged(session, { scope: 'admin accounts:credentials tools:execute' });
    expect([...(await callerOf(token)).scopes]).toEqual(['tools:execute']);
  });

  it('gives admin to an operator whose token was made with it', async () => {
    const resource = `${base}/api`;
    const operator = await people.user(`operator-${names}`, true);
    const scopes = ['admin', 'accounts:read'];
    const { token } = await people.signIn(operator, { resource, scopes });
    expect([...(await callerOf(token, '/api')).scopes]).toEqual(['accounts:read', 'admin']);
    const { token: usual } = await people.signIn(operator, { resource });
    expect((await callerOf(usual, '/api')).scopes.has('admin')).toBe(false);
  });

  it('takes admin from an operator who came through an identity provider, unless it is allowed there', async () => {
    const operator = await people.user(`operator-${names}`, true);
    const organizationId = await people.organization({ [operator]: 'owner' });
    const setProvider = async (id: string, allowed: 0 | 1) =>
      identity.database.transaction(async (tx) =>
        tx
          .insertInto('organization_providers')
          .values({
            id,
            environment_id: 'env_dev',
            organization_id: organizationId,
            issuer: 'https://login.acme.example',
            client_id: 'gatehouse',
            client_secret_sealed: null,
            domains: '["example.test"]',
            entered_by_operator: 1,
            assume_email_verified: 0,
            allow_operator_rights: allowed,
            created_at: 1,
            updated_at: 1,
          })
          .onConflict((of) => of.column('id').doUpdateSet({ allow_operator_rights: allowed }))
          .execute(),
      );
    const { token } = await people.signIn(operator, {
      resource: `${base}/api`,
      scopes: ['admin', 'accounts:read'],
      connectionDetails: [{ id: 'idp_1', type: 'OIDC', provider: 'login.acme.example' }],
    });
    const hasAdmin = async () => {
      identity.clock.advance(4_000);
      return (await callerOf(token, '/api')).scopes.has('admin');
    };
    expect(await hasAdmin()).toBe(false);
    await setProvider('idp_1', 0);
    expect(await hasAdmin()).toBe(false);
    await setProvider('idp_1', 1);
    expect(await hasAdmin()).toBe(true);
    await setProvider('idp_1', 0);
    expect(await hasAdmin()).toBe(false);
  });

  it('reads the token of a virtual server as a user of the application, who is nobody here', async () => {
    const options: SessionOptions = {
      kind: 'mcp_server',
      resource: `${base}/mcp/desk`,
      scopes: ['tools:execute'],
    };
    const { token, sessionId } = await people.signIn('customer-7', options);
    const own = { userId: 'customer-7', organizationId: '' };
    const caller = await callerOf(token, '/mcp/desk');
    expect(caller).toMatchObject({ actor: sessionId, owner: own, onlyOwner: own });
    expect(caller).not.toHaveProperty('person');
  });
});

describe('token of a person: refusal', () => {
  it.each<[string, (session: SignedIn) => Promise<string>]>([
    ['with the session of somebody else', async (session) => forged(session, { sub: 'usr_other' })],
    ['with a client that did not sign in', async (session) => forged(session, { client_id: 'other' })],
    ['for two resources', async (session) => forged(session, { aud: [`${base}/mcp`, `${base}/api`] })],
    ['for the environment as a whole', async (session) => forged(session, { aud: base })],
    [
      'with a session that does not exist',
      async (session) => forged(session, { gid: `${session.sessionId}0` }),
    ],
  ])('refuses a token %s', async (_what, make) => {
    const session = await people.signIn(ada);
    await verify(await forged(session, {}));
    expect(await refusal(verify(await make(session)))).toBe(ENDED);
  });

  it('refuses a token from the moment its session ends by itself', async () => {
    const { token } = await people.signIn(ada, { expiresAt: identity.clock.now() + 60_000 });
    identity.clock.advance(59_999);
    await verify(token);
    identity.clock.advance(1);
    expect(await refusal(verify(token))).toContain('has expired');
  });

  it('refuses a token at another resource than its own', async () => {
    const { token } = await people.signIn(ada, { resource: `${base}/api` });
    expect(await refusal(verify(token))).toContain(`is for ${base}/api, not for this address`);
    const { token: mcp } = await people.signIn(ada);
    expect(await refusal(verify(mcp, '/api'))).toBe(
      `The access token is for ${base}/mcp, not for this address. Ask for a token with the resource ${base}/api.`,
    );
    expect(await refusal(verify(mcp, '/mcp/desk'))).toContain(`is for ${base}/mcp, not for this address`);
  });

  it('refuses a token in another environment', async () => {
    const { token } = await people.signIn(ada);
    const elsewhere = identity.verifier.verify('env_prod', token, { audiences: [`${base}/mcp`] });
    expect(await refusal(elsewhere)).toContain('not an access token of this server');
  });

  it('refuses a token that names the session of a browser', async () => {
    const { token } = await people.signIn(ada, { kind: 'browser' });
    expect(await refusal(verify(token))).toBe(ENDED);
  });

  it('refuses a token when its user is deleted', async () => {
    const { token } = await people.signIn(ada);
    await identity.database.transaction(async (tx) => {
      await tx.deleteFrom('users').where('id', '=', ada).execute();
    });
    expect(await refusal(verify(token))).toBe(ENDED);
  });
});

describe('token of a person: changes during its life', () => {
  const otherProcess = (): TokenVerifier => {
    const { environments, keys, database, clock } = identity;
    return new TokenVerifier({ log: silentLog, environments, keys, database, clock });
  };

  it('notices within 5 s that the session ends', async () => {
    const { token, sessionId } = await people.signIn(ada);
    const other = otherProcess();
    await verify(token, '/mcp', other);
    await people.endSession(sessionId);
    identity.clock.advance(3_999);
    await verify(token, '/mcp', other);
    identity.clock.advance(1);
    expect(await refusal(verify(token, '/mcp', other))).toBe(ENDED);
    expect(await refusal(verify(token))).toBe(ENDED);
  });

  it("notices within 5 s that the session's own end comes", async () => {
    const { token, sessionId } = await people.signIn(ada);
    await verify(token);
    await identity.database.transaction(async (tx) => {
      const expires_at = identity.clock.now() + 1_000;
      await tx.updateTable('sessions').set({ expires_at }).where('id', '=', sessionId).execute();
    });
    identity.clock.advance(4_000);
    expect(await refusal(verify(token))).toBe(ENDED);
  });

  it('notices within 5 s that the role changes', async () => {
    const organizationId = await people.organization({ [ada]: 'owner' });
    const { token } = await people.signIn(ada, { organizationId });
    expect((await personOf(token))?.role).toBe('owner');
    await people.setRole(ada, 'member');
    identity.clock.advance(4_000);
    expect(await personOf(token)).toMatchObject({ organizationId, role: 'member' });
    await people.setRole(ada, null);
    identity.clock.advance(4_000);
    const person = await personOf(token);
    expect(person?.organizationId).toBe('');
    expect(person).not.toHaveProperty('role');
  });

  it('drops the organization from a token made before its session went over to another', async () => {
    const organizationId = await people.organization({ [ada]: 'owner' });
    const session = await people.signIn(ada);
    const token = await forged(session, { oid: organizationId });
    expect(await personOf(token)).toMatchObject({ organizationId: '' });
  });

  it('shows introspection the same changes', async () => {
    const { token, sessionId } = await people.signIn(ada);
    expect((await identity.verifier.inspect('env_dev', token))?.claims.sub).toBe(ada);
    await people.endSession(sessionId);
    expect(await identity.verifier.inspect('env_dev', token)).toBeUndefined();
  });
});

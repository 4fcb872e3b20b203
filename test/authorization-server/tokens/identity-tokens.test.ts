import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { Environments } from '../../../src/core/environment.ts';
import { silentLog } from '../../../src/core/log.ts';
import { IdentityTokenIssuer } from '../../../src/authorization-server/tokens/identity-tokens.ts';
import { SigningKeys } from '../../../src/authorization-server/tokens/signing-keys.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { memoryDatabase, testVault } from '../identity-support.ts';

const clock = fixedClock();
const CLAIMS = {
  environmentId: 'env_dev',
  subject: 'connection:conn_1:account:ca_1',
  audience: 'sts.amazonaws.com',
  lifetimeSeconds: 300,
};

async function issuing(baseUrl: string) {
  const deps = { database: await memoryDatabase(), vault: testVault(), clock, log: silentLog };
  const environments = new Environments([
    {
      id: 'env_dev',
      name: 'development',
      baseUrl,
      userVerification: 'none',
      userVerifyUrl: undefined,
      userVerifyUrls: [],
      signUp: 'open',
      isLocalOnly: true,
    },
  ]);
  return { keys: new SigningKeys(deps), issuer: new IdentityTokenIssuer({ ...deps, environments }) };
}

describe('identity token for providers', () => {
  it('signs the token with the published key, and says who, for whom and how long', async () => {
    const { keys, issuer } = await issuing('https://gate.example');
    const token = await issuer.issue(CLAIMS);
    const [jwk] = (await keys.jwks('env_dev')).keys;
    const key = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
    const { payload, protectedHeader } = await jwtVerify(token, key, { currentDate: new Date(clock.now()) });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: jwk?.kid });
    const now = Math.floor(clock.now() / 1_000);
    expect(payload).toEqual({
      iss: 'https://gate.example',
      sub: 'connection:conn_1:account:ca_1',
      aud: 'sts.amazonaws.com',
      iat: now,
      exp: now + 300,
      jti: expect.any(String),
    });
  });

  it('gives each token an id of its own', async () => {
    const { issuer } = await issuing('https://gate.example');
    const idOf = (token: string) =>
      (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti;
    expect(idOf(await issuer.issue(CLAIMS))).not.toBe(idOf(await issuer.issue(CLAIMS)));
  });

  it('issues no token where the base URL is not known', async () => {
    const { issuer } = await issuing('');
    await expect(issuer.issue(CLAIMS)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Set port (GATEHOUSE_PORT) to a fixed one') as string,
    });
  });
});

/**
 * Signed statements of an environment about its accounts, for providers that trust our issuer (AWS STS).
 *
 * Signed with the key of access tokens, so that the published keys verify them. Never accepted as an access token
 * here, whatever the audience, because their `typ` differs.
 */
import { SignJWT } from 'jose';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import { newSecret } from '../../core/ids.ts';
import { SigningKeys, type SigningKeyDependencies } from './signing-keys.ts';

export class IdentityTokenIssuer {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #environments: Environments;

  constructor(deps: SigningKeyDependencies & { environments: Environments }) {
    this.#keys = new SigningKeys(deps);
    this.#clock = deps.clock;
    this.#environments = deps.environments;
  }

  /**
   * A JWT whose issuer is the environment's base URL.
   *
   * @throws UnreadableSecret if the signing key cannot be opened; ServiceError UNAVAILABLE if this process does not know
   * the base URL
   */
  async issue(claims: {
    environmentId: string;
    subject: string;
    audience: string;
    lifetimeSeconds: number;
  }): Promise<string> {
    const { baseUrl } = this.#environments.get(claims.environmentId);
    if (baseUrl === '')
      throw new ServiceError(
        'UNAVAILABLE',
        'With port 0 only the running server knows its address, so that no identity token can be issued here. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
      );
    const { kid, alg, ...jwk } = await this.#keys.signingJwk(claims.environmentId);
    const issuedAt = Math.floor(this.#clock.now() / 1_000);
    return new SignJWT({ jti: newSecret() })
      .setProtectedHeader({ alg, typ: 'JWT', kid })
      .setIssuer(baseUrl)
      .setSubject(claims.subject)
      .setAudience(claims.audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + claims.lifetimeSeconds)
      .sign(jwk);
  }
}

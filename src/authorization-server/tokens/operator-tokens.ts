/** Access tokens of API credentials for the operator at the command line, who needs no client secret. */
import { SignJWT } from 'jose';
import type { ApiCredentials, CredentialView } from '../../api-credentials/api-credentials.ts';
import { unknownScopes } from '../../api-credentials/credential-input.ts';
import { NO_VISITOR, type Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import { invalidArgument, invalidField, ServiceError } from '../../core/errors.ts';
import { newSecret } from '../../core/ids.ts';
import type { Database } from '../../store/engine/database.ts';
import { writeAuditLine } from '../../store/records/audit-store.ts';
import { machineClaims, scopesWithin, type BeforeMachineToken } from './machine-tokens.ts';
import type { IssuedToken } from './person-tokens.ts';
import type { SigningKeys } from './signing-keys.ts';

interface OperatorTokensDeps {
  database: Database;
  credentials: Pick<ApiCredentials, 'list' | 'get'>;
  keys: SigningKeys;
  environments: Environments;
  clock: Clock;
  tokenMs: number;
  beforeMachineToken: BeforeMachineToken;
}

export class OperatorTokens {
  readonly #deps: OperatorTokensDeps;

  /** @param deps.tokenMs lifetime of access tokens (`lifetimes.token`) */
  constructor(deps: OperatorTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Signs a token as the token endpoint would for this credential, for the base URL. Audited.
   *
   * @param wanted.credentialId default: the oldest credential that has the scopes and no organization
   * @param wanted.scopes none: all of the credential
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for scopes that the credential lacks; POLICY_DENIED;
   *   UNAVAILABLE while the base URL is not known
   */
  async issue(
    caller: Caller,
    wanted: { credentialId?: string | undefined; scopes: readonly string[] },
  ): Promise<IssuedToken> {
    const { environmentId } = caller;
    const environment = this.#deps.environments.get(environmentId);
    if (environment.baseUrl === '')
      throw new ServiceError(
        'UNAVAILABLE',
        'With port 0 only the running server knows its address, which a token names. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
      );
    const view = await this.#credential(environmentId, wanted);
    const now = this.#deps.clock.now();
    const issuedAt = Math.floor(now / 1_000);
    const seconds = Math.max(1, Math.floor(this.#deps.tokenMs / 1_000));
    const claims = await machineClaims(
      {
        environment,
        credential: {
          id: view.id,
          clientId: view.client_id,
          scopes: view.scopes,
          organizationId: view.organization_id,
        },
        visitor: NO_VISITOR,
      },
      {
        id: newSecret(),
        scopes: wanted.scopes.length === 0 ? view.scopes : wanted.scopes,
        audience: environment.baseUrl,
        times: { issuedAt, expiresAt: issuedAt + seconds },
      },
      this.#deps.beforeMachineToken,
    );
    await this.#deps.database.transaction(async (tx) =>
      writeAuditLine(tx, caller, { action: 'token.create', target: view.id, now }),
    );
    const { kid, alg, ...jwk } = await this.#deps.keys.signingJwk(environmentId);
    const header = { alg, typ: 'at+jwt', kid };
    const token = await new SignJWT(claims).setProtectedHeader(header).sign(jwk);
    return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: claims.scope };
  }

  async #credential(
    environmentId: string,
    { credentialId, scopes }: { credentialId?: string | undefined; scopes: readonly string[] },
  ): Promise<CredentialView> {
    const unknown = unknownScopes(scopes);
    if (unknown.length > 0) throw invalidArgument(unknown);
    if (credentialId !== undefined) {
      const named = await this.#deps.credentials.get(environmentId, credentialId);
      if (hasScopes(named, scopes)) return named;
      throw invalidField(
        'scopes',
        `This credential has the scopes ${named.scopes.join(', ')}. Choose from these.`,
        'enum',
      );
    }
    const newestFirst = await this.#deps.credentials.list(environmentId);
    const found = newestFirst.findLast(
      (credential) => credential.organization_id === '' && hasScopes(credential, scopes),
    );
    if (found !== undefined) return found;
    throw new ServiceError(
      'RESOURCE_NOT_FOUND',
      'No API credential has these scopes. "gatehouse credentials list" shows all, "gatehouse credentials create --name NAME --scopes SCOPES" creates one.',
    );
  }
}

function hasScopes(credential: CredentialView, wanted: readonly string[]): boolean {
  const scopes = scopesWithin(credential);
  return wanted.every((scope) => scopes.includes(scope));
}

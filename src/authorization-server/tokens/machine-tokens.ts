/**
 * The claims of an access token for a machine, and the hook that may change them before signing.
 *
 * Pure except for the hook: no signing, no HTTP.
 */
import type { Environment } from '../../core/environment.ts';
import { hasScope, SCOPES, type Scope, type Visitor } from '../../core/caller.ts';
import type { Policy } from '../../interceptors/policy.ts';
import type { Credential } from '../../api-credentials/api-credentials.ts';
import { personResource } from '../protocol/resources.ts';
import { OAuthError } from '../protocol/oauth-error.ts';

/**
 * Called before each token for a machine: interceptors may refuse or change it.
 *
 * @throws ServiceError POLICY_DENIED, OAuthError `access_denied`: no token; the message reaches the client
 */
export type BeforeMachineToken = Policy['beforeMachineToken'];

/** Facts of one token request that passed client authentication. */
export interface MachineGrant {
  environment: Environment;
  credential: Credential;
  visitor: Visitor;
}

/** Times of a token, in Unix seconds. */
export interface TokenTimes {
  issuedAt: number;
  expiresAt: number;
}

/**
 * The resource a token is for.
 *
 * @param resource the request's `resource`; by default the base URL, for REST and MCP
 * @throws OAuthError `invalid_target` for anything that is not ours
 * @see RFC 8707 section 2
 */
export function audienceOf(environment: Environment, resource: string | undefined): string {
  const { baseUrl } = environment;
  if (resource === undefined || resource === baseUrl || resource === `${baseUrl}/`) return baseUrl;
  if (personResource(baseUrl, resource) !== undefined) return resource;
  throw new OAuthError(
    'invalid_target',
    `The resource must be ${baseUrl}/mcp, one of its virtual servers, or ${baseUrl}/api. Without resource the token serves all.`,
  );
}

/**
 * The scopes of a token.
 *
 * @throws OAuthError `invalid_scope` naming the credential's scopes, if others are requested
 */
export function scopesOf(credential: Credential, requested: ReadonlySet<string>): readonly string[] {
  const granted = scopesWithin(credential);
  const asked = [...requested];
  if (asked.every((scope) => granted.includes(scope))) return asked;
  throw new OAuthError(
    'invalid_scope',
    `This credential has the scopes ${credential.scopes.join(' ')}. Ask for some of them, or leave scope out for all.`,
  );
}

/**
 * Calls the hook and builds the claims.
 *
 * @param token `jti`, and the scopes and audience that the request is entitled to
 * @returns the claims of an RFC 9068 token; `scopes` repeats `scope` as a list, `gid` names the credential;
 * `custom_claims` holds what interceptors add
 * @throws what the hook throws
 */
export async function machineClaims(
  grant: MachineGrant,
  token: { id: string; scopes: readonly string[]; audience: string; times: TokenTimes },
  beforeMachineToken: BeforeMachineToken | undefined,
): Promise<Record<string, unknown> & { scope: string }> {
  const { environment, credential, visitor } = grant;
  const change = await beforeMachineToken?.({
    environmentId: environment.id,
    actor: credential.id,
    clientId: credential.clientId,
    organizationId: credential.organizationId,
    scopes: token.scopes,
    visitor,
  });
  const { customClaims = {} } = change ?? {};
  const scopes = (change?.scopes ?? token.scopes).filter((scope) => mayCarry(credential, scope));
  const [onlyAudience, ...others] = change?.audience ?? [token.audience];
  return {
    iss: environment.baseUrl,
    sub: credential.clientId,
    client_id: credential.clientId,
    aud: others.length === 0 ? (onlyAudience ?? token.audience) : [onlyAudience, ...others],
    iat: token.times.issuedAt,
    nbf: token.times.issuedAt,
    exp: token.times.expiresAt,
    jti: token.id,
    scope: scopes.join(' '),
    scopes,
    gid: credential.id,
    oid: credential.organizationId === '' ? undefined : credential.organizationId,
    custom_claims: Object.keys(customClaims).length === 0 ? undefined : customClaims,
  };
}

/** Our own scopes never exceed those of the credential; the customer's own scopes pass. */
function mayCarry(credential: Credential, scope: string): boolean {
  const ours: readonly string[] = SCOPES;
  return !ours.includes(scope) || scopesWithin(credential).includes(scope);
}

/** The scopes of a credential, with those that they include. */
export function scopesWithin(credential: Pick<Credential, 'scopes'>): readonly string[] {
  const held = new Set<Scope>(credential.scopes);
  return SCOPES.filter((scope) => hasScope(held, scope));
}

/**
 * The claims of an access token for a machine, and what may change them before it is signed.
 *
 * Pure but for the hook: no signing, no HTTP.
 */
import type { Environment } from '../core/environment.ts';
import { SCOPES } from '../core/caller.ts';
import type { Credential } from './api-credentials.ts';
import { OAuthError } from './oauth-error.ts';

/** A token about to be issued, as an interceptor gets to see it. */
export interface MachineTokenDraft {
  environmentId: string;
  credentialId: string;
  clientId: string;
  /** '' for a credential without one. */
  organizationId: string;
  scopes: readonly string[];
  audience: readonly string[];
  /** Address of the client. */
  ip: string;
}

/** What an interceptor may change. Reserved claims always win over `customClaims`. */
export interface MachineTokenChange {
  scopes?: readonly string[] | undefined;
  audience?: readonly string[] | undefined;
  customClaims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Called before each token for a machine.
 *
 * @throws OAuthError `access_denied` to refuse the token; its description reaches the client
 */
export type BeforeMachineToken = (draft: MachineTokenDraft) => Promise<MachineTokenChange>;

/** Facts of one token request that passed client authentication. */
export interface MachineGrant {
  environment: Environment;
  credential: Credential;
  ip: string;
}

/** Times of a token, in Unix seconds. */
export interface TokenTimes {
  issuedAt: number;
  expiresAt: number;
}

/**
 * The resource a token is for.
 *
 * @param resource the request's `resource`; absent: the base URL, which serves REST and MCP
 * @throws OAuthError `invalid_target` for anything that is not ours
 * @see RFC 8707 section 2
 */
export function audienceOf(environment: Environment, resource: string | undefined): string {
  const { baseUrl } = environment;
  if (resource === undefined || resource === baseUrl || resource === `${baseUrl}/`) return baseUrl;
  if (resource === `${baseUrl}/mcp` || resource === `${baseUrl}/api`) return resource;
  throw new OAuthError(
    'invalid_target',
    `The resource must be ${baseUrl}/mcp or ${baseUrl}/api. Without resource the token serves both.`,
  );
}

/**
 * The scopes of a token.
 *
 * @throws OAuthError `invalid_scope` naming what the credential has, when more or something else is asked for
 */
export function scopesOf(credential: Credential, requested: ReadonlySet<string>): readonly string[] {
  const granted: readonly string[] = credential.scopes;
  const asked = [...requested];
  if (asked.every((scope) => granted.includes(scope))) return asked;
  throw new OAuthError(
    'invalid_scope',
    `This credential has the scopes ${granted.join(' ')}. Ask for some of them, or leave scope out for all.`,
  );
}

/**
 * Asks the hook and puts the claims together.
 *
 * @param token `jti` and the scopes and audience that the request is entitled to
 * @returns the claims of an RFC 9068 token; `scopes` repeats `scope` as a list, `gid` names the credential
 * @throws OAuthError `access_denied` from the hook
 */
export async function machineClaims(
  grant: MachineGrant,
  token: { id: string; scopes: readonly string[]; audience: string; times: TokenTimes },
  beforeMachineToken: BeforeMachineToken | undefined,
): Promise<Record<string, unknown> & { scope: string }> {
  const { environment, credential, ip } = grant;
  const change = await beforeMachineToken?.({
    environmentId: environment.id,
    credentialId: credential.id,
    clientId: credential.clientId,
    organizationId: credential.organizationId,
    scopes: token.scopes,
    audience: [token.audience],
    ip,
  });
  const scopes = (change?.scopes ?? token.scopes).filter((scope) => mayCarry(credential, scope));
  const [onlyAudience, ...others] = change?.audience ?? [token.audience];
  return {
    ...change?.customClaims,
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
  };
}

/** Our own scopes never exceed those of the credential; words of the customer's own pass. */
function mayCarry(credential: Credential, scope: string): boolean {
  const ours: readonly string[] = SCOPES;
  const granted: readonly string[] = credential.scopes;
  return !ours.includes(scope) || granted.includes(scope);
}

/**
 * How an access credential is obtained without its owner: a refresh token is presented, or a new credential minted.
 *
 * When it happens, by whom of several processes and what comes of a failure is auth/refresh, the same for all types.
 */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import type { Connector, ConnectorAuth } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';
import type { ConnectionRow } from '../../store/accounts/connection-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { TokenEndpoint, TokenFailure, TokenFailureKind } from '../oauth/token-endpoint.ts';

/** Signs statements of this installation about an account, for providers that trust its issuer. */
export interface IdentityTokens {
  /** A JWT with `iss`, `sub`, `aud`, `iat`, `exp`, signed with the key that the environment publishes. */
  issue(claims: {
    environmentId: string;
    subject: string;
    audience: string;
    lifetimeSeconds: number;
  }): Promise<string>;
}

/** What a scheme may use to reach a provider or its token endpoint. Everything goes out under the address policy. */
export interface SchemeServices {
  vault: Vault;
  clock: Clock;
  tokens: Pick<TokenEndpoint, 'exchange' | 'refresh' | 'mint'>;
  /** For what is no token endpoint of OAuth 2.0. */
  http: Pick<Sender, 'send' | 'totalTimeoutMs'>;
  identityTokens: IdentityTokens;
}

/** The account that a credential is obtained for. */
export interface RenewalRequest {
  row: AccountRow;
  details: AuthorizationDetails;
  connection: ConnectionRow;
  connector: Connector;
  auth: ConnectorAuth;
}

/** A new access credential. */
export interface ObtainedCredential {
  /** The stored credentials with the new one among them; may be called again when those have changed. */
  applyTo(stored: AuthorizationDetails): AuthorizationDetails;
  /** Seconds from the receipt, by our own clock; undefined: not said. */
  expiresInSeconds: number | undefined;
}

/**
 * Sends one request (or what counts as one) and repeats nothing.
 *
 * @throws TokenFailure. Its kind decides what follows: `invalid_grant` ends the account, because its owner has to act;
 *   every other keeps it, with a cool-down; `client_refused` means that the operator has to act
 */
export type Obtain = (options: { timeoutMs: number }) => Promise<ObtainedCredential>;

/** A type whose access credential can be obtained again and again. */
export interface Renewal {
  /**
   * `token`: something is presented that may be spent by it, so an unknown outcome is repeated once with the same and
   * no more. `mint`: nothing is spent, so it is simply done again.
   */
  by: 'token' | 'mint';
  /** The access credential, as text that is another after each renewal; undefined: there is none yet. */
  credentialOf(details: AuthorizationDetails): string | undefined;
  /** Whether what is stored is enough to obtain another. */
  isPossible(details: AuthorizationDetails): boolean;
  /**
   * Everything before the request: opens secrets, fills addresses.
   *
   * @throws ServiceError INVALID_ARGUMENT with field violations where the connection or the account lacks something
   */
  prepare(request: RenewalRequest, services: SchemeServices): Promise<Obtain>;
  /**
   * What happened and who has to do what, in whole sentences; undefined: the common words do.
   *
   * @param failure undefined where the attempt was made before, perhaps by another process
   */
  explain?: (
    reason: TokenFailureKind,
    failure: TokenFailure | undefined,
    names: RenewalNames,
  ) => string | undefined;
}

/** Who is spoken of. */
export interface RenewalNames {
  /** The provider's name for people. */
  title: string;
  /** Name of the connection. */
  connection: string;
}

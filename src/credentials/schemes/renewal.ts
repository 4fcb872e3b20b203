/**
 * Obtains an access credential without its owner: presents a refresh token or mints a new credential.
 *
 * The rules for its time, its process and its failures are the same for all types: see
 * credentials/refresh.
 */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import type { Connector, ConnectorAuth } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Vault } from '../../vault/vault.ts';
import type { McpClients } from '../oauth/mcp-clients.ts';
import type { McpServers } from '../oauth/mcp-servers.ts';
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

/** The services through which a scheme reaches a provider or its token endpoint. All requests obey the address policy. */
export interface SchemeServices {
  vault: Vault;
  clock: Clock;
  tokens: Pick<TokenEndpoint, 'exchange' | 'refresh' | 'mint'>;
  /** For everything that is not a token endpoint of OAuth 2.0. */
  http: Pick<Sender, 'send' | 'totalTimeoutMs'>;
  identityTokens: IdentityTokens;
  /** Authorization servers of remote MCP servers, and our clients there. */
  mcp: {
    servers: Pick<McpServers, 'known' | 'endpointsOf'>;
    clients: Pick<McpClients, 'forConsent' | 'ofGrant' | 'worked' | 'vanished'>;
  };
}

/** The account that a credential is obtained for. */
export interface RenewalRequest<Auth extends ConnectorAuth = ConnectorAuth> {
  account: Account;
  details: AuthorizationDetails;
  connection: Connection;
  connector: Connector;
  auth: Auth;
}

/** A new access credential. */
export interface ObtainedCredential {
  /** The stored credentials with the new one among them; may be called again when those have changed. */
  applyTo(stored: AuthorizationDetails): AuthorizationDetails;
  /** Seconds from the receipt, by our own clock; `undefined` if the provider does not say. */
  expiresInSeconds: number | undefined;
}

/**
 * Sends one request (or what counts as one) and repeats nothing.
 *
 * @throws TokenFailure. Its kind decides what follows: `invalid_grant` ends the account, because its owner has to act;
 *   every other keeps it, with a cool-down; `client_refused` means that the operator has to act
 */
export type Obtain = (options: {
  timeoutMs: number;
  /** Failures in a row before this request. */
  failedAttempts?: number;
}) => Promise<ObtainedCredential>;

/** A type whose access credential can be obtained again and again. */
export interface Renewal<Auth extends ConnectorAuth = ConnectorAuth> {
  /**
   * `token`: presents something that the request may spend. After an unknown outcome the same request is retried once,
   * and no more. `mint`: spends nothing, so it is simply done again.
   */
  by: 'token' | 'mint';
  /** The access credential, as text that differs after each renewal; `undefined` before the first one. */
  credentialOf(details: AuthorizationDetails): string | undefined;
  /** Whether the stored credentials are enough to obtain another. */
  isPossible(details: AuthorizationDetails): boolean;
  /**
   * Everything before the request: opens secrets, fills addresses.
   *
   * @throws ServiceError INVALID_ARGUMENT with field violations if the connection or the account lacks something
   */
  prepare(request: RenewalRequest<Auth>, services: SchemeServices): Promise<Obtain>;
  /**
   * Explains in whole sentences what happened and who has to act; `undefined` if the general message is enough.
   *
   * @param failure `undefined` if the attempt was made earlier, perhaps by another process
   */
  explain?: (
    reason: TokenFailureKind,
    failure: TokenFailure | undefined,
    names: RenewalNames,
  ) => string | undefined;
}

/** Names for messages. */
export interface RenewalNames {
  /** The provider's name for people. */
  title: string;
  /** Name of the connection. */
  connection: string;
}

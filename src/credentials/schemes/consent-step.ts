/**
 * The part of a consent that differs from type to type: where the browser goes, and what its return is exchanged for.
 *
 * The rest is links/consent/oauth-flows.ts: links, the flow's row, `state`, the browser's cookie, the order of checks.
 */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import type { FillAddress } from '../../connections/oauth-endpoints.ts';
import type { Connector, ConnectorAuth, OAuthRules } from '../../catalog/model/types.ts';
import type { ConnectionRow } from '../../store/accounts/connection-store.ts';
import type { SchemeServices } from './renewal.ts';

/** The connection that is consented to, with the account's values at hand. */
export interface ConsentSubject {
  connection: ConnectionRow;
  connector: Connector;
  auth: ConnectorAuth;
  /** Fills addresses of the entry's block for the account. */
  fill: FillAddress;
  /** Base address of the connector's first host for the account. @throws ServiceError INVALID_ARGUMENT */
  baseUrl: () => URL;
}

/** What a person is told, and which scopes are asked for, before anything is sent. */
export interface ConsentOutline {
  /** Where the person goes on to; placeholders may be unfilled. */
  address: string;
  /** Names of scopes to begin with; where the connection chooses none. undefined: those that the tools need. */
  defaultScopes: readonly string[] | undefined;
  /** What the provider is known to grant beside the scopes asked for. */
  rules: Pick<OAuthRules, 'scope_parameter' | 'offline_scope'>;
}

/** The way there. */
export interface ConsentBeginning {
  redirectTo: string;
  /** Kept sealed until the browser is back: PKCE verifier, secret of a request token. */
  secret: string | undefined;
  /** Where the answer will be exchanged; fixed now. A change of it meanwhile ends the flow. */
  tokenUrl: string;
  /** What `iss` of the callback has to be, where there is one. */
  issuer: string;
}

/** What the browser came back with, all checks of the flow passed. */
export interface ConsentReturn {
  query: URLSearchParams;
  redirectUri: string;
  /** As asked for, in the catalog's names. */
  scopes: readonly string[];
  /** Of the beginning. */
  secret: string | undefined;
  tokenUrl: string;
  issuer: string;
}

/** What a consent has brought. */
export interface ConsentCredentials {
  details: AuthorizationDetails;
  /** Seconds from the receipt; undefined: unknown or never. */
  expiresInSeconds: number | undefined;
  /** Merged into api_config when the credentials go live. */
  apiConfig?: Readonly<Record<string, string>>;
}

/** A connection that was changed while the browser was at the provider: what came back belongs to another client. */
export class ConnectionChanged extends Error {
  override readonly name = 'ConnectionChanged';
}

export interface ConsentStep {
  /** Parameter of the callback that brings the provider's yes: `code`, `token`, `oauth_verifier`. */
  answer(auth: ConnectorAuth): string;
  /** Sends nothing. @param fill leaves placeholders as they are where the person has to fill them yet */
  outline(subject: ConsentSubject): ConsentOutline;
  /**
   * May send requests of its own (discovery, a request token).
   *
   * @param flow.state comes back with the callback: as `state`, or as part of the redirect URI
   * @throws TokenFailure; ServiceError INVALID_ARGUMENT where the connection is not finished
   */
  begin(
    subject: ConsentSubject,
    flow: { state: string; redirectUri: string; scopes: readonly string[] },
    services: SchemeServices,
  ): Promise<ConsentBeginning>;
  /**
   * Exchanges the answer. Sends one token request at most.
   *
   * @throws TokenFailure; ConnectionChanged
   */
  finish(subject: ConsentSubject, back: ConsentReturn, services: SchemeServices): Promise<ConsentCredentials>;
}

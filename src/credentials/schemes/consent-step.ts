/**
 * The part of a consent that differs from type to type: the redirect of the browser, and the exchange of its callback.
 *
 * The rest is links/consent/oauth-flows.ts: links, the flow's row, `state`, the browser's cookie, the order of checks.
 */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import type { FillAddress } from '../../connections/oauth-endpoints.ts';
import type { Connector, ConnectorAuth, OAuthRules } from '../../catalog/model/types.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { SchemeServices } from './renewal.ts';

/** The connection that is consented to, with the account's values at hand. */
export interface ConsentSubject<Auth extends ConnectorAuth = ConnectorAuth> {
  connection: Connection;
  connector: Connector;
  auth: Auth;
  /** Of the account, with what was entered for this consent. */
  apiConfig: Readonly<Record<string, unknown>>;
  /** Fills addresses of the entry's block for the account. */
  fill: FillAddress;
  /** Base address of the connector's first host for the account. @throws ServiceError INVALID_ARGUMENT */
  baseUrl: () => URL;
}

/** Address and scopes that the connect page shows before anything is sent. */
export interface ConsentOutline {
  /** Address of the consent page; its placeholders may be unfilled. Absent if only the provider knows it. */
  address?: string | undefined;
  /** Scopes of connections that choose none; `undefined` means those that the tools need. */
  defaultScopes: readonly string[] | undefined;
  /** Rules about scopes that the provider grants in addition to those asked for. */
  rules: Pick<OAuthRules, 'scope_parameter' | 'offline_scope'>;
}

/** The redirect to the consent page, and what the flow keeps until the browser is back. */
export interface ConsentBeginning {
  redirectTo: string;
  /** Kept sealed until the browser is back: PKCE verifier, secret of a request token. */
  secret: string | undefined;
  /** Address where the answer will be exchanged. It is fixed now: if it changes meanwhile, the flow ends. */
  tokenUrl: string;
  /** The value that `iss` of the callback must have, if the callback has one. */
  issuer: string;
  /** Whether the callback has to have one (RFC 9207: the metadata announces it). */
  isIssuerRequired?: boolean;
  /** The scopes that were asked for, if the type worked out others than it was given. */
  scopes?: readonly string[];
}

/** The callback, after all checks of the flow. */
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

/** Credentials from a consent. */
export interface ConsentCredentials {
  details: AuthorizationDetails;
  /** Seconds from the receipt; `undefined` if they are unknown or the credentials never expire. */
  expiresInSeconds: number | undefined;
  /** Members of the token reply that the step asked for, by their dotted paths. */
  context?: Readonly<Record<string, string>> | undefined;
  /** Merged into api_config when the credentials go live. */
  apiConfig?: Readonly<Record<string, string>>;
}

/** The connection was changed while the browser was at the provider: the callback belongs to another client. */
export class ConnectionChangedFailure extends Error {
  override readonly name = 'ConnectionChangedFailure';
}

/** A consent page as its provider describes it. */
export interface LocatedConsent {
  address: string;
  /** All that are asked for there. */
  scopes: readonly string[];
}

/** The consent of one authorization type. */
export interface ConsentStep<Auth extends ConnectorAuth = ConnectorAuth> {
  /** Callback parameter that carries the consent: `code`, `token`, `oauth_verifier`. */
  answer(auth: Auth): string;
  /** Sends nothing. @param fill keeps placeholders that the user has not filled yet */
  outline(subject: ConsentSubject<Auth>): ConsentOutline;
  /**
   * Address and scopes of the consent page, for types whose outline does not know them. May send requests.
   *
   * @param scopes of the connection and the link
   * @throws TokenFailure if the provider does not say it
   */
  locate?(
    subject: ConsentSubject<Auth>,
    scopes: readonly string[],
    services: SchemeServices,
  ): Promise<LocatedConsent>;
  /**
   * May send requests of its own (discovery, a request token).
   *
   * @param flow.state comes back with the callback: as `state`, or as part of the redirect URI
   * @throws TokenFailure; ServiceError INVALID_ARGUMENT if the connection is not finished
   */
  begin(
    subject: ConsentSubject<Auth>,
    flow: { state: string; redirectUri: string; scopes: readonly string[] },
    services: SchemeServices,
  ): Promise<ConsentBeginning>;
  /**
   * Exchanges the answer. Sends one token request at most.
   *
   * @throws TokenFailure; ConnectionChangedFailure
   */
  finish(
    subject: ConsentSubject<Auth>,
    back: ConsentReturn,
    services: SchemeServices,
  ): Promise<ConsentCredentials>;
  /**
   * Values of the account that the provider states in addition to its credentials, for api_config. May send one
   * request.
   *
   * @throws MetadataFailure; then the credentials cannot be used
   */
  learn?(
    subject: ConsentSubject<Auth>,
    back: { query: URLSearchParams; came: ConsentCredentials },
    services: SchemeServices,
  ): Promise<Readonly<Record<string, string>>>;
}

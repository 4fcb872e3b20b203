/**
 * How accounts of one authorization type are connected, how their credential is renewed, and how it is attached to
 * a provider request. Each type has a file in this folder; its facts and pure rules are in authorization-types.
 *
 * A scheme keeps no state and stores nothing. Leases, sealing, status and links belong to its callers and are the
 * same for all types.
 */
import type { AuthorizationDetails } from '../../authorization-types/credentials.ts';
import type { AccountValue } from '../../catalog/grammar/account-values.ts';
import type { CredentialPlace } from '../../catalog/model/credential-places.ts';
import type { Connector, ConnectorAuth, CredentialField } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { RequestSigner } from '../../outbound/request-signer.ts';
import type { Account } from '../../store/accounts/account.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { ConsentStep } from './consent-step.ts';
import type { Renewal, RenewalNames } from './renewal.ts';

/** The parts of a request that come from a credential. */
export interface Attachment {
  headers: Readonly<Record<string, string>>;
  query: readonly (readonly [string, string])[];
  /** Sees each request as it is about to be sent, repeats included, and returns headers to add. */
  sign?: RequestSigner;
  /** Values of account and connection that a tool's request may take (`from_account`). */
  fromAccount?: Readonly<Partial<Record<AccountValue, string>>>;
  /** Values that must never come back to a caller; scrubbed from provider text. */
  secrets: readonly string[];
}

/** A credential, and the account that it belongs to. */
export interface AttachContext<Auth extends ConnectorAuth = ConnectorAuth> {
  /** Usable credentials, renewed if it was time. */
  details: AuthorizationDetails;
  connector: Connector;
  auth: Auth;
  account: Account;
  /** For signatures, each with the time of its attempt. */
  clock: Clock;
  /** The connection of the account with its opened secret; read when it is asked for. */
  openConnection: () => Promise<OpenedConnection>;
}

/** A connection whose secret can be used. */
export interface OpenedConnection {
  connection: Connection;
  /** Client secret, or what replaces it (connections/secret-params.ts); `undefined` if the connection has none. */
  secret: string | undefined;
}

/** A connection that accounts are to be connected at. */
export interface ConnectTarget<Auth extends ConnectorAuth = ConnectorAuth> {
  connection: Connection;
  connector: Connector;
  auth: Auth;
}

/**
 * The way an account is connected.
 * - `consent`: at the provider, and the callback brings a code or the like in its query
 * - `fragment`: the same, but the callback brings it in the fragment, which only the browser sees
 * - `form`: on our page; a form without fields has only its button
 * - `none`: there is nothing to connect, and the page has only the button
 */
export type ConnectKind = 'consent' | 'fragment' | 'form' | 'none';

/** One authorization type. `Auth` is its entry, with the block of the type. */
export interface Scheme<Auth extends ConnectorAuth = ConnectorAuth> {
  /** By the entry of the connector, as a type may have several flows. */
  connect(auth: Auth): ConnectKind;
  /** Set where `connect` is `consent` or `fragment`. */
  consent?: ConsentStep<Auth>;
  /**
   * Makes sure that the operator has finished the connection.
   *
   * @throws ServiceError INVALID_ARGUMENT on `connector` saying what it lacks
   */
  requireComplete?(target: ConnectTarget<Auth>): void;
  /** Fields of the connect page. Default: the fields of the entry. */
  fields?(target: ConnectTarget<Auth>): readonly CredentialField[];
  /** Credentials from filled-in fields; default: `static_auth.details`. */
  detailsOf?: (values: Readonly<Record<string, string>>) => AuthorizationDetails;
  /** Obtains a new access credential. Absent if the stored one is used as it is and cannot be renewed. */
  renewal?: Renewal<Auth>;
  /**
   * Message for the operator if the connection, not the account, caused the refusal; otherwise `undefined`. An account
   * does not end for something its owner cannot fix. Default: every refusal is about the account's credential.
   */
  operatorsRefusal?(auth: Auth, failure: ProviderFailure, names: RenewalNames): string | undefined;
  /** Called only with usable credentials. */
  attach(context: AttachContext<Auth>): Attachment | Promise<Attachment>;
}

/** A type whose stored credential is sent as it was entered: nothing but the credential decides what is sent. */
export interface StaticScheme extends Scheme {
  attach(context: Pick<AttachContext, 'details' | 'auth'>): Attachment;
}

/** A member of `static_auth.details` as text; '' if absent. */
export function staticField(details: AuthorizationDetails, name: string): string {
  const value = details.static_auth?.details[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Values at the places that a connector declares. A place whose value is empty, such as that of an optional field, is left
 * out.
 */
export function attachedAt(
  places: readonly CredentialPlace[],
  valueOf: (place: CredentialPlace) => string,
): Attachment {
  const filled = places
    .map((place) => ({ place, value: valueOf(place) }))
    .filter(({ value }) => value !== '');
  const sentIn = (where: CredentialPlace['in']) =>
    filled
      .filter(({ place }) => place.in === where)
      .map(({ place: { name, prefix }, value }) => [name, `${prefix}${value}`] as const);
  return {
    headers: Object.fromEntries(sentIn('header')),
    query: sentIn('query'),
    secrets: [...new Set(filled.filter(({ place }) => place.secret !== false).map(({ value }) => value))],
  };
}

/** A token in the Authorization header (RFC 6750). */
export function bearerAuthorization(token: string): Attachment {
  return { headers: { authorization: `Bearer ${token}` }, query: [], secrets: [token] };
}

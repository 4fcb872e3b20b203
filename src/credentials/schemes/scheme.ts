/**
 * What makes one authorization type different from the others: how an account is connected, how its credential is
 * obtained anew, and how it is attached to a provider call. One file of this folder each
 * (docs/adding-an-authorization-type.md).
 *
 * A scheme holds no state and stores nothing: leases, sealing, status and links are the callers', the same for all.
 */
import type { AuthorizationDetails } from '../../accounts/authorization-details.ts';
import type { AccountValue } from '../../catalog/model/account-values.ts';
import type { Connector, ConnectorAuth, CredentialField } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { RequestSigner } from '../../outbound/request-signer.ts';
import type { AccountRow } from '../../store/accounts/account-store.ts';
import type { ConnectionRow } from '../../store/accounts/connection-store.ts';
import type { ConsentStep } from './consent-step.ts';
import type { Renewal, RenewalNames } from './renewal.ts';

/** What a credential adds to a request. */
export interface Attachment {
  headers: Readonly<Record<string, string>>;
  query: readonly (readonly [string, string])[];
  /** Sees each request as it is about to be sent, repeats included, and returns headers to add. */
  sign?: RequestSigner;
  /** What of account and connection a tool's request may take (`from_account`). */
  fromAccount?: Readonly<Partial<Record<AccountValue, string>>>;
  /** Values that must never come back to a caller; scrubbed from provider text. */
  secrets: readonly string[];
}

/** A credential and whose it is. */
export interface AttachContext {
  /** Usable credentials, renewed if it was time. */
  details: AuthorizationDetails;
  connector: Connector;
  auth: ConnectorAuth;
  row: AccountRow;
  /** For signatures, each with the time of its attempt. */
  clock: Clock;
  /** The connection of the account with its opened secret; read when it is asked for. */
  connection: () => Promise<OpenedConnection>;
}

/** A connection whose secret can be used. */
export interface OpenedConnection {
  row: ConnectionRow;
  /** Client secret or what takes its place (connections/secret-params.ts); undefined: it has none. */
  secret: string | undefined;
}

/** A connection that accounts are to be connected at. */
export interface ConnectTarget {
  connection: ConnectionRow;
  connector: Connector;
  auth: ConnectorAuth;
}

/**
 * How an account is connected.
 *
 * - `consent`: at the provider, and the callback brings a code or the like in its query
 * - `fragment`: the same, but the callback brings it in the fragment, which only the browser sees
 * - `form`: on our page; with no field to fill in, by its button alone
 * - `none`: there is nothing to connect; the page has the button alone
 */
export type ConnectKind = 'consent' | 'fragment' | 'form' | 'none';

/** One authorization type. */
export interface Scheme {
  /** By the entry of the connector, as a type may have several flows. */
  connect(auth: ConnectorAuth): ConnectKind;
  /** Set where `connect` is `consent` or `fragment`. */
  consent?: ConsentStep;
  /**
   * Makes sure that the operator has finished the connection.
   *
   * @throws ServiceError INVALID_ARGUMENT on `connector` saying what it lacks
   */
  requireComplete?(target: ConnectTarget): void;
  /** What the page asks for; default: the fields of the entry. */
  fields?(target: ConnectTarget): readonly CredentialField[];
  /** Credentials from filled-in fields; default: `static_auth.details`. */
  detailsOf?: (values: Readonly<Record<string, string>>) => AuthorizationDetails;
  /**
   * The field that says in whose name the operator's own power is used. Whoever holds a link may not choose somebody
   * else: on the page it must be the account's identifier, which verify compares with the person.
   */
  actsAs?: string;
  /** How a new access credential is obtained; absent: the stored one is used as it is, and cannot be renewed. */
  renewal?: Renewal;
  /**
   * What the operator looks at where a refused request is not about what belongs to the account; undefined: it is. An
   * account does not end for what its owner cannot mend. Default: every refusal is about the account's credential.
   */
  operatorsRefusal?(auth: ConnectorAuth, failure: ProviderFailure, names: RenewalNames): string | undefined;
  /** Called only with usable credentials. */
  attach(context: AttachContext): Attachment | Promise<Attachment>;
}

/** A member of `static_auth.details` as text; '' where absent. */
export function staticField(details: AuthorizationDetails, name: string): string {
  const value = details.static_auth?.details[name];
  return typeof value === 'string' ? value : '';
}

/** A token in the Authorization header (RFC 6750). */
export function bearerToken(token: string): Attachment {
  return { headers: { authorization: `Bearer ${token}` }, query: [], secrets: [token] };
}

/**
 * Bodies of create and update: their shape, the credentials and the expiry they bring
 * (docs/contract.md#create-update-read-and-list). Pure.
 */
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import { invalidArgument, invalidField, type FieldViolation } from '../core/errors.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { AccountSelector } from './account-finder.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import { typeOf } from '../authorization-types/index.ts';
import { detailsViolations, filledVariants, mergeDetails, namesCredential } from './authorization-details.ts';
import { apiConfigViolations } from '../connections/api-config.ts';
import { connectionFacts } from '../connections/connection-facts.ts';
import { mergePatch, type JsonObject } from '../core/json.ts';
import { isUsable, missingCredentials } from './usable-details.ts';

const DETAILS = 'connected_account.authorization_details';

/** Largest size of the JSON of a whole `api_config`. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** Members of a request that name an account. */
export interface NamedAccount extends Omit<AccountSelector, 'connection'> {
  /** Name of the connection. */
  connector?: string | undefined;
}

/** The account that a request names. */
export function selectorOf({
  id,
  connector,
  identifier,
  organization_id,
  user_id,
}: NamedAccount): AccountSelector {
  return { id, connection: connector, identifier, organization_id, user_id };
}

/** Body of create and update. */
export interface AccountInput extends NamedAccount {
  connected_account?:
    | {
        authorization_type?: string | undefined;
        authorization_details?: Record<string, unknown> | undefined;
        api_config?: Record<string, unknown> | undefined;
        /** RFC 3339. */
        token_expires_at?: string | undefined;
      }
    | undefined;
}

/**
 * Merged credentials of a request.
 *
 * @param connection given on update: credentials of the request must be usable once merged
 * @throws ServiceError INVALID_ARGUMENT with every violation
 */
export function checkedDetails(
  auth: ConnectorAuth,
  input: AccountInput,
  stored: AuthorizationDetails,
  connection?: Connection,
): AuthorizationDetails {
  const given = input.connected_account ?? {};
  const details = filledVariants(given.authorization_details);
  const out: FieldViolation[] = detailsViolations(auth, details, DETAILS);
  if (out.length === 0 && connection !== undefined && namesCredential(details)) {
    const merged = mergeDetails(stored, details);
    for (const path of missingCredentials(auth, merged, connectionFacts(connection))) {
      out.push({
        field: `${DETAILS}.${path}`,
        description: 'Is missing or empty. The credentials cannot be used without it.',
        constraint: 'required',
      });
    }
  }
  if (given.authorization_type !== undefined && given.authorization_type !== auth.type) {
    out.push({
      field: 'connected_account.authorization_type',
      description: `The connection is of type ${auth.type}; leave this out or repeat it.`,
      constraint: 'connection',
    });
  }
  if (given.token_expires_at !== undefined && Number.isNaN(Date.parse(given.token_expires_at))) {
    out.push({
      field: 'connected_account.token_expires_at',
      description: 'Must be an RFC 3339 time.',
      constraint: 'format',
    });
  }
  if (out.length > 0) throw invalidArgument(out);
  return mergeDetails(stored, details);
}

/** Whether the account can be used with these credentials at this connection. */
export function isUsableAt(
  auth: ConnectorAuth,
  details: AuthorizationDetails,
  connection: Connection,
): boolean {
  return isUsable(auth, details, connectionFacts(connection));
}

/**
 * The stored `api_config` with what a request gives merged in. Response-only members, such as the launch context
 * of a FHIR server, are ignored: they are sealed with the credentials and never stored here.
 *
 * @throws ServiceError INVALID_ARGUMENT for invalid placeholders, or if the result exceeds 64 KiB of JSON
 */
export function mergedConfig(
  { connector, auth }: { connector: Connector; auth: ConnectorAuth },
  stored: JsonObject,
  input: AccountInput,
): JsonObject {
  const given = input.connected_account?.api_config;
  if (given === undefined) return stored;
  const violations = apiConfigViolations(connector, auth, given);
  if (violations.length > 0) throw invalidArgument(violations);
  const readOnly = connector.auth.flatMap((other) => typeOf(other).readOnlyConfig ?? []);
  const patch = Object.fromEntries(Object.entries(given).filter(([name]) => !readOnly.includes(name)));
  const merged = mergePatch(stored, patch);
  if (Buffer.byteLength(JSON.stringify(merged)) > MAX_CONFIG_BYTES) {
    throw invalidField(
      'connected_account.api_config',
      `Together with what is stored, this is more than ${MAX_CONFIG_BYTES} bytes of JSON. Remove members by setting them to null.`,
      'max_length',
    );
  }
  return merged;
}

/** The expiry given with an `oauth_token`; `undefined` if not given. */
export function inputExpiry(input: AccountInput): number | undefined {
  const given = input.connected_account;
  if (given?.token_expires_at === undefined || given.authorization_details?.oauth_token === undefined)
    return undefined;
  return Date.parse(given.token_expires_at);
}

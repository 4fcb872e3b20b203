/** Rules for requests for a link: valid bodies, the users an account may act for, and the name shown for it. */
import { typeOf } from '../authorization-types/index.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { toTimestamp } from '../core/clock.ts';
import { ServiceError, type FieldViolation } from '../core/errors.ts';
import { ownerViolations, textViolations } from '../core/text-rules.ts';
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { schemeOf } from '../credentials/schemes/index.ts';
import type { Account } from '../store/accounts/account.ts';
import type { Link } from '../store/accounts/link.ts';
import type { Readable } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';

/** The time in which the new links of an account are counted, in milliseconds. */
export const HOUR_MS = 60 * 60_000;

/** A submitted form with invalid fields; the page shows it again. */
export class InvalidForm extends Error {
  override readonly name = 'InvalidForm';
  readonly violations: readonly FieldViolation[];

  constructor(violations: readonly FieldViolation[]) {
    super('the submitted form is not valid');
    this.violations = violations;
  }
}

/**
 * The body of POST …/magic_link (docs/contract.md#making-a-link). Names an account by id, or by connection
 * and owner: the account is created if it does not exist.
 */
export interface LinkInput {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
  state?: string | undefined;
  user_verify_url?: string | undefined;
  /** The caller's own name for itself on the page. Default: the name of its API credential or app. */
  requested_by?: string | undefined;
}

/** Options of a request for the link in its answer. */
export type LinkOptions = Pick<LinkInput, 'state' | 'user_verify_url'> & {
  /** Gives a link although its owner has declined within the last day. */
  force?: boolean | undefined;
};

/** The name of a caller as a page shows it. */
export interface CallerName {
  name: string;
  /** Somebody here gave it that name; otherwise the caller itself did. */
  isGiven: boolean;
}

/** Everything wrong with the input except its URL, which depends on the environment. */
export function linkViolations(input: LinkInput): FieldViolation[] {
  const { id, connector, identifier, organization_id, user_id, state, user_verify_url, requested_by } = input;
  const violations = [
    ...textViolations({
      connector,
      identifier,
      organization_id,
      user_id,
      state,
      user_verify_url,
      requested_by,
    }),
    ...ownerViolations({ organization_id, user_id }),
  ];
  if (id === undefined && connector === undefined) {
    violations.push({
      field: 'connector',
      description: 'Give connector, or the id of an account.',
      constraint: 'required',
    });
  }
  if (id === undefined && (identifier ?? user_id ?? organization_id) === undefined) {
    violations.push({
      field: 'identifier',
      description: 'Give identifier, user_id or organization_id: a link is for one account.',
      constraint: 'required',
    });
  }
  return violations;
}

/**
 * Whether accounts of a connection can be connected by a link, checked before a link is made.
 *
 * @throws ServiceError INVALID_ARGUMENT on `connector`: the operator has not completed the connection
 */
export function requireConnectable(
  connection: Connection,
  { connector, auth }: { connector: Connector; auth: ConnectorAuth },
): void {
  schemeOf(auth.type).requireComplete?.({ connection, connector, auth });
}

/** The connector of a connection, if a link can connect accounts of it; `undefined` while the operator has to act first. */
export function connectorToConnect(
  connection: Connection,
  connections: Pick<ConnectionFinder, 'connectorOf'>,
): Connector | undefined {
  try {
    const target = connections.connectorOf(connection);
    requireConnectable(connection, target);
    return target.connector;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Refuses another person's name in a form that selects the user an account acts for: owners may enter only their own.
 *
 * With the operator's rights (a service account, a role) an account could act for every user within them.
 * Verification proves only the identity of the user, so the name has to be the proven one. Mode `none` proves nothing
 * and is for the operator's own computer.
 *
 * @throws InvalidForm on the field of the name, with the constraint `identifier`
 */
export function requireOwnName(
  { link, row, auth }: { link: Link; row: Account; auth: ConnectorAuth },
  form: Readonly<Record<string, string>>,
): void {
  const actsAs = typeOf(auth).credentials?.actsAs;
  if (actsAs === undefined || link.verification === 'none') return;
  // The owner is compared with the user who signs in. Users may have chosen their identifiers themselves.
  const own = link.verification === 'signed_in' ? row.owner.userId : row.identifier;
  const name = form[actsAs]?.trim() ?? '';
  if (name === '' || name === own) return;
  const description = `Must be ${own}, whose account this is. Only the operator can name somebody else, over the API.`;
  throw new InvalidForm([{ field: actsAs, description, constraint: 'identifier' }]);
}

/**
 * The owner and the name of an account for the user who opens its link. If it belongs to one of our users, they are
 * the user's name and e-mail address, which people know.
 */
export async function shownOwner(
  db: Readable,
  { identifier, environmentId, owner: { userId } }: Account,
): Promise<{ name: string; identifier: string }> {
  const user = userId.startsWith('usr_') ? await rows(db, 'users').find(environmentId, userId) : undefined;
  if (user === undefined) return { name: '', identifier };
  const name = `${user.given_name} ${user.family_name}`.trim();
  return { name, identifier: identifier === userId ? user.email : identifier };
}

/** Name of the only user who can complete a link for an organization's account, and signs in to do so; '' if unknown. */
export async function onlyCompleter(
  db: Readable,
  { verification, createdBy, environmentId }: Link,
  { owner }: Account,
): Promise<string | null> {
  if (verification !== 'signed_in' || owner.organizationId === '') return null;
  const user = await rows(db, 'users').find(environmentId, createdBy);
  return user === undefined ? '' : `${user.given_name} ${user.family_name}`.trim() || user.email;
}

/** Id of the user who alone may confirm what a link of mode `signed_in` connects: the owner, or for an organization's account its maker. */
export function confirmerOf(
  { createdBy }: Pick<Link, 'createdBy'>,
  { owner }: Pick<Account, 'owner'>,
): string {
  return owner.organizationId === '' ? owner.userId : createdBy;
}

/** The names of a link's maker on its page. A claim that equals the given name is left out. */
export function namesOf(caller: CallerName | undefined, claimed: string | undefined) {
  const given = caller?.isGiven === true ? caller.name : null;
  const claim = claimed?.trim() || (caller?.isGiven === false ? caller.name : '');
  return { requester: given, requested_by: claim === '' || claim === given ? null : claim };
}

/**
 * Limits how many links an account gets.
 *
 * @param nthNewest when the oldest of `maxNew` links of the last hour was made; `undefined` if there are fewer
 * @throws ServiceError RATE_LIMITED that says until when
 */
export function requireFewLinks(
  nthNewest: number | undefined,
  { now, maxNew }: { now: number; maxNew: number },
): void {
  if (nthNewest === undefined) return;
  const until = nthNewest + HOUR_MS;
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1_000));
  throw new ServiceError(
    'RATE_LIMITED',
    `This account got ${maxNew} new links within an hour. Open the newest one, or ask again after ${toTimestamp(until)}.`,
    { retryAfterSeconds, details: { limit: maxNew, retry_after: retryAfterSeconds } },
  );
}

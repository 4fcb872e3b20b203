/**
 * Which account a request means: by id, or by connection, owner and identifier.
 *
 * The only access path to accounts: every face goes through it, so no face can forget the tenant check.
 * An account of another environment or organization looks like one that does not exist.
 */
import type { Caller, Owner } from '../core/caller.ts';
import { invalidArgument, ServiceError, type FieldViolation } from '../core/errors.ts';
import { AccountStore, type AccountRow, type Reach } from '../store/account-store.ts';
import type { Database } from '../store/database.ts';
import type { ConnectionFinder } from './connection-finder.ts';
import { normalizeText, ownerViolations, textViolations } from './text-rules.ts';

/** How a REST request names an account. */
export interface AccountSelector {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

/** How far a caller sees. */
export function reachOf(caller: Caller): Reach {
  return { environmentId: caller.environmentId, organizationId: caller.boundOrganizationId };
}

export class AccountFinder {
  readonly #db: Database;
  readonly #connections: ConnectionFinder;

  constructor(db: Database, connections: ConnectionFinder) {
    this.#db = db;
    this.#connections = connections;
  }

  /**
   * The one account a selector names.
   *
   * @throws ServiceError INVALID_ARGUMENT when it names none or is malformed; RESOURCE_NOT_FOUND
   */
  async find(caller: Caller, selector: AccountSelector): Promise<AccountRow> {
    const violations = selectorViolations(selector);
    if (violations.length > 0) throw invalidArgument(violations);
    const row =
      selector.id === undefined
        ? await this.#findByKey(caller, selector)
        : await new AccountStore(this.#db.read).find(reachOf(caller), selector.id);
    if (row === undefined || !agrees(row, selector)) throw accountNotFound();
    return row;
  }

  /** By id, for callers that have checked its form. @throws ServiceError RESOURCE_NOT_FOUND */
  async findById(caller: Caller, id: string): Promise<AccountRow> {
    const row = await new AccountStore(this.#db.read).find(reachOf(caller), id);
    if (row === undefined) throw accountNotFound();
    return row;
  }

  async #findByKey(caller: Caller, selector: AccountSelector): Promise<AccountRow | undefined> {
    const owner = requestedOwner(caller, selector);
    const connection = await this.#connections.byName(caller.environmentId, selector.connector ?? '');
    return new AccountStore(this.#db.read).findByKey(caller.environmentId, {
      connectionId: connection.id,
      organizationId: owner.organizationId,
      userId: owner.userId,
      identifier: normalizeText(selector.identifier ?? ''),
    });
  }
}

/**
 * The owner a request names, as stored: NFC, '' for absent.
 *
 * @throws ServiceError PERMISSION_DENIED when the credential is bound to another organization
 */
export function requestedOwner(
  caller: Caller,
  named: { user_id?: string | undefined; organization_id?: string | undefined },
): Owner {
  const owner = {
    userId: normalizeText(named.user_id ?? ''),
    organizationId: normalizeText(named.organization_id ?? ''),
  };
  requireOwnerInReach(caller, owner);
  return owner;
}

/** @throws ServiceError PERMISSION_DENIED when the credential is bound to another organization */
export function requireOwnerInReach(caller: Caller, owner: Owner): void {
  const bound = caller.boundOrganizationId;
  if (bound === undefined || owner.organizationId === bound) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This credential belongs to one organization and reaches the accounts of that organization only. Name that organization.',
  );
}

/** RESOURCE_NOT_FOUND; says nothing about whether the account exists elsewhere. */
export function accountNotFound(): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', 'There is no such connected account.');
}

function selectorViolations(selector: AccountSelector): FieldViolation[] {
  const { id, connector, identifier, organization_id, user_id } = selector;
  const out = [
    ...textViolations({ connector, identifier, organization_id, user_id }),
    ...ownerViolations({ organization_id, user_id }),
  ];
  if (id === undefined) {
    for (const [field, value] of Object.entries({ connector, identifier })) {
      if (value !== undefined) continue;
      out.push({
        field,
        description: `Give id, or connector and identifier (with user_id or organization_id where the account has one).`,
        constraint: 'required',
      });
    }
  }
  return out;
}

/** A selector with an id may repeat the rest; what it repeats must be so. */
function agrees(row: AccountRow, selector: AccountSelector): boolean {
  return (
    (selector.connector === undefined || selector.connector === row.connection_name) &&
    (selector.identifier === undefined || normalizeText(selector.identifier) === row.identifier) &&
    (selector.user_id === undefined || normalizeText(selector.user_id) === row.user_id) &&
    (selector.organization_id === undefined ||
      normalizeText(selector.organization_id) === row.organization_id)
  );
}

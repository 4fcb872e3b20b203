/**
 * Finds the account a request means: by id, or by connection, owner and identifier.
 *
 * The only access path to accounts: REST, MCP and the command line all use it, so none can skip the tenant check. An
 * account outside the caller's reach looks like one that does not exist.
 */
import {
  boundOrganizationOf,
  onlyOwnerOf,
  requireOrganizationScope,
  type Caller,
  type Owner,
} from '../core/caller.ts';
import {
  invalidArgument,
  invalidField,
  notFound,
  ServiceError,
  type FieldViolation,
} from '../core/errors.ts';
import { MAX_TOTAL } from '../core/newest-first.ts';
import type { Account } from '../store/accounts/account.ts';
import type { Reach } from '../store/accounts/account-rows.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { Database } from '../store/engine/database.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { normalizeText, ownerViolations, textViolations } from '../core/text-rules.ts';

/** Names an account: by id, or by the name of its connection, owner and identifier. */
export interface AccountSelector {
  id?: string | undefined;
  connection?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

/** Names an organization: a person asks for the accounts of their own one, a machine names one over MCP. */
export const ORGANIZATION_HEADER = 'gatehouse-organization-id';

/** The accounts that a caller may see. */
export function accountReach(caller: Caller): Reach {
  const { environmentId } = caller;
  const onlyOwner = onlyOwnerOf(caller);
  if (onlyOwner !== undefined) return { environmentId, ...onlyOwner };
  return { environmentId, organizationId: boundOrganizationOf(caller) };
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
   * @throws ServiceError INVALID_ARGUMENT if the selector is empty or malformed; RESOURCE_NOT_FOUND
   */
  async find(caller: Caller, selector: AccountSelector): Promise<Account> {
    const violations = selectorViolations(selector);
    if (violations.length > 0) throw invalidArgument(violations);
    const account =
      selector.id === undefined
        ? await this.#findByKey(caller, selector)
        : await new AccountStore(this.#db.read).find(accountReach(caller), selector.id);
    if (account === undefined || !agrees(account, selector)) throw accountNotFound();
    return account;
  }

  /** Finds an account by an id whose form is already checked. @throws ServiceError RESOURCE_NOT_FOUND */
  async findById(caller: Caller, id: string): Promise<Account> {
    const account = await new AccountStore(this.#db.read).find(accountReach(caller), id);
    if (account === undefined) throw accountNotFound();
    return account;
  }

  async #findByKey(caller: Caller, selector: AccountSelector): Promise<Account | undefined> {
    const connection = await this.#connections.byName(caller.environmentId, selector.connection ?? '');
    return this.findNamed(caller, connection, { ...selector, identifier: selector.identifier ?? '' });
  }

  /**
   * The account of a connection with an identifier. A caller that reaches every owner may leave the owner out: that
   * means the account without one, otherwise the only one there is.
   *
   * @throws ServiceError INVALID_ARGUMENT if the owner is left out and several accounts have the identifier;
   *   PERMISSION_DENIED if the credential is bound to another organization
   */
  async findNamed(
    caller: Caller,
    connection: Pick<Connection, 'id' | 'name'>,
    named: NamedOwner & { identifier: string },
  ): Promise<Account | undefined> {
    const owner = ownerToFind(caller, named);
    const identifier = normalizeText(named.identifier);
    const store = new AccountStore(this.#db.read);
    const reach = accountReach(caller);
    const exact = await store.findByKey(reach, { connectionId: connection.id, ...owner, identifier });
    if (exact !== undefined || hasOwner(owner)) return exact;
    const [only, another] = await store.listNamed(reach, connection.id, identifier, 2);
    if (another === undefined) return only;
    const filter = { connection: connection.name, identifier };
    const count = await store.count(reach, filter, MAX_TOTAL + 1);
    throw invalidField(
      'user_id',
      `${count > MAX_TOTAL ? `More than ${MAX_TOTAL}` : count} accounts at ${connection.name} have this identifier. Say whose you mean with user_id or organization_id, or give the id of the account.`,
      'ambiguous',
    );
  }
}

/** Members of a request that name an owner. */
interface NamedOwner {
  user_id?: string | undefined;
  organization_id?: string | undefined;
}

/**
 * The owner a request names, as stored: NFC, '' for absent. A token that stands for one owner need not name them.
 *
 * @throws ServiceError PERMISSION_DENIED for an owner whose accounts the caller does not reach
 */
export function requestedOwner(caller: Caller, named: NamedOwner): Owner {
  const owner = namedOwner(caller, named);
  requireOwnerInReach(caller, owner);
  return owner;
}

/**
 * The same for a look-up that creates nothing: another person's account is not found, as if it did not exist. The
 * look-up itself has to be limited to `reachOf`.
 *
 * @throws ServiceError PERMISSION_DENIED if the credential is bound to another organization
 */
export function ownerToFind(caller: Caller, named: NamedOwner): Owner {
  return onlyOwnerOf(caller) === undefined ? requestedOwner(caller, named) : namedOwner(caller, named);
}

function namedOwner(caller: Caller, { user_id, organization_id }: NamedOwner): Owner {
  const onlyOwner = onlyOwnerOf(caller);
  if (onlyOwner !== undefined && user_id === undefined && organization_id === undefined) return onlyOwner;
  return { userId: normalizeText(user_id ?? ''), organizationId: normalizeText(organization_id ?? '') };
}

/** @throws ServiceError PERMISSION_DENIED for an owner whose accounts the caller does not reach */
export function requireOwnerInReach(caller: Caller, owner: Owner): void {
  const onlyOwner = onlyOwnerOf(caller);
  if (onlyOwner !== undefined && !isSameOwner(onlyOwner, owner)) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      'This token reaches the accounts of one owner only. Name that owner, or leave the owner out.',
    );
  }
  const bound = boundOrganizationOf(caller);
  if (bound === undefined || owner.organizationId === bound) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'This credential reaches the accounts of one organization only. Name that organization.',
  );
}

/**
 * A person's caller with the accounts of their organization instead of their own, if the request's header asks for them
 * (docs/contract.md#whose-accounts-a-token-reaches). Other callers stay as they are.
 *
 * @param asked value of `ORGANIZATION_HEADER`; `undefined` asks for their own accounts
 * @param right what the request does with the accounts, as far as its route says
 * @throws ServiceError PERMISSION_DENIED for another organization than the session's, for a member without a role, and
 *   for an app that the person did not allow this right
 */
export function inOrganization(
  caller: Caller,
  asked: string | undefined,
  right: 'read' | 'write' = 'read',
): Caller {
  if (caller.kind !== 'person' || asked === undefined) return caller;
  const { organizationId, role } = caller.person;
  if (organizationId === '' || asked !== organizationId || (role !== 'admin' && role !== 'owner')) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      `${ORGANIZATION_HEADER} must be the organization you are signed in to, and you must be its admin or owner. Leave the header out to use your own accounts.`,
    );
  }
  requireOrganizationScope(caller, right);
  const owner = { userId: '', organizationId };
  return { ...caller, owner, onlyOwner: owner };
}

/** Whether a request or its caller names an owner. */
export function hasOwner({ userId, organizationId }: Owner): boolean {
  return userId !== '' || organizationId !== '';
}

function isSameOwner(one: Owner, other: Owner): boolean {
  return one.userId === other.userId && one.organizationId === other.organizationId;
}

/** RESOURCE_NOT_FOUND; says nothing about whether the account exists elsewhere. */
export function accountNotFound(): ServiceError {
  return notFound('connected account');
}

/**
 * The same for a call that names an owner, who may never have connected: says how to create the account
 * (docs/contract.md#which-account-a-call-means).
 */
export function accountNotMade(): ServiceError {
  const { code, message } = accountNotFound();
  return new ServiceError(
    code,
    `${message} POST /api/v1/connected_accounts/magic_link creates it with a link to connect it.`,
  );
}

function selectorViolations(selector: AccountSelector): FieldViolation[] {
  const { id, connection: connector, identifier, organization_id, user_id } = selector;
  const out = [
    ...textViolations({ connector, identifier, organization_id, user_id }),
    ...ownerViolations({ organization_id, user_id }),
  ];
  if (id === undefined) {
    for (const [field, value] of Object.entries({ connector, identifier })) {
      if (value !== undefined) continue;
      out.push({
        field,
        description: `Give id, or connector and identifier (and user_id or organization_id where several accounts have that identifier).`,
        constraint: 'required',
      });
    }
  }
  return out;
}

/** A selector with an id may repeat the rest; the repeated values must be those of the account. */
function agrees(account: Account, selector: AccountSelector): boolean {
  return (
    (selector.connection === undefined || selector.connection === account.connection.name) &&
    (selector.identifier === undefined || normalizeText(selector.identifier) === account.identifier) &&
    (selector.user_id === undefined || normalizeText(selector.user_id) === account.owner.userId) &&
    (selector.organization_id === undefined ||
      normalizeText(selector.organization_id) === account.owner.organizationId)
  );
}

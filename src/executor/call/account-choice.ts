/**
 * Chooses the account of a tool call (docs/contract.md#which-account-a-call-means).
 *
 * In REST each request names the owner; in MCP the caller has one. Both then choose among the owner's accounts of one
 * connection. Nothing is guessed: several accounts and no name lead to an error that lists them.
 */
import {
  accountNotFound,
  accountNotMade,
  ownerToFind,
  accountReach,
  requireOwnerInReach,
  type AccountFinder,
} from '../../accounts/account-finder.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import { findOrCreateAccount } from '../../accounts/new-account.ts';
import { normalizeText, accountNameViolations } from '../../core/text-rules.ts';
import { onlyOwnerOf, type Caller, type Owner } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { invalidArgument, invalidField } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  accountNamed,
  everConnected,
  fitting,
  nameOf,
  pathOf,
  pick,
  type AccountUse,
} from './account-pick.ts';

/** A call's reference to its account. */
export interface AccountReference {
  id?: string | undefined;
  /** Connection name. */
  connection?: string | undefined;
  identifier?: string | undefined;
  userId?: string | undefined;
  organizationId?: string | undefined;
  /** The argument of MCP: an identifier, or `<connection>/<identifier>`. */
  account?: string | undefined;
  /** Names of the connections of a virtual MCP server; only their accounts may be used. `undefined` means all. */
  connections?: readonly string[] | undefined;
}

interface AccountChoiceDeps {
  db: Database;
  finder: AccountFinder;
  connections: ConnectionFinder;
  clock: Clock;
}

export class AccountChoice {
  readonly #deps: AccountChoiceDeps;

  constructor(deps: AccountChoiceDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, RESOURCE_NOT_FOUND, PERMISSION_DENIED */
  async choose(caller: Caller, tool: AccountUse, reference: AccountReference): Promise<Account> {
    if (reference.id !== undefined) return this.#byId(caller, tool, reference);
    const { owner } = caller;
    const isNamedByRequest = onlyOwnerOf(caller) !== undefined && caller.source !== 'mcp';
    if (owner === undefined || isNamedByRequest) return this.#byRequest(caller, tool, reference);
    if (tool.connector !== undefined) return this.#byOwner(caller, owner, tool.connector, reference);
    const { userId, organizationId } = owner;
    const own = { userId: userId || undefined, organizationId: organizationId || undefined };
    return this.#byRequest(caller, tool, { ...reference, ...own });
  }

  /**
   * Connector -> names of the connected accounts of the caller's owner, if there are several to choose from.
   *
   * @param among names of the only connections that count; `undefined` means all
   */
  async choices(caller: Caller, among?: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const byConnector = new Map<string, Account[]>();
    for (const account of await this.#ownedBy(caller, caller.owner)) {
      if (!everConnected(account) || among?.includes(account.connection.name) === false) continue;
      const accounts = byConnector.get(account.connection.connector) ?? [];
      accounts.push(account);
      byConnector.set(account.connection.connector, accounts);
    }
    const out = new Map<string, readonly string[]>();
    for (const [connector, accounts] of byConnector) {
      if (accounts.length < 2) continue;
      const several = new Set(accounts.map((account) => account.connection.id)).size > 1;
      out.set(
        connector,
        accounts.map((account) =>
          several ? `${account.connection.name}/${account.identifier}` : account.identifier,
        ),
      );
    }
    return out;
  }

  /** Requires the rest of the reference to match: an id with another user's name is a mistake, not a choice. */
  async #byId(caller: Caller, tool: AccountUse, reference: AccountReference): Promise<Account> {
    const { id, connection, identifier, userId, organizationId } = reference;
    const account = await this.#deps.finder.find(caller, {
      id,
      connection,
      identifier,
      user_id: userId,
      organization_id: organizationId,
    });
    const { owner } = caller;
    if (
      owner !== undefined &&
      (account.owner.userId !== owner.userId || account.owner.organizationId !== owner.organizationId)
    ) {
      throw accountNotFound();
    }
    return fitting(account, tool, 'connected_account_id');
  }

  async #byRequest(caller: Caller, tool: AccountUse, reference: AccountReference): Promise<Account> {
    const { connection: name, identifier, userId, organizationId } = reference;
    const named = { connector: name, identifier, user_id: userId, organization_id: organizationId };
    const violations = accountNameViolations(named);
    if ((identifier ?? userId ?? organizationId ?? onlyOwnerOf(caller)) === undefined) {
      violations.push({
        field: 'connected_account_id',
        description: 'Say whose account: connected_account_id, or user_id, organization_id or identifier.',
        constraint: 'required',
      });
    }
    const ofTool = tool.connector;
    if (name === undefined && ofTool === undefined) {
      violations.push({ field: 'connector', description: 'Say which connection.', constraint: 'required' });
    }
    if (violations.length > 0) throw invalidArgument(violations);
    const owner = ownerToFind(caller, named);
    const connections =
      name === undefined
        ? await this.#deps.connections.forConnector(caller.environmentId, ofTool ?? '')
        : [await this.#deps.connections.byName(caller.environmentId, name)];
    const [connection] = connections;
    if (connection === undefined || connections.length > 1) {
      const names = connections.map((entry) => entry.name).join(', ');
      throw invalidField(
        'connector',
        `Several connections fit ${tool.name}. Name one: ${names}.`,
        'ambiguous',
      );
    }
    const store = new AccountStore(this.#deps.db.read);
    const reach = accountReach(caller);
    const account =
      identifier === undefined
        ? pick(await store.findByOwner(reach, connection.id, owner), 'identifier', nameOf)
        : await store.findByKey(reach, {
            connectionId: connection.id,
            ...owner,
            identifier: normalizeText(identifier),
          });
    if (account === undefined) throw accountNotMade();
    return fitting(account, tool, 'connector');
  }

  async #byOwner(
    caller: Caller,
    owner: Owner,
    connector: string,
    { account: name, connections: among }: AccountReference,
  ): Promise<Account> {
    const all = await this.#ownedBy(caller, owner);
    const accounts = all.filter(
      (account) =>
        account.connection.connector === connector && among?.includes(account.connection.name) !== false,
    );
    const own = async () => this.#deps.connections.forConnector(caller.environmentId, connector, among);
    if (name !== undefined) return accountNamed(accounts, normalizeText(name), own);
    // The connection with the connector's own name is preferred, even if there are others.
    const atOwn = pick(
      accounts.filter((account) => account.connection.name === connector),
      'account',
      nameOf,
    );
    if (atOwn !== undefined) return atOwn;
    const connections = await own();
    const usable = accounts.filter((account) =>
      connections.some((connection) => connection.id === account.connection.id),
    );
    const several = connections.length > 1;
    const account = pick(usable, 'account', several ? pathOf : nameOf);
    if (account !== undefined) return account;
    const [connection] = connections;
    if (connection === undefined || several) {
      const names = connections.map((entry) => entry.name).join(', ');
      throw invalidField(
        'account',
        `Several connections fit this tool: ${names}. Connect an account at one of them first.`,
        'ambiguous',
      );
    }
    return this.#create(caller, connection, owner);
  }

  /** Accounts of an owner that the caller's credential reaches; none without an owner. */
  async #ownedBy(caller: Caller, owner: Owner | undefined): Promise<Account[]> {
    if (owner === undefined) return [];
    requireOwnerInReach(caller, owner);
    return new AccountStore(this.#deps.db.read).listOfOwner(caller.environmentId, owner);
  }

  async #create(caller: Caller, connection: Connection, owner: Owner): Promise<Account> {
    const { auth } = this.#deps.connections.connectorOf(connection);
    const identifier = owner.userId || owner.organizationId;
    const wanted = { connection, auth, owner, identifier, now: this.#deps.clock.now() };
    return findOrCreateAccount(this.#deps.db, wanted, caller.actor);
  }
}

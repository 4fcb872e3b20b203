/**
 * Chooses the account of a tool call (docs/contract.md#which-account-a-call-means).
 *
 * In REST each request names the owner; in MCP the caller has one. Both then choose among the owner's accounts of one
 * connection. Nothing is guessed: several accounts and no name lead to an error that lists them.
 */
import {
  accountNotFound,
  accountNotMade,
  hasOwner,
  ownerToFind,
  requireOwnerInReach,
  type AccountFinder,
} from '../../accounts/account-finder.ts';
import { usualConnections, type ConnectionFinder } from '../../connections/connection-finder.ts';
import { findOrCreateAccount } from '../../accounts/new-account.ts';
import { normalizeText, accountNameViolations } from '../../core/text-rules.ts';
import { onlyOwnerOf, requireOrganizationScope, type Caller, type Owner } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { invalidArgument, invalidField } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import { CandidateAccounts } from '../../store/accounts/candidate-accounts.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  accountNamed,
  everConnected,
  withoutDisconnected,
  fitting,
  nameOf,
  pathOf,
  pick,
  requireConnectorOf,
  type AccountUse,
} from './account-pick.ts';

/** The account of a call. */
export interface ChosenAccount {
  account: Account;
  /** The request named its owner, and the call made it. */
  isNew: boolean;
}

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

/** The account that a person is asked to connect; see `AccountChoice.toConnect`. */
interface ToConnect {
  connector: string;
  /** As `AccountReference.account`, also of an account that does not exist yet. */
  account?: string | undefined;
  connections?: readonly string[] | undefined;
}

/** Most accounts of one connector that wait for their first connection before no new name is taken. */
const MAX_WAITING = 5;

interface AccountChoiceDeps {
  db: Database;
  finder: AccountFinder;
  connections: ConnectionFinder;
  clock: Clock;
}

export class AccountChoice {
  readonly #deps: AccountChoiceDeps;
  readonly #candidates: CandidateAccounts;

  constructor(deps: AccountChoiceDeps) {
    this.#deps = deps;
    this.#candidates = new CandidateAccounts(deps.db);
  }

  /**
   * Makes the account if its owner is known and has none there.
   *
   * @param options.mayMake false: an account that a request names and that does not exist is an error
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, RESOURCE_NOT_FOUND, PERMISSION_DENIED
   */
  async choose(
    caller: Caller,
    tool: AccountUse,
    reference: AccountReference,
    { mayMake = true } = {},
  ): Promise<ChosenAccount> {
    if (onlyOwnerOf(caller)?.userId === '')
      requireOrganizationScope(caller, tool.effect === 'read' ? 'read' : 'write');
    if (reference.id !== undefined)
      return { account: await this.#byId(caller, tool, reference), isNew: false };
    const { owner } = caller;
    const isNamedByRequest = onlyOwnerOf(caller) !== undefined && caller.source !== 'mcp';
    if (owner === undefined || isNamedByRequest) return this.#byRequest(caller, tool, reference, mayMake);
    if (tool.connector !== undefined) {
      return { account: await this.#byOwner(caller, owner, tool.connector, reference), isNew: false };
    }
    const { userId, organizationId } = owner;
    const own = { userId: userId || undefined, organizationId: organizationId || undefined };
    return this.#byRequest(caller, tool, { ...reference, ...own }, mayMake);
  }

  /**
   * The account of the caller's owner that a person is to connect. A name that no account has makes one.
   *
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, PERMISSION_DENIED
   */
  async toConnect(
    caller: Caller,
    { connector, account: name, connections: among }: ToConnect,
  ): Promise<Account> {
    const { owner, environmentId } = caller;
    if (owner === undefined) throw accountNotFound();
    requireOwnerInReach(caller, owner);
    if (owner.organizationId !== '') requireOrganizationScope(caller, 'write');
    if (name === undefined)
      return this.#byOwner(caller, owner, connector, { connections: among }, (accounts) => accounts);
    const found = await this.#candidates.of({ environmentId, by: 'connector', value: connector, owner });
    const isAmong = (connection: string): boolean => among?.includes(connection) !== false;
    const accounts = found.accounts.filter((account) => isAmong(account.connection.name));
    const wanted = normalizeText(name);
    const usual = usualConnections(found.connections, connector, among);
    if (accounts.some((account) => [pathOf(account), account.identifier].includes(wanted)))
      return accountNamed(accounts, wanted, usual);
    const named = found.connections.find((each) => isAmong(each.name) && wanted.startsWith(`${each.name}/`));
    const { connections } = this.#deps;
    const [connection, another] =
      named === undefined
        ? await connections.forConnector(environmentId, connector, among)
        : [await connections.byName(environmentId, named.name)];
    if (connection === undefined || another !== undefined) {
      const names = usual.map((each) => `${each.name}/${wanted}`).join(', ');
      throw invalidField('account', `Several connections fit. Name one: ${names}.`, 'ambiguous');
    }
    const identifier = named === undefined ? wanted : wanted.slice(named.name.length + 1);
    const [wrong] = accountNameViolations({ identifier });
    if (wrong !== undefined) throw invalidArgument([{ ...wrong, field: 'account' }]);
    requireFewWaiting(accounts);
    return this.#create(caller, connection, owner, identifier);
  }

  /**
   * Connector -> names of the connected accounts of the caller's owner, if there are several to choose from.
   *
   * @param among names of the only connections that count; `undefined` means all
   */
  async choices(caller: Caller, among?: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const byConnector = new Map<string, Account[]>();
    for (const account of await this.connected(caller, among)) {
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

  /**
   * The accounts of the caller's owner that were ever connected, and that a call without a name may mean.
   *
   * @param among as for `choices`
   */
  async connected(caller: Caller, among?: readonly string[]): Promise<Account[]> {
    const owned = (await this.#ownedBy(caller, caller.owner)).filter(
      (account) => everConnected(account) && among?.includes(account.connection.name) !== false,
    );
    const byConnection = Map.groupBy(owned, ({ connection }) => connection.id);
    return [...byConnection.values()].flatMap(withoutDisconnected);
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

  async #byRequest(
    caller: Caller,
    tool: AccountUse,
    reference: AccountReference,
    mayMake: boolean,
  ): Promise<ChosenAccount> {
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
    const onlyOwner = onlyOwnerOf(caller) ?? owner;
    const isOthers = onlyOwner.userId !== owner.userId || onlyOwner.organizationId !== owner.organizationId;
    const known = isOthers
      ? undefined
      : await this.#known(caller.environmentId, owner, { name, ofTool, identifier });
    if (known !== undefined) return { account: fitting(known, tool, 'connector'), isNew: false };
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
    const account =
      identifier === undefined
        ? undefined
        : await this.#deps.finder.findNamed(caller, connection, { ...named, identifier });
    if (account !== undefined) return { account: fitting(account, tool, 'connector'), isNew: false };
    if (!mayMake || !hasOwner(owner) || isOthers) throw accountNotMade();
    requireConnectorOf(connection.connector, tool, 'connector');
    return { account: await this.#create(caller, connection, owner, identifier), isNew: true };
  }

  /** Reads the account that a request names in one statement. Returns `undefined` if there is none, or if the request needs a closer answer. */
  async #known(
    environmentId: string,
    owner: Owner,
    named: { name?: string | undefined; ofTool?: string | undefined; identifier?: string | undefined },
  ): Promise<Account | undefined> {
    const { name, ofTool = '', identifier } = named;
    const { connections, accounts, isCut } = await this.#candidates.of({
      environmentId,
      ...(name === undefined ? { by: 'connector', value: ofTool } : { by: 'name', value: name }),
      owner: hasOwner(owner) || identifier === undefined ? owner : undefined,
      identifier: identifier && normalizeText(identifier),
    });
    const [connection, another] = name === undefined ? usualConnections(connections, ofTool) : connections;
    if (connection === undefined || another !== undefined || isCut) return undefined;
    const there = accounts.filter((account) => account.connection.id === connection.id);
    if (identifier === undefined) return pick(withoutDisconnected(there), 'identifier', nameOf);
    return there.length === 1 ? there[0] : there.find((account) => !hasOwner(account.owner));
  }

  async #byOwner(
    caller: Caller,
    owner: Owner,
    connector: string,
    { account: name, connections: among }: AccountReference,
    counting = withoutDisconnected,
  ): Promise<Account> {
    requireOwnerInReach(caller, owner);
    const { environmentId } = caller;
    const wish = { environmentId, by: 'connector', value: connector, owner } as const;
    const found = await this.#candidates.of(wish);
    const accounts = found.accounts.filter(
      (account) => among === undefined || among.includes(account.connection.name),
    );
    const connections = usualConnections(found.connections, connector, among);
    if (name !== undefined) return accountNamed(accounts, normalizeText(name), connections);
    // The connection with the connector's own name is preferred, even if there are others.
    const atOwn = pick(
      counting(accounts.filter((account) => account.connection.name === connector)),
      'account',
      nameOf,
    );
    if (atOwn !== undefined) return atOwn;
    const usable = accounts.filter((account) =>
      connections.some((connection) => connection.id === account.connection.id),
    );
    const account = pick(counting(usable), 'account', connections.length > 1 ? pathOf : nameOf);
    if (account !== undefined) return account;
    const [only, ...others] = await this.#deps.connections.forConnector(environmentId, connector, among);
    if (only === undefined || others.length > 0) {
      const names = [only, ...others].map((entry) => entry?.name).join(', ');
      throw invalidField(
        'account',
        `Several connections fit this tool: ${names}. Connect an account at one of them first.`,
        'ambiguous',
      );
    }
    return this.#create(caller, only, owner);
  }

  /** Accounts of an owner that the caller's credential reaches; none without an owner. */
  async #ownedBy(caller: Caller, owner: Owner | undefined): Promise<Account[]> {
    if (owner === undefined) return [];
    requireOwnerInReach(caller, owner);
    return new AccountStore(this.#deps.db.read).listOfOwner(caller.environmentId, owner);
  }

  async #create(
    caller: Caller,
    connection: Connection,
    owner: Owner,
    name = owner.userId || owner.organizationId,
  ): Promise<Account> {
    // A tool that only reads comes here with less.
    if (owner.organizationId !== '') requireOrganizationScope(caller, 'write');
    const { auth } = this.#deps.connections.connectorOf(connection);
    const identifier = normalizeText(name);
    const wanted = { connection, auth, owner, identifier, now: this.#deps.clock.now() };
    return findOrCreateAccount(this.#deps.db, wanted, caller.actor);
  }
}

/** Names that an agent makes up again and again must not become accounts without end. */
function requireFewWaiting(accounts: readonly Account[]): void {
  const waiting = accounts.filter((account) => !everConnected(account));
  if (waiting.length < MAX_WAITING) return;
  const names = waiting.slice(0, MAX_WAITING).map(nameOf).join(', ');
  throw invalidField(
    'account',
    `Several accounts wait to be connected for the first time. Connect one of these before you name a new one: ${names}.`,
    'too_many',
  );
}

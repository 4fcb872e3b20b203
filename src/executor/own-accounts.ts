/**
 * Lets an agent list the accounts of its own caller, and ask for a link to connect or replace one.
 *
 * Sends nothing to a provider. Other owners' accounts are out of reach, because only the caller's owner is looked
 * for.
 */
import { requireOwnerInReach } from '../accounts/account-finder.ts';
import { isUsableAt } from '../accounts/account-input.ts';
import type { ConnectLink } from '../accounts/not-active.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Tool } from '../catalog/model/types.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { requireOrganizationScope, type Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { AccountStatus } from '../core/stored-words.ts';
import type { Links } from '../links/links.ts';
import type { Account } from '../store/accounts/account.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Database } from '../store/engine/database.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { AccountChoice } from './call/account-choice.ts';
import { connectLink, declinedLately, DECLINED_MS } from './call/connect-link.ts';

/** Most links that an agent gets for one account in an hour. Links that others made count too. */
const MAX_LINKS = 5;

/** An account as its owner's agent sees it. */
export interface OwnAccount {
  id: string;
  /** Name of its connector. */
  connector: string;
  /** Name of its connection. */
  connection: string;
  identifier: string;
  status: AccountStatus;
  /** The provider's name for the account; null if unknown. Text of the provider. */
  displayName: string | null;
}

/** A connection that an agent wants to have an account of. */
export interface ConnectWish {
  connector: string;
  /** An account's name, also a new one; the only account, or a new one, if absent. */
  account?: string | undefined;
  /** Whether a link is wanted even if the account is connected. */
  replace: boolean;
  /** Names of the only connections whose accounts may be used; all if absent. */
  connections?: readonly string[] | undefined;
  /** Selected tools, whose scopes are asked for. */
  tools: readonly Tool[];
}

/** The account, and its link; without a link if there is nothing to do. */
export interface Connecting {
  account: OwnAccount;
  /** Absent if it is connected and is not to be replaced. */
  connect?: ConnectLink;
}

interface OwnAccountsDeps {
  db: Database;
  accounts: AccountChoice;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  waiting: WaitingCredentials;
  links: Links;
  clock: Clock;
}

export class OwnAccounts {
  readonly #deps: OwnAccountsDeps;

  constructor(deps: OwnAccountsDeps) {
    this.#deps = deps;
  }

  /**
   * The accounts of the caller's owner.
   *
   * @param among names of the only connections that count; `undefined` means all
   * @throws ServiceError PERMISSION_DENIED for an owner that the caller's credential does not reach
   */
  async list(caller: Caller, among?: readonly string[]): Promise<readonly OwnAccount[]> {
    const { owner } = caller;
    if (owner === undefined) return [];
    requireOwnerInReach(caller, owner);
    if (owner.organizationId !== '') requireOrganizationScope(caller, 'read');
    await this.#deps.waiting.endExpired();
    const accounts = await new AccountStore(this.#deps.db.read).listOfOwner(caller.environmentId, owner);
    return Promise.all(
      accounts
        .filter(({ connection }) => among === undefined || among.includes(connection.name))
        .map(async (account) => this.#shown(account)),
    );
  }

  /**
   * Gives a link for an account, and creates the account if none has this name. A connected account keeps its
   * credential until the person has confirmed the new one on the page of the link.
   *
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, PERMISSION_DENIED
   */
  async connect(caller: Caller, wish: ConnectWish): Promise<Connecting> {
    const { clock, db, links, waiting } = this.#deps;
    await waiting.endExpired();
    const account = await this.#deps.accounts.toConnect(caller, wish);
    const shown = await this.#shown(account);
    if (account.status === 'ACTIVE' && (!wish.replace || (await this.#needsNothing(account))))
      return { account: shown };
    const now = clock.now();
    // For a connected account only the link remembers that its owner declined.
    const declinedAt =
      account.status === 'ACTIVE'
        ? await new LinkStore(db.read).declinedSince(account, undefined, now - DECLINED_MS)
        : account.declinedAt;
    const declined = declinedLately(declinedAt, 'to connect it', now);
    if (declined !== undefined) return { account: shown, connect: declined };
    const options = { tools: wish.tools, maxNew: MAX_LINKS };
    const connect = await connectLink(links, caller, account, options);
    if ('link' in connect)
      await db.transaction(async (tx) =>
        writeAuditLine(tx, caller, { action: 'connected_account.link', target: account.id, now }),
      );
    return { account: shown, connect };
  }

  /** Whether the account works without a credential, so that there is none to replace. */
  async #needsNothing({ environmentId, connection: { name } }: Account): Promise<boolean> {
    const connection = await this.#deps.connections.byName(environmentId, name);
    return isUsableAt(this.#deps.connections.connectorOf(connection).auth, {}, connection);
  }

  async #shown(account: Account): Promise<OwnAccount> {
    const { id, connection, identifier, status } = account;
    return {
      id,
      connector: connection.connector,
      connection: connection.name,
      identifier,
      status,
      displayName: await this.#deps.sealed.openName(account),
    };
  }
}

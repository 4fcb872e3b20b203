/**
 * Verification: the customer's app names the user who came back from the consent, or the signed-in owner confirms. Then
 * the waiting credentials go live (docs/contract.md#verify). This defends against a link opened by somebody else.
 */
import type { OnConnected } from '../accounts/account-update.ts';
import { normalizeText } from '../core/text-rules.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { appendEvent, changeStatus } from '../accounts/status-change.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import { boundOrganizationOf, onlyOwnerOf, type Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidField, ServiceError } from '../core/errors.ts';
import { hashSecret } from '../core/ids.ts';
import { isSameText } from '../core/same-text.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import type { Link } from '../store/accounts/link.ts';
import { doneMark } from './done-marks.ts';
import { confirmerOf } from './link-rules.ts';
import { liveColumns } from './link-completion.ts';

/** Wrong identifiers after which the waiting credentials are erased. */
const MAX_WRONG_IDENTIFIERS = 5;

/** The signed-in user who is asked to confirm. */
export interface Confirmer {
  environmentId: string;
  userId: string;
  /** Value of their browser's cookie; only the browser that consented may confirm. */
  browser: string | undefined;
  /** Whether they administer an organization now. */
  administers: (organizationId: string) => Promise<boolean>;
}

/**
 * The owner would confirm in another browser than the one that consented: somebody else may have consented and sent
 * them the address.
 */
export class OtherBrowserFailure extends Error {
  override readonly name = 'OtherBrowserFailure';
  /** Name of the connection. */
  readonly connection: string;
  /** Name of its connector. */
  readonly provider: string;

  constructor({ connection }: Account) {
    super('the consent was given in another browser');
    this.connection = connection.name;
    this.provider = connection.connector;
  }
}

/** A connection that waits for its owner to confirm. */
export interface AwaitedConfirmation {
  /** Name of the connection. */
  connection: string;
  /** Name of its connector. */
  provider: string;
  identifier: string;
  /** The provider's name for the account; null if unknown. */
  displayName: string | null;
  /** '' for the person's own account. */
  organizationId: string;
  /** Address to which the browser is redirected afterwards. */
  redirectTo: string;
}

interface LinkVerifierDeps {
  db: Database;
  clock: Clock;
  sealed: SealedDetails;
  waiting: WaitingCredentials;
  environments: Environments;
  csrfKey: Buffer;
  onConnected?: OnConnected;
}

export class LinkVerifier {
  readonly #deps: LinkVerifierDeps;

  constructor(deps: LinkVerifierDeps) {
    this.#deps = deps;
  }

  /**
   * Activates the account once; of several concurrent calls one succeeds.
   *
   * @throws ServiceError INVALID_ARGUMENT; PERMISSION_DENIED for a user's token; RESOURCE_NOT_FOUND (unknown,
   *   used, expired, or to be confirmed by its owner); IDENTIFIER_MISMATCH
   */
  async verify(
    caller: Caller,
    input: { auth_request_id: string; identifier: string },
  ): Promise<{ post_user_verify_redirect_url: string }> {
    requireWellFormed(input);
    requireMachine(caller);
    const { environmentId } = caller;
    const { request, link } = await this.#open(environmentId, input.auth_request_id);
    if (link?.verification === 'signed_in') throw notFound();
    const row = await new AccountStore(this.#deps.db.read).find(
      { environmentId, organizationId: boundOrganizationOf(caller) },
      request.accountId,
    );
    if (row === undefined) throw notFound();
    if (!isSameText(normalizeText(input.identifier), request.identifier)) {
      await this.#countWrong(request, caller);
      throw new ServiceError(
        'IDENTIFIER_MISMATCH',
        'The identifier is not the one this connection was started for. Somebody else gave consent: do not confirm it.',
      );
    }
    const redirectUrl = await this.#redirectOf(row);
    await this.#activate(request, row, caller);
    return { post_user_verify_redirect_url: redirectUrl };
  }

  /**
   * Returns what a signed-in user confirms in mode `signed_in`. Anybody but the owner counts as a wrong identifier.
   *
   * @throws ServiceError and OtherBrowserFailure as `confirm`
   */
  async awaiting(confirmer: Confirmer, authRequestId: string): Promise<AwaitedConfirmation> {
    const { request, row } = await this.#confirmable(confirmer, authRequestId);
    const { connection, identifier, owner } = row;
    return {
      connection: connection.name,
      provider: connection.connector,
      identifier,
      displayName: await this.#deps.sealed.openWaitingName(request),
      organizationId: owner.organizationId,
      redirectTo: await this.#redirectOf(row),
    };
  }

  /**
   * The connection that waits for confirmation in this browser, for the page on which its owner signs in first. The
   * person has just consented here, so this tells them nothing new.
   */
  async unconfirmed(
    environmentId: string,
    authRequestId: string,
    browser: string | undefined,
  ): Promise<Pick<AwaitedConfirmation, 'connection' | 'provider' | 'displayName'> | undefined> {
    const request = await this.#request(environmentId, authRequestId);
    if (request?.browserHash == null || !isBrowserOf(request, browser)) return undefined;
    const row = await new AccountStore(this.#deps.db.read).find({ environmentId }, request.accountId);
    if (row === undefined) return undefined;
    const { name: connection, connector: provider } = row.connection;
    return { connection, provider, displayName: await this.#deps.sealed.openWaitingName(request) };
  }

  /**
   * The owner confirms; the account is ACTIVE then. `done` is for `LinkEnds.connected`. For an organization's account that is the maker of its link.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND (unknown, used, expired, or not to be confirmed here);
   *   IDENTIFIER_MISMATCH for anybody but the owner; OtherBrowserFailure, which the history of the account shows
   */
  async confirm(
    confirmer: Confirmer,
    authRequestId: string,
  ): Promise<{ redirectTo: string; done?: string | undefined }> {
    const { request, row } = await this.#confirmable(confirmer, authRequestId);
    const redirectTo = await this.#redirectOf(row);
    await this.#activate(request, row, { actor: confirmer.userId });
    return { redirectTo, done: doneMark(this.#deps.csrfKey, request.linkId, confirmer.browser) };
  }

  async #confirmable(
    confirmer: Confirmer,
    authRequestId: string,
  ): Promise<{ request: AuthRequest; row: Account }> {
    const { environmentId, userId } = confirmer;
    const { request, link } = await this.#open(environmentId, authRequestId);
    if (link?.verification !== 'signed_in') throw notFound();
    const row = await new AccountStore(this.#deps.db.read).find({ environmentId }, request.accountId);
    if (row === undefined) throw notFound();
    const isOwner =
      confirmerOf(link, row) === userId &&
      (row.owner.organizationId === '' || (await confirmer.administers(row.owner.organizationId)));
    if (isOwner) {
      if (isBrowserOf(request, confirmer.browser)) return { request, row };
      await this.#noteOtherBrowser(row, userId);
      throw new OtherBrowserFailure(row);
    }
    await this.#countWrong(request, { actor: userId });
    throw new ServiceError(
      'IDENTIFIER_MISMATCH',
      'This connection was started for somebody else, so you cannot confirm it.',
    );
  }

  async #open(
    environmentId: string,
    token: string,
  ): Promise<{ request: AuthRequest; link: Link | undefined }> {
    const request = await this.#request(environmentId, token);
    if (request === undefined) throw notFound();
    return {
      request,
      link: await new LinkStore(this.#deps.db.read).findById(environmentId, request.linkId),
    };
  }

  async #request(environmentId: string, token: string): Promise<AuthRequest | undefined> {
    const { db, clock } = this.#deps;
    return new AuthRequestStore(db.read).findOpenByToken(environmentId, hashSecret(token), clock.now());
  }

  async #activate(request: AuthRequest, row: Account, { actor }: Pick<Caller, 'actor'>): Promise<void> {
    const details = await this.#deps.sealed.openWaiting(request);
    const sealed = await this.#deps.sealed.seal(row.id, details);
    const name = await this.#deps.sealed.openWaitingName(request);
    const sealedName = name === null ? null : await this.#deps.sealed.sealName(row.id, name);
    await this.#deps.db.transaction(async (tx) => {
      const now = this.#deps.clock.now();
      const ended = await new AuthRequestStore(tx).end(request.environmentId, request.id, 'verified', now);
      if (ended === undefined) throw notFound();
      const current = await new AccountStore(tx).find({ environmentId: request.environmentId }, row.id);
      if (current === undefined) throw notFound();
      await changeStatus(tx, current, {
        trigger: 'verified',
        actor,
        now,
        set: {
          ...liveColumns(
            current,
            sealed,
            { expiresAt: request.waitingExpiresAt, receivedAt: request.createdAt },
            request.waitingApiConfig,
          ),
          display_name_sealed: sealedName,
        },
      });
    });
    this.#deps.onConnected?.(row);
  }

  async #countWrong(request: AuthRequest, { actor }: Pick<Caller, 'actor'>): Promise<void> {
    const isEnded = await this.#deps.db.transaction(async (tx) => {
      const requests = new AuthRequestStore(tx);
      const wrong = await requests.countWrongIdentifier(request.environmentId, request.id);
      if (wrong < MAX_WRONG_IDENTIFIERS) return false;
      const now = this.#deps.clock.now();
      const ended = await requests.end(request.environmentId, request.id, 'wrong_identifiers', now);
      if (ended === undefined) return false;
      const current = await new AccountStore(tx).find(
        { environmentId: request.environmentId },
        request.accountId,
      );
      if (current === undefined) return true;
      await changeStatus(tx, current, {
        trigger: 'verification_ended',
        actor,
        now,
        statusBefore: ended.statusBefore,
      });
      return true;
    });
    if (isEnded) this.#deps.waiting.erased(request);
  }

  /** The status stays, so no webhook is sent. */
  async #noteOtherBrowser(row: Account, actor: string): Promise<void> {
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) =>
      appendEvent(tx, row, { from: row.status, to: row.status, cause: 'other_browser', actor, now }),
    );
  }

  async #redirectOf(row: Account): Promise<string> {
    const connection = await new ConnectionStore(this.#deps.db.read).findById(
      row.environmentId,
      row.connection.id,
    );
    const { baseUrl } = this.#deps.environments.get(row.environmentId);
    return connection?.postUserVerifyRedirectUrl ?? `${baseUrl}/connect/done`;
  }
}

/** Requests stored by an older program name no browser. */
function isBrowserOf({ browserHash }: AuthRequest, browser: string | undefined): boolean {
  if (browserHash === null) return true;
  return browser !== undefined && isSameText(hashSecret(browser), browserHash);
}

function requireWellFormed({ identifier }: { identifier: string }): void {
  if (identifier === '' || identifier.length > 200)
    throw invalidField('identifier', 'Must have 1 to 200 characters.', 'length');
}

/** A user who could both make and verify links could take over what somebody else consents to. */
function requireMachine(caller: Caller): void {
  if (onlyOwnerOf(caller) === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'An app verifies with its API credential. A person confirms on the page that opens after the consent.',
  );
}

function notFound(): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', 'auth request not found or no longer valid');
}

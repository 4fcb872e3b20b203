/**
 * Completes a consent or form: the credentials wait for verification, or go live at once in mode `none`.
 *
 * The only writer of waiting credentials. Link, credentials, status and event change in one transaction.
 */
import type { OnConnected } from '../accounts/account-update.ts';
import { mergePatch } from '../core/json.ts';
import { PageFailure } from '../core/page-failure.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import { ANEW } from '../accounts/new-account.ts';
import type { DisplayNames } from '../accounts/display-names.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { changeStatus, endWaiting } from '../accounts/status-change.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { rows } from '../store/engine/rows.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import type { Link } from '../store/accounts/link.ts';
import { confirmUrl, withAuthRequest } from './verification-target.ts';

/** The result of a consent or form. */
export interface NewCredentials {
  details: AuthorizationDetails;
  /** Unix milliseconds; null if unknown or never. */
  expiresAt: number | null;
  /** Merged into api_config when the credentials go live. */
  apiConfig: Readonly<Record<string, string>>;
}

interface LinkCompletionDeps {
  db: Database;
  clock: Clock;
  environments: Environments;
  sealed: SealedDetails;
  waiting: WaitingCredentials;
  displayNames: Pick<DisplayNames, 'learn'>;
  pendingMs: number;
  onConnected?: OnConnected;
}

export class LinkCompletion {
  readonly #deps: LinkCompletionDeps;

  /** @param deps.pendingMs how long credentials wait for verify, in milliseconds */
  constructor(deps: LinkCompletionDeps) {
    this.#deps = deps;
  }

  /**
   * Returns where the browser goes: the customer's app, the page where its owner confirms, or null if the
   * account is connected.
   *
   * @param browserHash of the browser that consented: only there can the owner confirm
   * @throws PageFailure of a link: `used` for all but the first of several completions of one link; `unknown`
   *   for a link whose verification cannot be done here
   */
  async complete(
    link: Link,
    row: Account,
    credentials: NewCredentials,
    browserHash: string,
  ): Promise<string | null> {
    const { userVerification, baseUrl } = this.#deps.environments.get(link.environmentId);
    // The settings may be stricter than they were when the link was made.
    if (link.verification === 'none' && userVerification === 'none')
      return this.#connect(link, row, credentials);
    if (link.verification === 'signed_in') {
      return confirmUrl(baseUrl, await this.#wait(link, row, credentials, browserHash));
    }
    // Nothing goes live unverified, whatever else a link says.
    if (link.userVerifyUrl === null) throw new PageFailure('link', 'unknown');
    const authRequestId = await this.#wait(link, row, credentials, browserHash);
    return withAuthRequest(link.userVerifyUrl, authRequestId, link.callerState);
  }

  async #connect(link: Link, row: Account, credentials: NewCredentials): Promise<null> {
    const sealed = await this.#deps.sealed.seal(row.id, credentials.details);
    await this.#completing(link, async (tx, current, now) => {
      const superseded = await endWaiting(tx, current, 'superseded', now);
      const token = { expiresAt: credentials.expiresAt, receivedAt: now };
      await changeStatus(tx, current, {
        trigger: 'connected',
        actor: 'link',
        now,
        set: liveColumns(current, sealed, token, credentials.apiConfig),
      });
      return superseded;
    });
    this.#deps.onConnected?.(row);
    await this.#deps.displayNames.learn(row, credentials, { generation: row.generation + 1 });
    return null;
  }

  /** @returns the auth_request_id */
  async #wait(link: Link, row: Account, credentials: NewCredentials, browserHash: string): Promise<string> {
    const token = newSecret();
    const id = newId('arq', this.#deps.clock.now());
    const waiting = await this.#deps.sealed.sealWaiting(id, credentials.details);
    await this.#completing(link, async (tx, current, now) => {
      const superseded = await endWaiting(tx, current, 'superseded', now);
      const { status } = current;
      await rows(tx, 'auth_requests').insert({
        id,
        environment_id: current.environmentId,
        account_id: current.id,
        link_id: link.id,
        token_hash: hashSecret(token),
        identifier: current.identifier,
        waiting_sealed: waiting,
        waiting_expires_at: credentials.expiresAt,
        waiting_api_config: JSON.stringify(credentials.apiConfig),
        status_before: superseded?.statusBefore ?? status,
        wrong_identifiers: 0,
        created_at: now,
        expires_at: now + this.#deps.pendingMs,
        ended_at: null,
        ended_by: null,
        browser_hash: browserHash,
        display_name_sealed: null,
      });
      await changeStatus(tx, current, { trigger: 'submitted', actor: 'link', now });
      return superseded;
    });
    await this.#deps.displayNames.learn(row, credentials, { waitsAs: id });
    return token;
  }

  /** @param work returns the auth request that it ended */
  async #completing(
    link: Link,
    work: (tx: WriteTransaction, current: Account, now: number) => Promise<AuthRequest | undefined>,
  ): Promise<void> {
    const superseded = await this.#deps.db.transaction(async (tx) => {
      const now = this.#deps.clock.now();
      if (!(await new LinkStore(tx).complete(link.environmentId, link.id, now)))
        throw new PageFailure('link', 'used');
      const current = await new AccountStore(tx).find({ environmentId: link.environmentId }, link.accountId);
      if (current === undefined) throw new PageFailure('link', 'unknown');
      return work(tx, current, now);
    });
    this.#deps.waiting.erased(superseded);
  }
}

/**
 * Columns of an account whose new credentials go live. Raises the generation: a refresh in flight is discarded.
 *
 * @param token of an access token among them, when it came and when it expires, in Unix milliseconds
 */
export function liveColumns(
  current: Account,
  sealed: string | null,
  token: { expiresAt: number | null; receivedAt: number },
  apiConfig: Readonly<Record<string, unknown>>,
): NonNullable<Parameters<typeof changeStatus>[2]['set']> {
  return {
    credentials_sealed: sealed,
    token_expires_at: token.expiresAt,
    token_received_at: token.receivedAt,
    api_config: JSON.stringify(mergePatch(current.apiConfig, apiConfig)),
    generation: current.generation + 1,
    ...ANEW,
  };
}

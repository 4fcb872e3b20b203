/**
 * Waiting credentials that end without verify: those whose time is over (docs/contract.md#states), and what becomes
 * of the credentials themselves, which are erased here and may be good at the provider still.
 */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { Database } from '../store/engine/database.ts';
import { changeStatus } from './status-change.ts';

/** What is done with credentials that nobody can verify any more. Returns at once and never throws. */
export interface ErasedCredentials {
  /** @param request as it was before it ended, with its sealed credentials */
  waitingErased(request: AuthRequest): void;
}

interface WaitingCredentialsDeps {
  db: Database;
  clock: Clock;
  erased: ErasedCredentials;
}

export class WaitingCredentials {
  readonly #deps: WaitingCredentialsDeps;

  constructor(deps: WaitingCredentialsDeps) {
    this.#deps = deps;
  }

  /**
   * Ends every expired auth request: its credentials are erased, the account goes back to the status before.
   * Runs on a timer and before anything that depends on it. Cheap when there are none.
   *
   * A database that cannot be written keeps nobody from reading: what is left is ended by a later run, and
   * verify refuses an expired request by its time.
   */
  async endExpired(): Promise<void> {
    const now = this.#deps.clock.now();
    const expired = await new AuthRequestStore(this.#deps.db.read).listExpired(now);
    try {
      for (const request of expired) {
        if (await this.#endOne(request, now)) this.erased(request);
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
    }
  }

  /**
   * To be called for credentials that a transaction has ended other than by verify, after its commit.
   *
   * @param request as `endWaiting` returned it; undefined: nothing waited
   */
  erased(request: AuthRequest | undefined): void {
    if (request !== undefined) this.#deps.erased.waitingErased(request);
  }

  /** False when somebody else has ended it meanwhile. */
  async #endOne({ id, environmentId }: AuthRequest, now: number): Promise<boolean> {
    return this.#deps.db.transaction(async (tx) => {
      const ended = await new AuthRequestStore(tx).end(environmentId, id, 'expired', now);
      if (ended === undefined) return false;
      const account = await new AccountStore(tx).find({ environmentId }, ended.accountId);
      if (account === undefined) return true;
      await changeStatus(tx, account, {
        trigger: 'verification_ended',
        actor: 'gatehouse',
        now,
        statusBefore: ended.statusBefore,
      });
      return true;
    });
  }
}

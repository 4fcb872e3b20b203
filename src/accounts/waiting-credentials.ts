/**
 * Ends waiting credentials that were not verified in time (docs/contract.md#states). They are erased here but may still
 * be valid at the provider, so they are passed on to be revoked.
 */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import type { Database } from '../store/engine/database.ts';
import { changeStatus } from './status-change.ts';

/** Receives credentials that can no longer be verified. Returns at once and never throws. */
export interface ErasedCredentials {
  /** @param request as it was before its end, with its sealed credentials */
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
   * Ends every expired auth request: erases its credentials and restores the earlier status of the account. Runs on
   * a timer and before anything that depends on it. Cheap without expired requests.
   *
   * Reading continues if the database cannot be written: a later run ends the rest, and verify refuses a request
   * past its expiry anyway.
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
   * Call this after the commit of a transaction that ended waiting credentials other than by verify.
   *
   * @param request as `endWaiting` returned it; `undefined` if nothing waited
   */
  erased(request: AuthRequest | undefined): void {
    if (request !== undefined) this.#deps.erased.waitingErased(request);
  }

  /** Returns false if the request was ended elsewhere meanwhile. */
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

/** POST …/{id}:refresh: renews an account's access token at once. */
import type { AccountFinder } from '../accounts/account-finder.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toView, type AccountView } from '../accounts/account-views.ts';
import { renewalOf } from '../credentials/schemes/index.ts';
import { CredentialEndedFailure, type CredentialSource } from '../credentials/usable-credential.ts';
import type { Caller } from '../core/caller.ts';
import { invalidField } from '../core/errors.ts';
import type { ActiveAccountGuard } from './call/active-account-guard.ts';

interface AccountRefreshDeps {
  finder: AccountFinder;
  connections: ConnectionFinder;
  sealed: SealedDetails;
  activeAccounts: ActiveAccountGuard;
  credentials: CredentialSource;
}

export class AccountRefresh {
  readonly #deps: AccountRefreshDeps;

  constructor(deps: AccountRefreshDeps) {
    this.#deps = deps;
  }

  /**
   * Renews the account's token and returns the account with its new expiry.
   *
   * @throws ServiceError INVALID_ARGUMENT for an account that cannot be refreshed; AccountNotActive; TOOL_ERROR if
   *   the provider gives no token for now; RATE_LIMITED; RESOURCE_NOT_FOUND
   */
  async refresh(caller: Caller, id: string): Promise<AccountView> {
    const account = await this.#deps.finder.findById(caller, id);
    const { connector, auth } = this.#deps.connections.connectorOf(account.connection);
    const renewal = renewalOf(auth);
    if (renewal === undefined) {
      throw invalidField(
        'id',
        `Accounts of type ${auth.type} have no token that could be refreshed. Use the account as it is.`,
        'authorization_type',
      );
    }
    const active = await this.#deps.activeAccounts.requireActive(caller, account, connector);
    if (!renewal.isPossible(await this.#deps.sealed.open(active))) {
      throw invalidField(
        'id',
        `${connector.title} gave this account no refresh token. Its access token serves until the provider refuses it; then its owner connects it again.`,
        'refresh_token',
      );
    }
    try {
      const renewed = await this.#deps.credentials.renewedNow(active, { connector, auth, executionId: null });
      return toView(renewed.account, renewed.details);
    } catch (error) {
      if (error instanceof CredentialEndedFailure)
        throw await this.#deps.activeAccounts.refusal(caller, error.account, connector);
      throw error;
    }
  }
}

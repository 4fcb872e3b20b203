/** POST …/{id}:refresh: renews an account's access token at once. */
import type { AccountFinder } from '../accounts/account-finder.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import { toView, type AccountView } from '../accounts/account-views.ts';
import { renewalOf } from '../credentials/schemes/index.ts';
import { CredentialEnded, type CredentialSource } from '../credentials/usable-credential.ts';
import type { Caller } from '../core/caller.ts';
import { invalidField } from '../core/errors.ts';
import type { Readiness } from './call/active-account-guard.ts';

export class AccountRefresh {
  readonly #finder: AccountFinder;
  readonly #connections: ConnectionFinder;
  readonly #sealed: SealedDetails;
  readonly #readiness: Readiness;
  readonly #credentials: CredentialSource;

  constructor(deps: {
    finder: AccountFinder;
    connections: ConnectionFinder;
    sealed: SealedDetails;
    readiness: Readiness;
    credentials: CredentialSource;
  }) {
    this.#finder = deps.finder;
    this.#connections = deps.connections;
    this.#sealed = deps.sealed;
    this.#readiness = deps.readiness;
    this.#credentials = deps.credentials;
  }

  /**
   * The account with its new expiry.
   *
   * @throws ServiceError INVALID_ARGUMENT for an account that cannot be refreshed; AccountNotActive; TOOL_ERROR when
   *   the provider gives no token for now; RATE_LIMITED; RESOURCE_NOT_FOUND
   */
  async refresh(caller: Caller, id: string): Promise<AccountView> {
    const row = await this.#finder.findById(caller, id);
    const { connector, auth } = this.#connections.connectorOf(row);
    const renewal = renewalOf(auth);
    if (renewal === undefined) {
      throw invalidField(
        'id',
        `Accounts of type ${auth.type} have no token that could be refreshed. Use the account as it is.`,
        'authorization_type',
      );
    }
    const active = await this.#readiness.requireActive(caller, row, connector);
    if (!renewal.isPossible(await this.#sealed.open(active))) {
      throw invalidField(
        'id',
        `${connector.title} gave this account no refresh token. Its access token serves until the provider refuses it; then its owner connects it again.`,
        'refresh_token',
      );
    }
    try {
      const renewed = await this.#credentials.renewedNow(active, { connector, auth, executionId: null });
      return toView(renewed.row, renewed.details);
    } catch (error) {
      if (error instanceof CredentialEnded) throw await this.#readiness.refusal(caller, error.row, connector);
      throw error;
    }
  }
}

/**
 * Seals and opens the credentials of accounts.
 *
 * Live and waiting credentials are sealed for different places (table, row, column), so one can never be read as the
 * other. Opened credentials are kept in memory per row version: the one cache that docs/security.md allows. An entry is
 * dropped when its sealed value changes or the account is deleted.
 */
import type { Account } from '../store/accounts/account.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import { UnreadableSecret, type Vault } from '../vault/vault.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';

/** Most accounts whose opened credentials stay in memory; the one opened longest ago is dropped first. */
const MAX_CACHED = 1_000;

export class SealedDetails {
  readonly #vault: Vault;
  readonly #opened = new Map<string, { sealed: string; details: AuthorizationDetails }>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Seals live credentials; `null` if they are empty. */
  async seal(accountId: string, details: AuthorizationDetails): Promise<string | null> {
    if (Object.keys(details).length === 0) return null;
    return this.#vault.seal(liveContext(accountId), JSON.stringify(details));
  }

  /**
   * Live credentials; `{}` for an account without credentials. Do not change the result.
   *
   * @throws UnreadableSecret if the stored value is damaged or its key is gone
   */
  async open(account: Pick<Account, 'id' | 'credentialsSealed'>): Promise<AuthorizationDetails> {
    const sealed = account.credentialsSealed;
    if (sealed === null) {
      this.#opened.delete(account.id);
      return {};
    }
    const cached = this.#opened.get(account.id);
    if (cached?.sealed === sealed) return cached.details;
    const details = JSON.parse(
      await this.#vault.open(liveContext(account.id), sealed),
    ) as AuthorizationDetails;
    this.#opened.delete(account.id);
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size < MAX_CACHED) break;
      this.#opened.delete(oldest);
    }
    this.#opened.set(account.id, { sealed, details });
    return details;
  }

  /** The same for showing and replacing: also `{}` if the stored value can no longer be opened. */
  async openIfReadable(account: Pick<Account, 'id' | 'credentialsSealed'>): Promise<AuthorizationDetails> {
    try {
      return await this.open(account);
    } catch (error) {
      if (error instanceof UnreadableSecret) return {};
      throw error;
    }
  }

  /** Drops the opened credentials of an account that no longer has any. */
  forget(accountId: string): void {
    this.#opened.delete(accountId);
  }

  async sealWaiting(authRequestId: string, details: AuthorizationDetails): Promise<string> {
    return this.#vault.seal(waitingContext(authRequestId), JSON.stringify(details));
  }

  /** For activation only: nothing else reads waiting credentials. */
  async openWaiting(request: Pick<AuthRequest, 'id' | 'waitingSealed'>): Promise<AuthorizationDetails> {
    if (request.waitingSealed === null) return {};
    return JSON.parse(
      await this.#vault.open(waitingContext(request.id), request.waitingSealed),
    ) as AuthorizationDetails;
  }

  /** Seals what the provider calls an account. */
  async sealName(accountId: string, name: string): Promise<string> {
    return this.#vault.seal(nameContext(accountId), name);
  }

  /** The same for an account whose credentials wait. */
  async sealWaitingName(authRequestId: string, name: string): Promise<string> {
    return this.#vault.seal(waitingNameContext(authRequestId), name);
  }

  /** The provider's name for the account; null if it is unknown or can no longer be opened. */
  async openName({
    id,
    displayNameSealed,
  }: Pick<Account, 'id' | 'displayNameSealed'>): Promise<string | null> {
    return this.#nameAt(nameContext(id), displayNameSealed);
  }

  /** The same of an account whose credentials wait. */
  async openWaitingName({
    id,
    displayNameSealed,
  }: Pick<AuthRequest, 'id' | 'displayNameSealed'>): Promise<string | null> {
    return this.#nameAt(waitingNameContext(id), displayNameSealed);
  }

  async #nameAt(place: Parameters<Vault['open']>[0], sealed: string | null): Promise<string | null> {
    try {
      return sealed === null ? null : await this.#vault.open(place, sealed);
    } catch (error) {
      if (error instanceof UnreadableSecret) return null;
      throw error;
    }
  }
}

/** Names of accounts at their provider; see display-names.ts. */
const nameContext = (row: string) => ({ table: 'accounts', row, column: 'display_name_sealed' });
const waitingNameContext = (row: string) => ({ table: 'auth_requests', row, column: 'display_name_sealed' });
const liveContext = (row: string) => ({ table: 'accounts', row, column: 'credentials_sealed' });
const waitingContext = (row: string) => ({ table: 'auth_requests', row, column: 'waiting_sealed' });

/**
 * The credential of one tool call. When the provider refuses it, it is renewed once, however many requests the
 * call makes; each refused request is repeated once with the renewed one.
 */
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import { ServiceError } from '../../core/errors.ts';

export class CallCredential {
  readonly #first: UsableCredential;
  readonly #renew: (refused: UsableCredential) => Promise<UsableCredential | undefined>;
  #current: UsableCredential;
  #renewal: Promise<UsableCredential | undefined> | undefined;

  /** @param renew CredentialSource.afterRefusal */
  constructor(
    credential: UsableCredential,
    renew: (refused: UsableCredential) => Promise<UsableCredential | undefined>,
  ) {
    this.#first = credential;
    this.#current = credential;
    this.#renew = renew;
  }

  /** For the next request. */
  get current(): UsableCredential {
    return this.#current;
  }

  /**
   * What to repeat a request with that was refused with `refused`; undefined: the refusal stands.
   *
   * @throws what a renewal throws: no new token for now, or the account has ended
   */
  async insteadOf(refused: UsableCredential): Promise<UsableCredential | undefined> {
    if (refused !== this.#first) return undefined;
    this.#renewal ??= this.#renewOnce();
    this.#current = (await this.#renewal) ?? this.#first;
    return this.#renewal;
  }

  /** A provider that refuses every renewed credential: its refusal tells more than our limit. */
  async #renewOnce(): Promise<UsableCredential | undefined> {
    try {
      return await this.#renew(this.#first);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return undefined;
      throw error;
    }
  }
}

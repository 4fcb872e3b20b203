/**
 * The credential of one tool call. If the provider refuses it, it is renewed once for all requests of the call. Each
 * refused request is repeated once with the renewed one.
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

  /** The credential for the next request. */
  get current(): UsableCredential {
    return this.#current;
  }

  /**
   * Sends a request, and once more with a renewed credential if the provider refuses this one. A refused request was
   * not processed, so a write is repeated too.
   *
   * @param send gets the credential and how long its renewal took, which is not the request's time: 0 at first
   * @param options.isRefused whether the provider refused the credential of what was sent
   * @param options.now in milliseconds
   * @returns the last of what `send` returned; the refusal if it stands
   * @throws what a renewal throws: no new token for now, or the account has ended
   */
  async send<Sent>(
    send: (credential: UsableCredential, renewalMs: number) => Promise<Sent>,
    { isRefused, now }: { isRefused: (sent: Sent) => boolean; now: () => number },
  ): Promise<Sent> {
    const credential = this.#current;
    const sent = await send(credential, 0);
    if (!isRefused(sent)) return sent;
    const refusedAt = now();
    const newer = await this.#insteadOf(credential);
    return newer === undefined ? sent : send(newer, now() - refusedAt);
  }

  /** Returns what to repeat a refused request with, or `undefined` if the refusal stands. */
  async #insteadOf(refused: UsableCredential): Promise<UsableCredential | undefined> {
    if (refused !== this.#first) return undefined;
    this.#renewal ??= this.#renewOnce();
    this.#current = (await this.#renewal) ?? this.#first;
    return this.#renewal;
  }

  /** If the provider refuses every renewed credential, its refusal is more useful to the caller than our limit. */
  async #renewOnce(): Promise<UsableCredential | undefined> {
    try {
      return await this.#renew(this.#first);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return undefined;
      throw error;
    }
  }
}

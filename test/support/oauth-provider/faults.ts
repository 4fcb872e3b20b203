/** Misbehaviour waiting for its request, and requests that are held until a test lets them go. */
import type { Fault } from '../fault-server.ts';

export type Target = 'authorize' | 'token' | 'revoke' | 'api' | 'other';

/** One misbehaviour of one endpoint. */
export interface ProviderFault {
  target: Target;
  /** What comes instead of the real answer; without it the real one comes, late. */
  answer?: Omit<Fault, 'delayMs'>;
  /** Token requests of this grant only. */
  grant?: 'authorization_code' | 'refresh_token';
  /** Token requests with this refresh token only. */
  refreshToken?: string | undefined;
  /** How many requests it takes; default 1. */
  times?: number;
  /** `after`: the provider does its work first, rotates for instance, and only the answer is spoilt. Default `instead`. */
  process?: 'instead' | 'after';
  /** Nothing happens (`instead`), or nothing is answered (`after`), before `release()`. */
  hold?: boolean;
  /** The same for so many milliseconds. */
  delayMs?: number;
}

export class Faults {
  #queued: { fault: ProviderFault; left: number }[] = [];
  readonly #held = new Set<() => void>();
  #watchers: { count: number; wake: () => void }[] = [];

  queue(...faults: readonly ProviderFault[]): void {
    for (const fault of faults) this.#queued.push({ fault, left: fault.times ?? 1 });
  }

  /** The first fault that fits, taken once. */
  take(target: Target, form: URLSearchParams): ProviderFault | undefined {
    const isFor = (wanted: string | undefined, name: string): boolean =>
      wanted === undefined || wanted === form.get(name);
    const entry = this.#queued.find(
      ({ fault }) =>
        fault.target === target &&
        isFor(fault.grant, 'grant_type') &&
        isFor(fault.refreshToken, 'refresh_token'),
    );
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queued = this.#queued.filter((other) => other !== entry);
    return entry.fault;
  }

  async hold(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.add(resolve);
    this.#watchers = this.#watchers.filter(({ count, wake }) => {
      if (this.#held.size < count) return true;
      wake();
      return false;
    });
    await promise;
  }

  /** Settles when so many requests are held. */
  async untilHeld(count: number): Promise<void> {
    if (this.#held.size >= count) return;
    await new Promise<void>((wake) => this.#watchers.push({ count, wake }));
  }

  release(): void {
    for (const resume of this.#held) resume();
    this.#held.clear();
  }

  clear(): void {
    this.#queued = [];
    this.release();
  }
}

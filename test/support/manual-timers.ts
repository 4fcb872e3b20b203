/** Timers that a test moves: looking again is immediate, everything longer waits to be told. */
import { setImmediate } from 'node:timers/promises';
import type { Timers } from '../../src/core/timers.ts';

const LOOK_AGAIN_MS = 20;

export class ManualTimers implements Timers {
  /** Works that are repeated, with their interval. */
  readonly repeated = new Set<{ ms: number; work: () => void }>();
  readonly #sleeping = new Map<() => void, number>();

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= LOOK_AGAIN_MS) return setImmediate();
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.#sleeping.delete(wake);
        resolve();
      };
      this.#sleeping.set(wake, ms);
      signal?.addEventListener('abort', () => {
        this.#sleeping.delete(wake);
        reject(new Error('aborted'));
      });
    });
  }

  every(ms: number, work: () => void): () => void {
    const entry = { ms, work };
    this.repeated.add(entry);
    return () => this.repeated.delete(entry);
  }

  /** Lengths of what sleeps now. */
  get sleeping(): number[] {
    return [...this.#sleeping.values()];
  }

  /** Ends every sleep. */
  elapse(): void {
    for (const wake of this.#sleeping.keys()) wake();
  }

  /** One round of everything that is repeated. */
  tick(): void {
    for (const { work } of this.repeated) work();
  }
}

/** Lets everything that can go on go on: several turns of the event loop. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate();
}

/** Turns of the event loop until something is so; what never becomes so ends in the test's timeout. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}

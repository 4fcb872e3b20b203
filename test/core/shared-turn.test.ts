import { expect, it } from 'vitest';
import { sharedTurn } from '../../src/core/shared-turn.ts';

it('lets all who ask in one turn of the event loop go on together, after what has already arrived', async () => {
  const order: string[] = [];
  const turn = sharedTurn();
  const waiting = ['one', 'other'].map(async (name) => {
    await sharedTurn();
    order.push(name);
  });
  process.nextTick(() => order.push('arrived'));
  setImmediate(() => order.push('next turn'));
  expect(sharedTurn()).toBe(turn);
  await Promise.all(waiting);
  expect(order).toEqual(['arrived', 'one', 'other']);
});

it('begins a turn of its own for a caller that comes after the last one', async () => {
  const turn = sharedTurn();
  await turn;
  const next = sharedTurn();
  expect(next).not.toBe(turn);
  await next;
});

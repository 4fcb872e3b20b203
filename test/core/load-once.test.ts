import { expect, it } from 'vitest';
import { loadOnce } from '../../src/core/load-once.ts';

it('loads a value once for all concurrent callers, and nothing in advance', async () => {
  let count = 0;
  const thing = loadOnce(async () => ({ number: ++count }));
  expect(count).toBe(0);
  const [one, other] = await Promise.all([thing(), thing()]);
  expect(one).toEqual({ number: 1 });
  expect(other).toBe(one);
  expect(await thing()).toBe(one);
});

it('tries again after a failure, which every waiting caller receives', async () => {
  let count = 0;
  const thing = loadOnce(async () => {
    if (++count === 1) throw new Error('not there');
    return count;
  });
  const outcomes = await Promise.allSettled([thing(), thing()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await thing()).toBe(2);
});

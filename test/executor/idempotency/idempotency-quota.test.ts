/** How often keys of a credential are counted: seldom while there is much room. */
import { expect, it } from 'vitest';
import { IdempotencyQuota } from '../../../src/executor/idempotency/idempotency-quota.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const HOLDER = { environmentId: 'env_test', actor: 'cred_1' };

function quota(kept: () => number) {
  const clock = fixedClock();
  const counts: { actor: string; since: number }[] = [];
  const store = {
    keptOf: async ({ actor }: { actor: string }, since: number) => {
      counts.push({ actor, since });
      return { keys: kept(), oldestAt: clock.now() - 500 };
    },
  };
  return { clock, counts, quota: new IdempotencyQuota(store, clock, { maxKeys: 80, keptMs: 60_000 }) };
}

it('counts stored idempotency keys once for every eighth of the quota', async () => {
  let kept = 0;
  const { quota: of, counts } = quota(() => kept);
  for (; kept < 80; kept++) expect(await of.wait(HOLDER)).toBeUndefined();
  // Rooms of 80, 70, 61, 53, … keys.
  expect(counts.length).toBeGreaterThan(8);
  expect(counts.length).toBeLessThan(40);
  expect(await of.wait(HOLDER)).toBe(60);
});

it('counts the stored idempotency keys of each API credential separately', async () => {
  const { quota: of, counts, clock } = quota(() => 0);
  await of.wait(HOLDER);
  await of.wait({ ...HOLDER, actor: 'cred_2' });
  const since = clock.now() - 60_000;
  expect(counts).toEqual([
    { actor: 'cred_1', since },
    { actor: 'cred_2', since },
  ]);
});

it('does not count a full quota of idempotency keys again for a second', async () => {
  const { quota: of, counts, clock } = quota(() => 80);
  for (let n = 0; n < 5; n++) expect(await of.wait(HOLDER)).toBe(60);
  expect(counts).toHaveLength(1);
  clock.advance(1_000);
  await of.wait(HOLDER);
  expect(counts).toHaveLength(2);
});

it('caches the count of 10,000 API credentials, and counts others again', async () => {
  const { quota: of, counts } = quota(() => 0);
  for (let n = 0; n < 10_000; n++) await of.wait({ ...HOLDER, actor: `cred_${n}` });
  await of.wait({ ...HOLDER, actor: 'cred_0' });
  expect(counts).toHaveLength(10_000);
  await of.wait({ ...HOLDER, actor: 'cred_one_more' });
  await of.wait({ ...HOLDER, actor: 'cred_0' });
  expect(counts).toHaveLength(10_002);
});

/** Calls that fall under several limits: one that is refused uses up none of them. */
import { describe, expect, it } from 'vitest';
import { takeRates } from '../../../src/executor/call/call-rates.ts';
import { RateLimiter } from '../../../src/store/records/rate-limiter.ts';
import { testAccount } from '../../support/accounts.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const CATALOG = [{ group: 'search', perMinute: 60 }];

forEachDatabase((_name, open) => {
  const limits = async () => {
    const db = await open();
    const rates = new RateLimiter(db, fixedClock());
    const call = async (connectionPerMinute: number, id = 'ca_1') =>
      takeRates(rates, testAccount({ id }), CATALOG, { connectionPerMinute });
    const counted = async () =>
      Object.fromEntries(
        (await db.read.selectFrom('rate_windows').selectAll().execute()).map((row) => [row.key, row.points]),
      );
    return { call, counted };
  };
  const refused = { code: 'RATE_LIMITED', message: expect.stringContaining('for this connection') as string };

  describe('rate limit of a connection', () => {
    it('does not use up the limit of the account with refused calls', async () => {
      const { call, counted } = await limits();
      for (let n = 0; n < 10; n++) await call(10);
      for (let n = 0; n < 50; n++) await expect(call(10)).rejects.toMatchObject(refused);
      expect(await counted()).toMatchObject({ 'env_1:ca_1:search': 10 });
    });

    it('does not use up the limit of the account with concurrent refused calls', async () => {
      const { call, counted } = await limits();
      const calls = await Promise.allSettled(Array.from({ length: 60 }, async () => call(10)));
      expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      expect(await counted()).toMatchObject({ 'env_1:ca_1:search': 10 });
    });

    it('keeps the limit of the account where the connection allows more', async () => {
      const { call, counted } = await limits();
      for (let n = 0; n < 60; n++) await call(70, 'ca_2');
      for (let n = 0; n < 10; n++) await call(70);
      await expect(call(70)).rejects.toMatchObject(refused);
      expect(await counted()).toEqual({
        'env_1:ca_1:search': 10,
        'env_1:ca_2:search': 60,
        'env_1:conn_1::all': 70,
      });
    });
  });
});

it('counts a call with one limit in a single statement', async () => {
  const asked: string[] = [];
  const rates = {
    peek: async (key: string) => void asked.push(`peek ${key}`),
    take: async (key: string) => void asked.push(`take ${key}`),
  };
  await takeRates(rates, testAccount(), CATALOG, {});
  expect(asked).toEqual(['take env_1:ca_1:search']);
});

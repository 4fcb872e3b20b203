/** How both databases would read every list of a table with a million rows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import type { PagePosition } from '../../src/core/page-token.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ENV, fill, pretend } from '../support/growing-rows.ts';
import { listCases, readForACall } from '../support/list-cases.ts';
import {
  explainingPostgres,
  explainingSqlite,
  faultsOf,
  PAGE,
  type Explaining,
} from '../support/query-plans.ts';

/** Statements that look at more rows than they return, each with its reason and bound. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'accounts {"organizationId":"acme1"}: sorts':
    'Postgres sorts the accounts of one organization before it counts them, where it expects few.',
  'audit {"actor":"cred_1","target":"usr_101"}: sorts':
    'Postgres sorts the lines of one target where it expects few of them. They are as many as changes of that target.',
  'users {"email":"u505@example.test"}: sorts': 'An address belongs to one user, so one row is sorted.',
  'users {"email":"u505@example.test"}: reads rows before the page': 'The same.',
};

/** First page, next page, previous page. */
const POSITIONS: readonly (PagePosition | undefined)[] = [
  undefined,
  { direction: 'next', createdAt: 400, id: 'x_400' },
  { direction: 'prev', createdAt: 400, id: 'x_400' },
];

forEachDatabase((name, open, newUrl) => {
  describe('lists of a million rows', () => {
    let explaining: Explaining;

    beforeAll(async () => {
      const url = await newUrl();
      const database = await open({ url });
      await database.transaction(fill);
      await database.transaction(async (tx) => pretend(tx, name));
      explaining =
        name === 'sqlite' ? explainingSqlite(url.slice('sqlite:'.length)) : explainingPostgres(url);
    });
    afterAll(async () => explaining.close());

    it.each(listCases(1009))(
      'read by an index and sort nothing else: $name',
      async ({ name: list, table, by, middle: identifier, page, read }) => {
        explaining.noted.splice(0);
        const source = { db: explaining.db, environmentId: ENV };
        const found = new Set<string>();
        for (const position of POSITIONS) await page?.(source, position && { ...position, identifier }, PAGE);
        await read?.(source);
        for (const query of explaining.noted.splice(0))
          for (const fault of faultsOf(await explaining.explain(query), { table, by, text: query.sql }))
            found.add(`${list}: ${fault}`);
        expect([...found].filter((fault) => EXCEPTIONS[fault] === undefined)).toEqual([]);
      },
    );

    it.runIf(name === 'postgres')(
      'look at no more rows than they return, in a call and in tools/list',
      async () => {
        explaining.noted.splice(0);
        await readForACall({ db: explaining.db, environmentId: ENV }, 1_009);
        const inUse = await new AccountStore(explaining.db).connectorsInUse(ENV);
        const found = [];
        for (const query of explaining.noted.splice(0)) {
          const { returned, lookedAt } = await explaining.run!(query);
          if (lookedAt > returned) found.push({ sql: query.sql, returned, lookedAt });
        }
        expect([inUse.toSorted(), found]).toEqual([['mail', 'notes'], []]);
      },
    );
  });
});

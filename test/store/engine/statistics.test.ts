import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { renewStatistics } from '../../../src/store/engine/statistics.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { fill } from '../../support/growing-rows.ts';

describe('database statistics', () => {
  onDatabase('sqlite', (_name, open) => {
    it('tell after a renewal how many rows a table has', async () => {
      const db = await open();
      await db.transaction(async (tx) => {
        await fill(tx);
        await renewStatistics(tx, 'sqlite');
      });
      const { rows } = await sql<{ stat: string }>`
        select stat from sqlite_stat1 where idx = 'executions_by_source'`.execute(db.read);
      expect(rows[0]?.stat.split(' ')[0]).toBe('3000');
    });
  });

  forEachDatabase((name, open) => {
    it('can be renewed twice in an empty database', async () => {
      const db = await open();
      await db.transaction(async (tx) => renewStatistics(tx, name));
      await expect(db.transaction(async (tx) => renewStatistics(tx, name))).resolves.toBeUndefined();
    });
  });
});

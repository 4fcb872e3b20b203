/** How many connections `gatehouse serve` opens at Postgres. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { onDatabase } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';

onDatabase('postgres', (_name, open, newUrl) => {
  it('keeps gatehouse serve to database.pool_size connections', async ({ onTestFinished }) => {
    const databaseUrl = await newUrl();
    const deployment = await Deployment.open({ databaseUrl });
    onTestFinished(async () => deployment.close());
    const server = await deployment.serve({ GATEHOUSE_DATABASE_POOL_SIZE: '2' });
    const lists = Array.from({ length: 30 }, async () => server.api('GET', '/connected_accounts'));
    expect(tally((await Promise.all(lists)).map(({ status }) => status))).toEqual({ 200: 30 });
    const { read } = await open({ url: databaseUrl, poolSize: 1 });
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'gatehouse' and pid <> pg_backend_pid()`.execute(
      read,
    );
    expect(rows).toEqual([{ count: 2 }]);
  });
});

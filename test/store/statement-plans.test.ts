/**
 * How both databases would run the statements that the program sent while the other files ran their tests, with a
 * million rows in every table that grows. Alone it has nothing to look at.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/engine/database.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fill, GROWING, pretend } from '../support/growing-rows.ts';
import { notedStatements } from '../support/noted-statements.ts';
import { explainingPostgres, explainingSqlite, faultsOf, type Explaining } from '../support/query-plans.ts';

/** Statements that read or sort more rows than they return: the fault, a piece of the text, and the reason with its bound. */
const EXCEPTIONS: readonly [fault: RegExp, text: RegExp, reason: string][] = [
  [
    /^sorts$/,
    /"accounts"\."user_id" = \S+ and "accounts"\."organization_id" = \S+ and "accounts"\."identifier" >= .* order by "accounts"\."identifier"/,
    'Accounts of one owner by a beginning of their identifier: SQLite sorts what the owner has, tens of a user.',
  ],
  [
    /^(sorts|scans webhook_deliveries)$/,
    /from "webhook_deliveries" .* webhook_id in \( select id from webhooks/,
    'Retention, once an hour and beside the event loop, looks for deliveries that wait for a disabled webhook.',
  ],
  [
    /^scans organization_providers$/,
    /domains like|order by "created_at" asc, "id" asc/,
    'One row for an organization with an identity provider of its own, which a person enters: thousands at most.',
  ],
  [
    /^sorts$/,
    /from "links" .* caller_state is not distinct from .* order by "expires_at" desc/,
    'Open links of one account with the same parameters: at most 20 are made for it in an hour.',
  ],
  [
    /^sorts$/,
    /select "network" from "authorization_artifacts" .* group by "network"/,
    'What strangers have waiting, at most 10,000 of a kind, and only while that ceiling is reached.',
  ],
  [
    /^reads all accounts of the environment$/,
    /select "environment_id", "status", count\(\*\) as "count" from "accounts"/,
    'The gauge of accounts by status: once a minute by one process, beside the event loop.',
  ],
  [/^reads all sessions of/, /"resource" like/, 'Live sessions, once, when a virtual server is deleted.'],
  [
    /^scans (oauth_flows|links)$/,
    /count\(\*\) as "total" from "oauth_flows" .*"expires_at" > \$1/,
    'Flows of the last minutes. Without values Postgres expects a third of all; with values it finds them by their end.',
  ],
  [
    /^(scans|reads all) (users|memberships|organization_providers)/,
    /count\(\*\) as "total" from "users" .* not \(?exists/,
    'Counted by `gatehouse doctor` alone, a process of its own: the users of one environment.',
  ],
];

function isException(fault: string, text: string): boolean {
  return EXCEPTIONS.some(([faults, texts]) => faults.test(fault) && texts.test(text.replaceAll(/\s+/g, ' ')));
}

forEachDatabase((name, open, newUrl) => {
  const statements = notedStatements(name);

  describe('statements of the program', () => {
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

    it.skipIf(statements.length === 0)(
      'read no growing table without an index, and sort no more rows than they return',
      async () => {
        const found: string[] = [];
        for (const { sql: text, sender } of statements)
          for (const fault of faultsOf(await explaining.explain({ sql: text })))
            if (!isException(fault, text)) found.push(`${fault}: ${text} ${sender}`);
        expect(found).toEqual([]);
      },
    );

    it('find what a deleted row takes along by an index', async () => {
      expect(await referencesWithoutIndex(await open())).toEqual([]);
    });
  });
});

/** Columns of growing tables that refer to another row, and with which no index begins. */
async function referencesWithoutIndex(database: Database): Promise<string[]> {
  const { rows } =
    database.dialect === 'sqlite'
      ? await sql<{ column: string }>`
          select m.name || '.' || f."from" as "column" from sqlite_master m, pragma_foreign_key_list(m.name) f
          where m.type = 'table' and m.name in (${sql.join([...GROWING])}) and f."table" <> 'environments'
          and not exists (select 1 from pragma_index_list(m.name) i, pragma_index_info(i.name) c
            where c.seqno = 0 and c.name = f."from" and i.partial = 0)`.execute(database.read)
      : await sql<{ column: string }>`
          select conrelid::regclass || '.' || a.attname as "column" from pg_constraint
          join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
          where contype = 'f' and conrelid::regclass::text in (${sql.join([...GROWING])})
          and confrelid <> 'environments'::regclass and not exists (select from pg_index i
            where i.indrelid = conrelid and i.indkey[0] = conkey[1] and i.indpred is null)`.execute(
          database.read,
        );
  return rows.map(({ column }) => column);
}

/** Databases as programs of before made them: the tables of an earlier schema version. */
import { writeFileSync } from 'node:fs';
import { CompiledQuery, sql } from 'kysely';
import { openAsItIs } from '../../src/app/commands/existing-database.ts';
import { planMigration } from '../../src/store/migrations/migrator.ts';

/** Makes the tables of a version in an empty database. */
export async function makeOlderTables(url: string, version: number): Promise<void> {
  // An empty file is opened as it is: see migrated-template.ts.
  if (url.startsWith('sqlite:')) writeFileSync(url.slice('sqlite:'.length), '');
  const db = await openAsItIs(url);
  const run = async (statement: string) => db.read.executeQuery(CompiledQuery.raw(statement));
  try {
    const { statements } = await planMigration(db, 0);
    const text = db.dialect === 'postgres' ? 'text collate "C"' : 'text';
    const all = [
      `create table installation (key ${text} primary key, value ${text} not null)${db.dialect === 'sqlite' ? ' strict' : ''}`,
      ...statements.filter((each) => each.version <= version).map(({ statement }) => statement),
      `insert into installation (key, value) values ('schema_version', '${version}')`,
    ];
    if (db.dialect === 'postgres') for (const statement of all) await run(statement);
    else
      await db.transaction(async (tx) => {
        for (const statement of all) await sql.raw(statement).execute(tx);
      });
  } finally {
    await db.close();
  }
}

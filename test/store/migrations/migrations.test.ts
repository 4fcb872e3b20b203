import { expect, it } from 'vitest';
import { join } from 'node:path';
import { schemaFit } from '../../../src/store/migrations/migrator.ts';
import { startChild } from '../../support/child.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { ROUNDS } from '../../support/rounds.ts';

const PROCESSES = ROUNDS.full ? 4 : 2;

forEachDatabase((_name, open, newUrl) => {
  it('migrates once in processes that start at the same time', async () => {
    const url = await newUrl('empty');
    const children = Array.from({ length: PROCESSES }, () =>
      startChild(join(import.meta.dirname, '../children/migrate.ts'), [url]),
    );
    await Promise.all(children.map(async (child) => child.line('ready')));
    for (const child of children) child.process.stdin.write('go\n');
    expect(await Promise.all(children.map(async (child) => child.ended))).toEqual(children.map(() => 0));
    const installation = { compatible_from: '0.1.0', schema_version: '25' };
    const expected = ['ready', JSON.stringify(installation)];
    expect(children.map((child) => child.lines)).toEqual(children.map(() => expected));
  });

  it('migrates once over several connections of one process', async () => {
    const url = await newUrl('empty');
    const databases = await Promise.all(Array.from({ length: 5 }, async () => open({ url })));
    const versions = await Promise.all(databases.map(async (db) => schemaFit(db.read, db.dialect)));
    expect(versions).toEqual(Array.from({ length: 5 }, () => ({ version: 25 })));
  });
});

/**
 * New SQLite databases in the tests' own process are copies of one that has its tables, because migrating takes 17 ms and
 * the tests open thousands. A file that exists is opened as it is: an empty one is migrated. A test that needs new
 * databases without tables sets GATEHOUSE_TEST_EMPTY_DATABASES. In the full rounds, and in processes that tests start,
 * every new database is migrated.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../..');
const DATABASE = join(ROOT, 'src/store/engine/sqlite-database.ts');

/** Where the program makes a file, and where it opens one or a database in memory. */
const REPLACED = [
  [
    `closeSync(openSync(path, 'wx', 0o600))`,
    `writeFileSync(path, isTemplate() ? migrated : '', { flag: 'wx', mode: 0o600 })`,
  ],
  [`new SqliteHandle(path,`, `new SqliteHandle(path === ':memory:' && isTemplate() ? migrated : path,`],
] as const;

/** Migrates one database when the first test file imports the engine. */
export function migratedTemplate(): Plugin {
  return {
    name: 'migrated-template',
    enforce: 'pre',
    async transform(code, id) {
      if (id !== DATABASE) return undefined;
      let changed = code;
      for (const [text, replacement] of REPLACED) {
        if (!changed.includes(text)) throw new Error(`${DATABASE} opens databases in another way now.`);
        changed = changed.replace(text, replacement);
      }
      const head = [
        `import { readFileSync, writeFileSync } from 'node:fs';`,
        `const migrated = readFileSync(${JSON.stringify(await template())});`,
        `const isTemplate = () => process.env.GATEHOUSE_TEST_EMPTY_DATABASES === undefined;`,
      ].join(' ');
      return { code: `${head} ${changed}`, map: null };
    },
  };
}

/** A migrated database without rows, in a file that needs no write-ahead log. */
async function template(): Promise<string> {
  const [{ openDatabase }, { default: SqliteHandle }] = await Promise.all([
    import(pathToFileURL(join(ROOT, 'src/store/open.ts')).href) as Promise<
      typeof import('../../src/store/open.ts')
    >,
    import('better-sqlite3'),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'gatehouse.db');
  await (await openDatabase({ url: `sqlite:${file}` })).close();
  const handle = new SqliteHandle(file);
  handle.pragma('journal_mode = delete');
  handle.close();
  return file;
}

/**
 * New SQLite databases in the tests' own process are copies of one that has its tables, because migrating takes 17 ms and
 * the tests open thousands. A file that exists is opened as it is: an empty one is migrated. A test that needs new
 * databases without tables sets GATEHOUSE_TEST_EMPTY_DATABASES. In the full rounds, and in processes that tests start,
 * every new database is migrated.
 */
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../..');
const DATABASE = join(ROOT, 'src/store/engine/sqlite-database.ts');

/** Name of the template in the folder of a run. */
export const TEMPLATE = 'migrated.db';

/** Where the program makes a file, and where it opens one or a database in memory. */
const REPLACED = [
  [
    `closeSync(openSync(path, 'wx', 0o600))`,
    `writeFileSync(path, isTemplate() ? migrated : '', { flag: 'wx', mode: 0o600 })`,
  ],
  [`new SqliteHandle(path,`, `new SqliteHandle(path === ':memory:' && isTemplate() ? migrated : path,`],
] as const;

/** Lets the engine of SQLite take the template that global-setup.ts makes. */
export function migratedTemplate(): Plugin {
  return {
    name: 'migrated-template',
    enforce: 'pre',
    transform(code, id) {
      if (id !== DATABASE) return undefined;
      let changed = code;
      for (const [text, replacement] of REPLACED) {
        if (!changed.includes(text)) throw new Error(`${DATABASE} opens databases in another way now.`);
        changed = changed.replace(text, replacement);
      }
      // Transformed code outlives the run that made it: it finds the template of its own run.
      const head = [
        `import { readFileSync, writeFileSync } from 'node:fs'; import { tmpdir } from 'node:os';`,
        `const migrated = readFileSync(\`\${tmpdir()}/${TEMPLATE}\`);`,
        `const isTemplate = () => process.env.GATEHOUSE_TEST_EMPTY_DATABASES === undefined;`,
      ].join(' ');
      return { code: `${head} ${changed}`, map: null };
    },
  };
}

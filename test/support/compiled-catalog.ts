/**
 * Gives installations in the tests' own process the shipped catalog compiled, as the published package has it:
 * reading it as YAML takes a tenth of a second, and hundreds of tests open an installation. In the full rounds it is
 * read from its files. See src/app/services/installed-catalog.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../..');
const READER = join(ROOT, 'src/app/services/installed-catalog.ts');

/** Where the built program looks for its compiled catalog. */
const PLACE = `new URL('./catalog.json', import.meta.url)`;

/** Compiles when the first test file imports the reader: most runs of a few files never do. */
export function compiledCatalog(): Plugin {
  return {
    name: 'compiled-catalog',
    enforce: 'pre',
    // Transformed code outlives the run that made it, and the compiled file does not.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id === READER ? false : undefined)),
    async transform(code, id) {
      if (id !== READER) return undefined;
      if (!code.includes(PLACE)) throw new Error(`${READER} reads the compiled catalog from elsewhere now.`);
      const file = await compile();
      return { code: code.replace(PLACE, `new URL(${JSON.stringify(pathToFileURL(file).href)})`), map: null };
    },
  };
}

async function compile(): Promise<string> {
  // By their address: the configuration is bundled, and only runs that need these load them.
  const [{ compileCatalog }, { handlers }] = await Promise.all([
    import(addressOf('src/catalog/index.ts')) as Promise<typeof import('../../src/catalog/index.ts')>,
    import(addressOf('src/connectors/index.ts')) as Promise<typeof import('../../src/connectors/index.ts')>,
  ]);
  const catalog = compileCatalog([join(ROOT, 'catalogs')], { handlers: new Set(handlers.keys()) });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-catalog-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'catalog.json');
  writeFileSync(file, JSON.stringify(catalog));
  return file;
}

const addressOf = (file: string): string => pathToFileURL(join(ROOT, file)).href;

/** A start takes the operator's catalog from its compiled form, and never a wrong one. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CatalogCache } from '../../../src/app/services/catalog-cache.ts';
import { loadInstalledCatalog } from '../../../src/app/services/installed-catalog.ts';
import { compileCatalog } from '../../../src/catalog/load/compile.ts';
import { CatalogError } from '../../../src/catalog/load/load.ts';
import { BOOKS_CONNECTOR, toolsetFile, writeFolder } from '../../catalog/files.ts';

const TOOLS = toolsetFile('request:\n  method: GET\n  path: /books');

/** The shipped catalog of a build: one connector without tools. */
let shippedFile: URL;
let dataDir: string;
let catalogDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-kept-'));
  catalogDir = writeFolder({ 'books/connector.yaml': BOOKS_CONNECTOR, 'books/t.yaml': TOOLS });
});
beforeAll(() => {
  const shipped = writeFolder({
    'shop/connector.yaml': BOOKS_CONNECTOR.replace('name: books', 'name: shop'),
  });
  shippedFile = pathToFileURL(join(shipped, 'catalog.json'));
  writeFileSync(shippedFile, JSON.stringify(compileCatalog([shipped])));
});
afterAll(() => rmSync(new URL('.', shippedFile), { recursive: true }));
afterEach(() => {
  for (const dir of [dataDir, catalogDir]) rmSync(dir, { recursive: true });
});

async function load(cacheIn = dataDir) {
  return loadInstalledCatalog([catalogDir], { cacheIn, shippedFile });
}

async function loadedTitle(): Promise<string | undefined> {
  return (await load()).tools.get('books_find')?.title;
}

function kept(): string[] {
  const folder = join(dataDir, 'catalog-cache');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Loads once, and gives what was kept another title than the file has. */
async function keepOtherTitle(): Promise<string> {
  await load();
  const [file = ''] = kept();
  const body = readFileSync(file, 'utf8').split('\n')[1]?.replace('Find books', 'Kept books') ?? '';
  const digest = createHash('sha256')
    .update(`64\n${basename(file, '.json')}${Buffer.byteLength(body)}\n${body}`)
    .digest('hex');
  writeFileSync(file, `${digest}\n${body}`);
  return file;
}

describe('kept catalog of the operator', () => {
  it('equals the catalog that was read from the files', async () => {
    const [first, second] = [await load(), await load()];
    expect(second).toEqual(first);
    expect([...second.tools.keys()]).toEqual([...first.tools.keys()]);
    expect([...second.connectors.keys()]).toEqual([...first.connectors.keys()]);
  });

  it('takes the place of the files at the next start', async () => {
    await keepOtherTitle();
    expect(await loadedTitle()).toBe('Kept books');
    expect([...(await load()).connectors.keys()]).toEqual(['books', 'shop']);
  });

  it('gives way to the files in another build of the program', async () => {
    await keepOtherTitle();
    const text = readFileSync(shippedFile, 'utf8');
    writeFileSync(shippedFile, text.replace('{', '{"build":"other",'));
    expect(await loadedTitle()).toBe('Find books');
    writeFileSync(shippedFile, text);
    expect(await loadedTitle()).toBe('Kept books');
  });

  it('holds nothing of the shipped catalog, and only its owner reads it', async () => {
    await load();
    const [file = '', ...others] = kept();
    expect(others).toEqual([]);
    expect(readFileSync(file, 'utf8')).not.toContain('"name":"shop"');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'catalog-cache')).mode & 0o777).toBe(0o700);
  });

  it('gives way to a file that changed, came or went', async () => {
    await keepOtherTitle();
    writeFileSync(join(catalogDir, 'books/t.yaml'), TOOLS.replace('Find books', 'Changed books'));
    expect(await loadedTitle()).toBe('Changed books');
    const more = toolsetFile('request:\n  method: GET\n  path: /more', 'books_more');
    writeFileSync(join(catalogDir, 'books/more.yaml'), more);
    expect((await load()).tools.has('books_more')).toBe(true);
    rmSync(join(catalogDir, 'books/more.yaml'));
    expect((await load()).tools.has('books_more')).toBe(false);
  });

  it('hides no mistake that a file has by now', async () => {
    await load();
    writeFileSync(join(catalogDir, 'books/t.yaml'), TOOLS.replace('effect: read', 'effect: look'));
    await expect(load()).rejects.toThrow(CatalogError);
    expect(kept()).toHaveLength(1);
  });

  it.each<[string, (file: string) => void]>([
    ['was cut short', (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -9))],
    [
      'had a letter changed',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('Kept', 'Bent')),
    ],
    ['became empty', (file) => writeFileSync(file, '')],
    ['became writable for others', (file) => chmodSync(file, 0o666)],
    [
      'became a link',
      (file) => {
        renameSync(file, `${dataDir}/elsewhere`);
        symlinkSync(`${dataDir}/elsewhere`, file);
      },
    ],
  ])('counts as absent when it %s', async (_what, damage) => {
    damage(await keepOtherTitle());
    expect(await loadedTitle()).toBe('Find books');
  });

  it.runIf(process.getuid?.() === 0)('counts as absent when it belongs to another user', async () => {
    const file = await keepOtherTitle();
    chownSync(file, 1, 1);
    expect(await loadedTitle()).toBe('Find books');
  });

  it('never comes from what a start left half written', async () => {
    const whole = await keepOtherTitle();
    const half = `${whole}.00000000`;
    writeFileSync(half, readFileSync(whole, 'utf8').slice(0, 99));
    expect(await loadedTitle()).toBe('Kept books');
    rmSync(whole);
    expect(await loadedTitle()).toBe('Find books');
    expect(kept()).toContain(whole);
  });

  it('replaces a damaged one, so that the next start has it again', async () => {
    const file = await keepOtherTitle();
    const whole = readFileSync(file, 'utf8').replace('Kept', 'Find');
    writeFileSync(file, '');
    await load();
    expect(readFileSync(file, 'utf8').split('\n')[1]).toBe(whole.split('\n')[1]);
  });

  it('fails no start where its folder cannot be made', async () => {
    writeFileSync(join(dataDir, 'catalog-cache'), 'a file');
    expect(await loadedTitle()).toBe('Find books');
  });

  it('makes no data folder that does not exist yet', async () => {
    const absent = join(dataDir, 'absent');
    await load(absent);
    expect(existsSync(absent)).toBe(false);
  });

  it('keeps the last four states and removes older ones', async () => {
    for (let state = 0; state < 6; state++) {
      writeFileSync(join(catalogDir, 'books/t.yaml'), `# ${state}\n${TOOLS}`);
      await load();
    }
    expect(kept()).toHaveLength(4);
  });
});

describe('key of a kept catalog', () => {
  const texts = (file: string, text: string) => ({ files: [{ file, text }], unreadable: [] });
  const state = texts('/c/t.yaml', 'a: 1');
  const catalog = { format: 1, connectors: [], tools: [] };

  it('names the program, so that another version or build starts from the files', () => {
    new CatalogCache(dataDir, ['0.1.0', 'build 1'], state).keep(catalog);
    expect(new CatalogCache(dataDir, ['0.1.0', 'build 1'], state).read()).toEqual(catalog);
    expect(new CatalogCache(dataDir, ['0.2.0', 'build 1'], state).read()).toBeUndefined();
    expect(new CatalogCache(dataDir, ['0.1.0', 'build 2'], state).read()).toBeUndefined();
  });

  it('names each file and its text, and takes no kept file under a key that it was not made for', () => {
    new CatalogCache(dataDir, [], state).keep(catalog);
    const [file = ''] = kept();
    const other = new CatalogCache(dataDir, [], texts('/c/u.yaml', 'a: 1'));
    expect(other.read()).toBeUndefined();
    other.keep({ ...catalog, connectors: [] });
    const otherFile = kept().find((name) => name !== file) ?? '';
    renameSync(file, otherFile);
    expect(other.read()).toBeUndefined();
    expect(new CatalogCache(dataDir, [], texts('/c/t.yaml', 'a: 2')).read()).toBeUndefined();
  });
});

/** Pages that list everything of a kind: nothing of it is missing, so a new table, page or folder brings its line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../src/dashboard/page-table.ts';
import { page } from '../support/documentation.ts';

const SCHEMA = join(import.meta.dirname, '../surface/schema/sqlite.sql');
const SRC = join(import.meta.dirname, '../../src');

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}

function foldersOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
}

describe('tables, pages and folders in the documentation', () => {
  it('has a row in docs/storage.md for each table of a fresh database', () => {
    const created = namesIn(readFileSync(SCHEMA, 'utf8'), /^CREATE TABLE "?(?!sqlite_)(\w+)"?/gm);
    expect(created).toContain('accounts');
    expect(namesIn(page('storage.md'), /^\| `([a-z_]+)` +\|/gm)).toEqual(expect.arrayContaining(created));
  });

  it('names in docs/dashboard.md the address of each page of the navigation', () => {
    const text = page('dashboard.md');
    expect(PAGES.length).toBeGreaterThan(10);
    expect(PAGES.map(({ entry }) => entry.path).filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
  });

  it('names in the tree of docs/architecture.md each folder of src, and each folder in one of these', () => {
    const tree = /^src\/$([^]*?)^test\//m.exec(page('architecture.md'))?.[1] ?? '';
    const folders = foldersOf(SRC).flatMap((name) => [
      name,
      // One folder for each provider.
      ...(name === 'connectors' ? [] : foldersOf(join(SRC, name))),
    ]);
    expect(folders.length).toBeGreaterThan(80);
    expect(folders.filter((name) => !new RegExp(`(?<![\\w-])${name}/`).test(tree))).toEqual([]);
  });
});

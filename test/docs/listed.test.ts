/** Pages that list everything of a kind: nothing of it is missing, so a new table or page brings its line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../src/dashboard/page-table.ts';
import { page } from '../support/documentation.ts';

const SCHEMA = join(import.meta.dirname, '../surface/schema/sqlite.sql');

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}

describe('tables and pages in the documentation', () => {
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
});

/** docs/troubleshooting.md has a place for every code that a caller or a person may meet, and every place says what to do. */
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/core/errors.ts';
import { connect } from '../../src/pages/words/en/connect.ts';
import { page } from '../support/documentation.ts';

/** Rows of the table with this first column: what stands in each cell. */
function rowsOf(name: string, firstColumn: string): string[][] {
  const lines = page(name).split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${firstColumn} `));
  const end = lines.findIndex((line, i) => i > head && !line.startsWith('|'));
  return lines.slice(head + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Names in the first column, without their backticks. */
const names = (rows: readonly string[][]): string[] =>
  rows.map(([name = '']) => name.replaceAll('`', '')).toSorted();

const CODES = rowsOf('troubleshooting.md', '`error_code`');
const PROVIDER_WORDS = rowsOf('troubleshooting.md', '`tool_error.code`');
const CALLBACKS = rowsOf('troubleshooting.md', 'Word');

describe('docs/troubleshooting.md', () => {
  it('has each error code of the contract once', () => {
    expect(names(CODES)).toEqual(Object.keys(ERROR_CODES).toSorted());
  });

  it('has each word of ours for a failure of a provider once', () => {
    const known = names(rowsOf('errors.md', 'Word'));
    expect(known).toContain('PROVIDER_UNREACHABLE');
    expect(names(PROVIDER_WORDS)).toEqual(known);
  });

  it('has each page that ends a consent once, under the title that people read', () => {
    const titles = Object.entries(connect.callbackFailures).map(([kind, { title }]) => [kind, title('…')]);
    const rows = CALLBACKS.map(([word = '', title]) => [word.replaceAll('`', ''), title]);
    expect(rows.length).toBe(titles.length);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(titles));
  });

  it('says for each where it comes from and what to do', () => {
    const rows = [...CODES, ...PROVIDER_WORDS, ...CALLBACKS];
    expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ''))).toEqual([]);
  });
});

/** Pages of a list that is read whole. */
import { describe, expect, it } from 'vitest';
import { PageTokens } from '../../../src/core/page-token.ts';
import { pageOfAll } from '../../../src/http/api/whole-list.ts';

const pageTokens = new PageTokens(Buffer.alloc(32, 1));

const page = (
  rows: readonly string[],
  query: { page_size?: number; page_token?: string } = {},
  bound: unknown = 'letters',
) => pageOfAll(pageTokens, query, { rows, bound, keyOf: (row) => row });

const LETTERS = ['a', 'b', 'c', 'd', 'e'];

describe('page of a list that is read whole', () => {
  it('has everything unless a page is asked for', () => {
    expect(page(LETTERS)).toEqual({
      rows: LETTERS,
      links: { next_page_token: '', prev_page_token: '', total_size: 5 },
    });
    expect(page([], { page_size: 2 })).toEqual({
      rows: [],
      links: { next_page_token: '', prev_page_token: '', total_size: 0 },
    });
  });

  it('leads on and back by its tokens', () => {
    const first = page(LETTERS, { page_size: 2 });
    const second = page(LETTERS, { page_size: 2, page_token: first.links.next_page_token });
    const third = page(LETTERS, { page_size: 2, page_token: second.links.next_page_token });
    const back = page(LETTERS, { page_size: 2, page_token: third.links.prev_page_token });
    expect([first, second, third, back].map(({ rows }) => rows.join(''))).toEqual(['ab', 'cd', 'e', 'cd']);
    expect([first.links.prev_page_token, third.links.next_page_token]).toEqual(['', '']);
    const start = page(LETTERS, { page_size: 3, page_token: second.links.prev_page_token });
    expect([start.rows.join(''), start.links.prev_page_token]).toEqual(['ab', '']);
  });

  it('skips and repeats nothing when rows come and go between pages', () => {
    const { links } = page(LETTERS, { page_size: 2 });
    const next = (rows: string[]) =>
      page(rows, { page_size: 2, page_token: links.next_page_token }).rows.join('');
    expect(next(['a', ...LETTERS])).toBe('cd');
    expect(next(['a', 'c', 'd', 'e'])).toBe('cd');
    expect(next(['a'])).toBe('');
  });

  it.each(['made-up', '', '%00'])('takes no token of another list: %j', (made) => {
    const { links } = page(LETTERS, { page_size: 2 }, 'others');
    const token = made === '' ? links.next_page_token : made;
    expect(() => page(LETTERS, { page_token: token })).toThrow('does not belong to this list');
  });
});

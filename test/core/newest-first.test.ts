import { describe, expect, it } from 'vitest';
import { MAX_TOTAL, newestFirst } from '../../src/core/newest-first.ts';
import { PageTokens } from '../../src/core/page-token.ts';

const pageTokens = new PageTokens(Buffer.alloc(32, 1));

/** A list of so many rows; counts as a store does, up to the bound it is given. */
async function listOf(total: number) {
  const asked: number[] = [];
  const { links } = await newestFirst(
    pageTokens,
    {},
    {
      bound: 'list',
      read: async () => [],
      count: async (atMost) => {
        asked.push(atMost);
        return Math.min(total, atMost);
      },
      timeOf: () => 0,
    },
  );
  return { links, asked };
}

describe('total of a list', () => {
  it.each([0, 1, MAX_TOTAL])('counts %i rows exactly', async (total) => {
    const { links } = await listOf(total);
    expect(links).toEqual({ next_page_token: '', prev_page_token: '', total_size: total });
  });

  it('stays at 10,000 for more rows, and says that there are more', async () => {
    const { links, asked } = await listOf(1_000_000);
    expect(links).toMatchObject({ total_size: 10_000, total_size_is_at_least: true });
    expect(asked).toEqual([10_001]);
  });
});

/** Part of bench/scale.ts: every list with its filters, first and deep pages, with its count, as the store reads it. */
import type { PagePosition } from '../../src/core/page-token.ts';
import type { OpenedDatabase } from '../../src/store/engine/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { listCases } from '../../test/support/list-cases.ts';
import { measure, timed, type Row, type Work } from './figures.ts';
import { readFiles, type Installation } from './installation.ts';

/** A page as REST asks for it by default, and one row that tells whether there are more. */
const LIMIT = 31;

/** Pages of each list, by the share of the table that lies behind them. */
const PAGES: readonly { name: string; direction?: PagePosition['direction']; behind?: number }[] = [
  { name: 'first page' },
  { name: 'deep page', direction: 'next', behind: 0.4 },
  { name: 'page before', direction: 'prev', behind: 0.6 },
];

/** Times of all lists and look-ups. */
export async function measureLists(installations: readonly Installation[], rounds: number): Promise<Row[]> {
  const opened: OpenedDatabase[] = [];
  try {
    for (const { url } of installations) opened.push(await openDatabase({ url }));
    const works = installations.map((installation, place) => {
      const db = opened[place];
      return db === undefined ? [] : worksOf(installation, db);
    });
    return await measure(
      works,
      installations.map(({ counts }) => counts.accounts),
      rounds,
      async () => {
        for (const installation of installations) await readFiles(installation);
      },
    );
  } finally {
    for (const db of opened) await db.close();
  }
}

function worksOf({ environmentId, counts, since }: Installation, db: OpenedDatabase): Work[] {
  return listCases(1_009).flatMap(({ name, table, page }, place): Work[] => {
    const at = (n: number) => listCases(n)[place];
    // Calls and sessions look rows up where they are; lists are long reads.
    if (page === undefined)
      return [
        {
          name,
          kind: 'look-up',
          run: async (n) => {
            const of = at(n);
            return timed(async () => of?.read?.({ db: db.read, environmentId }));
          },
        },
      ];
    return PAGES.map(({ name: which, direction, behind = 0 }) => ({
      name: `${name}: ${which}`,
      kind: 'list',
      run: async (n) => {
        const of = at(n);
        const createdAt = since + Math.floor(counts[table] * (1 - behind)) + (n % 7);
        const position =
          direction === undefined ? undefined : { direction, createdAt, id: 'x', identifier: of?.middle };
        const source = { db: db.longRead, environmentId };
        return timed(async () => Promise.all([of?.page?.(source, position, LIMIT), of?.read?.(source)]));
      },
    }));
  });
}

/**
 * The programs behind `npm run bench:scale`. In the full rounds it runs at a hundredth of its size: it fills, measures and
 * records everything. Its times are not judged.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure, type Work } from '../../bench/scale/figures.ts';
import { listCases } from '../support/list-cases.ts';
import { hasPostgres } from '../support/postgres.ts';
import { ROUNDS } from '../support/rounds.ts';

interface Results {
  sizes: number[];
  parts: Record<
    string,
    { commit: string; date: string; rows?: { name: string; p50: number[] }[]; failures?: string[] }
  >;
}

const SCALE = join(import.meta.dirname, '../../bench/scale.ts');
const DATABASES = hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'];
const PARTS = ['lists', 'operations', 'processes', 'faults', 'soak'];

describe('bounds of times with many accounts', () => {
  it.each<[Work['kind'], number[], string[]]>([
    ['list', [1, 2.5, 2.9], []],
    ['list', [1, 2, 2.7], ['1.3 times the size below']],
    ['list', [0.5, 2.5, 2.6], ['2 ms more than the smallest size']],
    ['list', [0.01, 0.02, 0.09], []],
    ['look-up', [1, 1.3, 1.3], []],
    ['look-up', [1, 1.35, 1.35], ['1.3 times the smallest size']],
  ])('hold or mark a row: a %s of %j ms', async (kind, times, misses) => {
    const sizes = [10, 1_000, 10_000];
    const works = times.map((time): Work[] => [{ name: 'work', kind, run: async () => time }]);
    const [row] = await measure(works, sizes, 3);
    expect(row).toMatchObject({ name: 'work', p50: times, p95: times, misses });
  });
});

describe.skipIf(!ROUNDS.full)('measuring with many accounts', () => {
  let folder: string;
  let results: Results;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-scale-'));
    const output = join(folder, 'scale.json');
    const chosen = DATABASES.flatMap((name) => ['--database', name]);
    const size = ['--scale', '0.01', '--minutes', '0.5', '--rounds', '10'];
    await promisify(execFile)(process.execPath, [SCALE, ...size, ...chosen, '--output', output], {
      maxBuffer: 10_000_000,
    });
    results = JSON.parse(readFileSync(output, 'utf8')) as Results;
  }, 1_800_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('records every part with its commit and date', () => {
    const wanted = DATABASES.flatMap((database) => PARTS.map((part) => `${part}, ${database}`));
    expect(Object.keys(results.parts).toSorted()).toEqual(wanted.toSorted());
    for (const { commit, date, failures = [] } of Object.values(results.parts)) {
      expect(commit).toMatch(/^[0-9a-f]{7,}/);
      expect(Date.parse(date)).toBeGreaterThan(0);
      expect(failures).toEqual([]);
    }
  });

  it.each(listCases(1_009))('measures at every size: $name', ({ name, page }) => {
    const pages = page === undefined ? [name] : ['first', 'deep'].map((which) => `${name}: ${which} page`);
    for (const database of DATABASES)
      for (const wanted of pages) {
        const row = results.parts[`lists, ${database}`]?.rows?.find((one) => one.name === wanted);
        expect(row?.p50.filter((time) => time >= 0)).toHaveLength(results.sizes.length);
      }
  });
});

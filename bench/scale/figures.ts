/**
 * Measures the same work at several sizes, in turns, for every part of bench/scale.ts, and checks the bounds of its
 * times.
 */

/** Largest ratio of two medians that count as the same. */
const MOST_TIMES = 1.3;

/** A list may take so much longer than at the smallest size. */
const MOST_MORE_MS = 2;

/** Smaller differences cannot be distinguished from the noise of the machine. */
const RESOLUTION_MS = 0.1;

const WARM_UP_ROUNDS = 5;

/** `prepare` is called before every so many rounds. */
const PREPARE_EVERY = 10;

/** Rows that miss their bound are measured once more, so many times as often. */
const AGAIN = 3;

/** Something that is done at one size. */
export interface Work {
  name: string;
  /** A list is compared with the size below, a look-up with the smallest size too. */
  kind: 'list' | 'look-up';
  /** Does it once, for the row with number `n`. @returns milliseconds */
  run: (n: number) => Promise<number>;
}

/** Times of one work at every size, in milliseconds. */
export interface Row {
  name: string;
  p50: readonly number[];
  p95: readonly number[];
  /** p50 at the largest size, divided by that at the size below. */
  ratio: number;
  /** The same, divided by p50 at the smallest size. */
  ratioToSmallest: number;
  /** Bounds that are missed; empty if none is. */
  misses: readonly string[];
}

/** Milliseconds that work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The value below which a share of all values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Does the same work at every size in turns, so that a change in the machine's speed affects all sizes alike.
 *
 * @param works for each size, all in one order
 * @param sizes numbers of accounts
 * @param prepare is called now and then, before a round
 */
export async function measure(
  works: readonly (readonly Work[])[],
  sizes: readonly number[],
  rounds: number,
  prepare?: () => Promise<void>,
): Promise<Row[]> {
  const all = works[0]?.map((_, place) => place) ?? [];
  const first = rowsOf(works, await timesOf(works, sizes, all, rounds, prepare));
  const missing = all.filter((place) => first[place]?.misses.length !== 0);
  if (missing.length === 0) return first;
  const again = rowsOf(works, await timesOf(works, sizes, missing, rounds * AGAIN, prepare));
  return first.map((row, place) => (missing.includes(place) ? (again[place] ?? row) : row));
}

/** Times by place of the work and by size. */
async function timesOf(
  works: readonly (readonly Work[])[],
  sizes: readonly number[],
  places: readonly number[],
  rounds: number,
  prepare: (() => Promise<void>) | undefined,
): Promise<Map<number, number[][]>> {
  const times = new Map(places.map((place) => [place, sizes.map((): number[] => [])]));
  const order = sizes.map((_, size) => size);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    if ((round + WARM_UP_ROUNDS) % PREPARE_EVERY === 0) await prepare?.();
    for (const place of places) {
      for (const size of order) {
        const took = await works[size]?.[place]?.run(rowOf(round + WARM_UP_ROUNDS, sizes[size] ?? 1));
        if (round >= 0 && took !== undefined) times.get(place)?.[size]?.push(took);
      }
      order.push(...order.splice(0, 1));
    }
  }
  return times;
}

/** A row far from the one of the round before. Its number has as many digits as the number of rows, less one. */
function rowOf(round: number, size: number): number {
  const share = (round * 0.618_034) % 1;
  return Math.max(1, Math.floor(size / 10 + share * (size * 0.9 - 1)));
}

function rowsOf(works: readonly (readonly Work[])[], times: ReadonlyMap<number, number[][]>): Row[] {
  const rows: Row[] = [];
  for (const [place, ofSizes] of times) {
    const { name = '', kind = 'list' } = works[0]?.[place] ?? {};
    rows[place] = rowFrom(name, kind, ofSizes);
  }
  return rows;
}

function rowFrom(name: string, kind: Work['kind'], times: readonly (readonly number[])[]): Row {
  const p50 = times.map((ofSize) => rounded(quantile(ofSize, 0.5)));
  const p95 = times.map((ofSize) => rounded(quantile(ofSize, 0.95)));
  const [largest = 0, below = 0] = p50.toReversed();
  const smallest = p50[0] ?? 0;
  const misses = [
    ...(isMore(largest, below) ? [`${MOST_TIMES} times the size below`] : []),
    ...(kind === 'look-up' && isMore(largest, smallest) ? [`${MOST_TIMES} times the smallest size`] : []),
    ...(kind === 'list' && largest > smallest + MOST_MORE_MS
      ? [`${MOST_MORE_MS} ms more than the smallest size`]
      : []),
  ];
  return {
    name,
    p50,
    p95,
    ratio: rounded(largest / below),
    ratioToSmallest: rounded(largest / smallest),
    misses,
  };
}

function isMore(time: number, than: number): boolean {
  return time > than * MOST_TIMES && time > than + RESOLUTION_MS;
}

/** Two decimals. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * Sums by day. Those of past days are cached for a while, because a month of a busy installation is tens of
 * thousands of rows to add up, and only its last day still changes.
 *
 * A record that arrives long after its call ended is missing until its day is read again.
 */
import type { Clock } from '../core/clock.ts';
import type { ExecutionStore } from '../store/records/execution-store.ts';
import { HOUR_MS, type ExecutionSum, type SumQuery } from '../store/records/execution-sum-store.ts';

const DAY_MS = 24 * HOUR_MS;

/**
 * Time after its end when a day counts as over, because records are stored within seconds; also the lifetime of a
 * cached day.
 */
const KEPT_MS = HOUR_MS;

/** Most cached days, of all environments: some megabytes. */
const MOST_DAYS = 400;

interface DaySumsDeps {
  executions: Pick<ExecutionStore, 'sums'>;
  clock: Clock;
}

/** A cached day. */
interface KeptDay {
  sums: readonly ExecutionSum[];
  /** End of its lifetime, in Unix milliseconds. */
  until: number;
}

/** Caches sums of one kind: all queries group by the same column. */
export class DaySums {
  readonly #deps: DaySumsDeps;
  /** Cached days by environment and start, the earliest read first. */
  readonly #kept = new Map<string, KeptDay>();

  constructor(deps: DaySumsDeps) {
    this.#deps = deps;
  }

  /** The sums of a range of whole days, in order of time. */
  async read(environmentId: string, query: Omit<SumQuery, 'spanMs'>): Promise<ExecutionSum[]> {
    const now = this.#deps.clock.now();
    const keyOf = (day: number): string => `${environmentId} ${day}`;
    const found: ExecutionSum[] = [];
    let { from } = query;
    for (; from < query.to; from += DAY_MS) {
      const kept = this.#kept.get(keyOf(from));
      if (kept === undefined || kept.until <= now) break;
      found.push(...kept.sums);
    }
    if (from >= query.to) return found;
    const read = await this.#deps.executions.sums(environmentId, { ...query, from, spanMs: DAY_MS });
    const byDay = Map.groupBy(read, ({ at }) => at);
    for (let day = from; day < query.to && day + DAY_MS + KEPT_MS <= now; day += DAY_MS)
      this.#keep(keyOf(day), { sums: byDay.get(day) ?? [], until: now + KEPT_MS });
    return [...found, ...read];
  }

  #keep(key: string, day: KeptDay): void {
    this.#kept.delete(key);
    this.#kept.set(key, day);
    const [earliest] = this.#kept.keys();
    if (this.#kept.size > MOST_DAYS && earliest !== undefined) this.#kept.delete(earliest);
  }
}

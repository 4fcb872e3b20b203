/**
 * Counts for metrics: accounts by status and waiting deliveries. Counting reads much of both tables, so one process
 * counts for all, at most once a minute, and leaves the sample in the database.
 */
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';
import type { Database } from '../engine/database.ts';
import { EnvironmentStore } from './environment-store.ts';
import { InstallationStore } from './installation-store.ts';

const INTERVAL_MS = 60_000;

/** What one process counted. */
export interface UsageSample {
  /** Unix milliseconds. */
  at: number;
  accounts: readonly { environment: string; status: string; count: number }[];
  deliveries: readonly { environment: string; count: number }[];
}

/** The stored sample, and when a process last began to count. */
interface StoredUsage {
  begunAt: number;
  /** Random, so that two processes that begin in the same millisecond differ. */
  by?: string;
  sample?: UsageSample;
}

/** @returns `undefined` also for what another version or a person wrote there, which the next count replaces */
function usageIn(text: string | undefined): StoredUsage | undefined {
  if (text === undefined) return undefined;
  try {
    const { begunAt, sample } = JSON.parse(text) as Partial<StoredUsage>;
    if (typeof begunAt !== 'number') return undefined;
    const isUsable = Array.isArray(sample?.accounts) && Array.isArray(sample.deliveries);
    return { begunAt, ...(isUsable && { sample }) };
  } catch {
    return undefined;
  }
}

export class UsageSampler {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * The last sample, counted now if no process has begun to count within a minute.
   *
   * @returns `undefined` while the first sample is counted by another process
   * @throws ServiceError UNAVAILABLE
   */
  async current(): Promise<UsageSample | undefined> {
    const text = await new InstallationStore(this.#db.read).get('usage_sample');
    const stored = usageIn(text);
    const now = this.#clock.now();
    // A time ahead of the clock means that the clock was set back.
    if (stored !== undefined && now >= stored.begunAt && now - stored.begunAt < INTERVAL_MS)
      return stored.sample;
    const sampled = stored?.sample;
    const begun = JSON.stringify({
      begunAt: now,
      by: newSecret(),
      ...(sampled && { sample: sampled }),
    } satisfies StoredUsage);
    const isOurs = await this.#db.transaction(async (tx) => {
      const installation = new InstallationStore(tx);
      if (text !== undefined) return installation.replace('usage_sample', text, begun);
      return (await installation.setIfAbsent('usage_sample', begun)) === begun;
    });
    if (!isOurs) return sampled;
    const sample = await this.#count(now);
    const counted = JSON.stringify({ begunAt: now, sample } satisfies StoredUsage);
    await this.#db.transaction(async (tx) =>
      new InstallationStore(tx).replace('usage_sample', begun, counted),
    );
    return sample;
  }

  async #count(at: number): Promise<UsageSample> {
    const { longRead: read } = this.#db;
    const names = new Map((await new EnvironmentStore(read).list()).map(({ id, name }) => [id, name]));
    const ids = [...names.keys()];
    if (ids.length === 0) return { at, accounts: [], deliveries: [] };
    const accounts = await read
      .selectFrom('accounts')
      .select(['environment_id', 'status'])
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('environment_id', 'in', ids)
      .groupBy(['environment_id', 'status'])
      .execute();
    const deliveries = await read
      .selectFrom('webhook_deliveries')
      .select('environment_id')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('environment_id', 'in', ids)
      .where(sql<boolean>`status = 'pending'`)
      .groupBy('environment_id')
      .execute();
    const waiting = new Map(deliveries.map(({ environment_id: id, count }) => [id, count]));
    return {
      at,
      accounts: accounts.map(({ environment_id: id, status, count }) => ({
        environment: names.get(id) ?? id,
        status,
        count,
      })),
      // An environment without a backlog says 0, so that an alert on it ends.
      deliveries: [...names].map(([id, environment]) => ({ environment, count: waiting.get(id) ?? 0 })),
    };
  }
}

/**
 * Counts for metrics: accounts by status, waiting deliveries and held tools. Counting reads much of their tables, so one process
 * counts for all, at most once a minute, and leaves the sample in the database.
 */
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { newSecret } from '../../core/ids.ts';
import type { Database, Readable } from '../engine/database.ts';
import { EnvironmentStore } from './environment-store.ts';
import { InstallationStore } from './installation-store.ts';

const INTERVAL_MS = 60_000;

/** The counts of one process. */
export interface UsageSample {
  /** Unix milliseconds. */
  at: number;
  accounts: readonly { environment: string; status: string; count: number }[];
  deliveries: readonly { environment: string; count: number }[];
  /** Forms of tools of remote MCP servers that wait for an operator. */
  heldTools: readonly { environment: string; connector: string; state: HeldState; count: number }[];
}

const HELD_STATES = ['new', 'held'] as const;
type HeldState = (typeof HELD_STATES)[number];

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
    const lists = [sample?.accounts, sample?.deliveries, sample?.heldTools];
    const isUsable = lists.every((list) => Array.isArray(list));
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
    if (ids.length === 0) return { at, accounts: [], deliveries: [], heldTools: [] };
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
      heldTools: await heldTools(read, names),
    };
  }
}

/** By connector, also where nothing waits any more. @param names of environments, by id */
async function heldTools(
  db: Readable,
  names: ReadonlyMap<string, string>,
): Promise<UsageSample['heldTools']> {
  const counted = await db
    .selectFrom('upstream_tools')
    .innerJoin('connections', (join) =>
      join
        .onRef('connections.environment_id', '=', 'upstream_tools.environment_id')
        .onRef('connections.id', '=', 'upstream_tools.connection_id'),
    )
    .select(['upstream_tools.environment_id', 'connections.connector', 'upstream_tools.state'])
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('upstream_tools.environment_id', 'in', [...names.keys()])
    // A form that nobody can approve does not wait for anybody.
    .where('upstream_tools.obstacle', 'is', null)
    .groupBy(['upstream_tools.environment_id', 'connections.connector', 'upstream_tools.state'])
    .execute();
  const byConnector = Map.groupBy(counted, (row) => `${row.environment_id} ${row.connector}`);
  return [...byConnector.values()].flatMap((rows) =>
    HELD_STATES.map((state) => ({
      environment: names.get(rows[0]?.environment_id ?? '') ?? '',
      connector: rows[0]?.connector ?? '',
      state,
      count: rows.find((row) => row.state === state)?.count ?? 0,
    })),
  );
}

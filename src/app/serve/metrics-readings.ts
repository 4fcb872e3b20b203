/**
 * Values that `/metrics` reads on each request: versions, connections to Postgres, and the last count of the
 * installation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Readings } from '../../http/listener/work-metrics.ts';
import { InstallationStore } from '../../store/installation/installation-store.ts';
import { UsageSampler } from '../../store/installation/usage-sample.ts';
import { programVersion } from '../../core/program-version.ts';
import type { Services } from '../services/services.ts';

/** Longest wait for the database: a scrape must say something while the database is gone. */
const WAIT_MS = 1_000;

/** @returns a function that never fails; without an answer of the database it says what was known before */
export function metricsReadings({
  db,
  clock,
  poolUse,
  upstreams,
}: Pick<Services, 'db' | 'clock' | 'poolUse'> & {
  upstreams: Pick<Services['upstreams'], 'use'>;
}): () => Promise<Readings> {
  const sampler = new UsageSampler(db, clock);
  const version = programVersion();
  let known: Pick<Readings, 'schemaVersion' | 'usage'> = { schemaVersion: undefined, usage: undefined };
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      const schemaVersion = await new InstallationStore(db.read).get('schema_version');
      const usage = (await sampler.current()) ?? known.usage;
      known = { schemaVersion, usage };
    } catch {
      // The age of the sample and the metrics of statements show it.
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    const waiting = new AbortController();
    const timeout = delay(WAIT_MS, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([(reading ??= read()), timeout]);
    waiting.abort();
    return { version, pool: poolUse(), upstreamUse: upstreams.use, ...known };
  };
}

/** Part of bench/scale.ts: callers who do everything, for a while. No error, memory stays level, no handle is left. */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryMb } from '../process-usage.ts';
import { quantile, rounded, timed } from './figures.ts';
import type { Installation } from './installation.ts';
import { operationsOf, serve, type Operation } from './operations.ts';

const WORKERS = 4;
const SAMPLES = 60;

/** Memory of the last third may be so many times that of the middle one. The first one warms up. */
const MOST_GROWTH = 1.15;

/** A process that ran for less time still grows while its code and caches warm up: its memory is shown, not judged. */
const WARM_AFTER_MS = 300_000;

/** Connections to the database stay open, and one handle or another of the thread that reads lists. */
const SPARE_HANDLES = 12;

/** Connections of clients that say nothing are closed within this time, and the thread ends. */
const SETTLE_MS = 90_000;

interface Sample {
  seconds: number;
  memoryMb: number;
  handles: number;
}

/** @param installation the largest one */
export async function soak(installation: Installation | undefined, durationMs: number) {
  if (installation === undefined) return {};
  const served = await serve(installation);
  const pid = served.server.child.pid ?? 0;
  const handlesBefore = handlesOf(pid);
  const samples: Sample[] = [];
  const errors: string[] = [];
  const times: number[] = [];
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const timer = setInterval(() => {
    const seconds = Math.round(elapsed() / 1_000);
    samples.push({ seconds, memoryMb: rounded(memoryMb(pid)), handles: handlesOf(pid) });
  }, durationMs / SAMPLES);
  const operations = operationsOf(served);
  const worker = async (first: number): Promise<void> => {
    for (let turn = first; elapsed() < durationMs; turn++)
      try {
        const row = 1 + Math.floor(((turn * 0.618_034) % 1) * (installation.counts.accounts - 1));
        times.push(await timed(async () => perform(operations[turn % operations.length], row)));
      } catch (error) {
        errors.push(String(error));
      }
  };
  await Promise.all(Array.from({ length: WORKERS }, async (_, n) => worker(n * 7)));
  clearInterval(timer);
  const until = performance.now() + SETTLE_MS;
  while (handlesOf(pid) > handlesBefore + SPARE_HANDLES && performance.now() < until) await sleep(1_000);
  const handlesAfter = handlesOf(pid);
  await served.close();

  const third = Math.floor(samples.length / 3);
  const memoryOf = (part: readonly Sample[]): number =>
    quantile(
      part.map((sample) => sample.memoryMb),
      0.5,
    );
  const [middle, last] = [memoryOf(samples.slice(third, 2 * third)), memoryOf(samples.slice(-third))];
  const minutes = rounded(durationMs / 60_000);
  const failures = [
    ...(errors.length > 0 ? [`${errors.length} errors in ${minutes} minutes, the first: ${errors[0]}`] : []),
    ...(durationMs >= WARM_AFTER_MS && last > middle * MOST_GROWTH
      ? [`Memory grew from ${middle} MB to ${last} MB.`]
      : []),
    ...(handlesAfter > handlesBefore + SPARE_HANDLES
      ? [`${handlesAfter} handles are open at the end, ${handlesBefore} at the start.`]
      : []),
  ];
  const figures = {
    minutes,
    operations: times.length,
    errors: errors.length,
    p50: rounded(quantile(times, 0.5)),
    p99: rounded(quantile(times, 0.99)),
    memoryMb: { first: memoryOf(samples.slice(0, third)), middle, last },
    handles: { before: handlesBefore, after: handlesAfter },
    samples,
  };
  return { figures, failures };
}

async function perform(operation: Operation | undefined, row: number): Promise<void> {
  const prepared = (await operation?.prepare?.(row)) ?? '';
  await operation?.run(row, prepared);
}

function handlesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

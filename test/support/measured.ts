/** What the metrics say about work that a test does. */
import { onTestFinished } from 'vitest';
import { statements } from '../../src/core/telemetry/measured.ts';
import { Metrics } from '../../src/http/listener/metrics.ts';
import type { Readings } from '../../src/http/listener/work-metrics.ts';

const NOTHING_READ: Readings = {
  version: '0',
  schemaVersion: undefined,
  pool: undefined,
  usage: undefined,
  upstreamUse: { sessions: 0, sparedServers: 0 },
};

/** Metrics that listen until the test ends. @returns the lines of series that begin with the text and count something */
export function measuring(readings = NOTHING_READ): (begin: string) => Promise<string[]> {
  const metrics = new Metrics();
  onTestFinished(metrics.listen(async () => readings));
  return async (begin) =>
    (await metrics.render())
      .split('\n')
      .filter((line) => line.startsWith(begin) && !/_total\{.*\} 0$/.test(line));
}

/** The texts of the statements that this process sends to databases from now on, until the test ends. */
export function sentStatements(): string[] {
  const sent: string[] = [];
  onTestFinished(statements.listen(({ sql }) => sent.push(sql)));
  return sent;
}

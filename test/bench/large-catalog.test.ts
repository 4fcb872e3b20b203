/** `bench/large-catalog.ts` with a fortieth of its tools: whether it measures everything, not what it measures. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';

const PROGRAM = join(import.meta.dirname, '../../bench/large-catalog.ts');

interface Report {
  searches: number;
  figures: { figure: string; small: number; large: number; judged: number }[];
}

describe('benchmark of a large catalog', () => {
  it.runIf(ROUNDS.full)('measures starts, memory and searches compared with the shipped tools', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-large-catalog-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const results = join(folder, 'results.json');
    const sizes = ['--tools', '100', '--starts', '1', '--unbounded', '--results', results];
    await promisify(execFile)(process.execPath, [PROGRAM, ...sizes]);
    const { searches, figures } = JSON.parse(readFileSync(results, 'utf8')) as Report;
    expect(searches).toBe(1_500);
    expect(figures.map(({ figure }) => figure)).toEqual([
      'start over stdio, ms',
      'start over http, ms',
      'idle memory over stdio, MB',
      'idle memory over http, MB',
      'memory after the searches, MB',
      'search p50, ms',
      'search p99, ms',
    ]);
    for (const { small, large } of figures) expect([small > 0, large > 0]).toEqual([true, true]);
  });
});

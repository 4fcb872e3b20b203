/** `bench/side-work.ts` at a hundredth of its size: whether it measures everything, not what it measures. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';

const PROGRAM = join(import.meta.dirname, '../../bench/side-work.ts');

interface Report {
  startsMs: { name: string; healthz: number }[];
  results: { work: string; 'call p99 before': number; 'call p99 during': number }[];
}

describe('benchmark of side work', () => {
  it.runIf(ROUNDS.full)('measures starts, and calls during each kind of work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-side-work-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const results = join(folder, 'results.json');
    const sizes = ['--rows', '50000', '--seconds', '1', '--starts', '1', '--results', results];
    await promisify(execFile)(process.execPath, [PROGRAM, ...sizes]);
    const { startsMs, results: measured } = JSON.parse(readFileSync(results, 'utf8')) as Report;
    expect(startsMs.map(({ name }) => name)).toEqual(['small file', 'after a clean end', 'after kill -9']);
    expect(startsMs.every(({ healthz }) => healthz > 0)).toBe(true);
    expect(measured.map(({ work }) => work.replace(/ .*,/, ' …,'))).toEqual([
      'list …, in a loop',
      'retention',
      'backup, in a loop',
    ]);
    for (const one of measured)
      expect([one['call p99 before'] > 0, one['call p99 during'] > 0]).toEqual([true, true]);
  });
});

/** `bench/upstreams.ts` at a hundredth of its size: whether it measures everything, not what it measures. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROUNDS } from '../support/rounds.ts';

const PROGRAM = join(import.meta.dirname, '../../bench/upstreams.ts');

interface Report {
  sessions: { accounts: number; open: number };
  huge: { statuses: number[] };
  figures: { figure: string; judged: number }[];
}

describe('benchmark of remote MCP servers', () => {
  it.runIf(ROUNDS.full)(
    'measures calls compared with a minimal proxy, sessions, and hostile answers',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upstreams-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const results = join(folder, 'results.json');
      const sizes = [
        '--rounds',
        '1',
        '--calls',
        '8',
        '--accounts',
        '20',
        '--megabytes',
        '12',
        '--changes',
        '100',
      ];
      await promisify(execFile)(process.execPath, [PROGRAM, ...sizes, '--unbounded', '--results', results]);
      const { sessions, huge, figures } = JSON.parse(readFileSync(results, 'utf8')) as Report;
      expect(figures.map(({ figure }) => figure)).toEqual([
        'CPU per call beside a minimal proxy, modern',
        'CPU per call beside a minimal proxy, legacy',
        'memory with sessions of 20 accounts, MB more',
        'memory for answers of 12 MB, MB more',
        'time of calls beside 100 changes of the list',
        'slowest call beside 100 changes of the list',
      ]);
      expect(figures.every(({ judged }) => Number.isFinite(judged))).toBe(true);
      expect([sessions.accounts, sessions.open]).toEqual([20, 20]);
      // Answers of more than 10 MB are refused.
      expect(huge.statuses).toEqual([502, 502, 502]);
    },
  );
});

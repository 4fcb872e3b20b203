/** Progress of another server's call, as it is passed on. */
import { describe, expect, it } from 'vitest';
import { passedProgress, type Progress } from '../../src/upstream/calls/passed-progress.ts';

/** What is passed on of reports, each at its time in milliseconds. */
function passed(reports: readonly (readonly [at: number, report: Progress])[]): Progress[] {
  const told: Progress[] = [];
  let clock = 0;
  const scrub = (text: string): string => text.replaceAll('s3cret', '[secret]');
  const report = passedProgress((progress) => told.push(progress), { scrub, now: () => clock });
  for (const [at, progress] of reports) {
    clock = at;
    report(progress);
  }
  return told;
}

describe('progress of a call of another server', () => {
  it('passes on four reports a second at most', () => {
    const reports = Array.from({ length: 101 }, (_, i) => [i * 10, { progress: i }] as const);
    expect(passed(reports).map(({ progress }) => progress)).toEqual([0, 25, 50, 75, 100]);
  });

  it('drops reports whose number does not grow or is not a number', () => {
    const numbers = [1, 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2];
    const reports = numbers.map((progress, i) => [i * 1_000, { progress }] as const);
    expect(passed(reports)).toEqual([{ progress: 1 }, { progress: 2 }]);
    expect(passed([[0, { progress: 1, total: Number.NaN }]])).toEqual([{ progress: 1 }]);
  });

  it('passes on messages without secrets and invisible characters, cut at 200 characters', () => {
    const words = `with s3cret\u{e0041}\u001b[31m ${'x'.repeat(300)}`;
    const [told] = passed([[0, { progress: 1, total: 2, message: words }]]);
    expect(told).toEqual({ progress: 1, total: 2, message: `with [secret] ${'x'.repeat(186)}` });
  });
});

import { describe, expect, it } from 'vitest';
import { coolDownMs } from '../../../src/credentials/refresh/cool-down.ts';

describe('cool-down between two failed token refreshes', () => {
  it('doubles the wait from one second to thirty', () => {
    const times = [1, 2, 3, 4, 5, 6, 7, 50, 5_000].map((failures) => coolDownMs(failures, undefined, 0));
    expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('lengthens the wait a little by chance, and never shortens it', () => {
    expect(coolDownMs(1, undefined, 0.5)).toBe(1_125);
    expect(coolDownMs(6, undefined, 0.999)).toBe(37_493);
  });

  it('waits as long as the provider asks for where that is longer', () => {
    expect(coolDownMs(1, 12_000, 0.5)).toBe(12_000);
    expect(coolDownMs(6, 2_000, 0)).toBe(30_000);
  });

  it('waits an hour at most, whatever the provider asks for', () => {
    expect(coolDownMs(1, 30 * 86_400_000, 0)).toBe(3_600_000);
  });

  it('allows at most ten attempts in any minute', () => {
    const starts = [0];
    for (let failures = 1; failures <= 20; failures++) {
      starts.push((starts.at(-1) ?? 0) + coolDownMs(failures, undefined, 0));
    }
    const most = Math.max(
      ...starts.map((from) => starts.filter((at) => at >= from && at < from + 60_000).length),
    );
    expect(most).toBe(6);
  });
});

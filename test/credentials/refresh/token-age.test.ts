import { describe, expect, it } from 'vitest';
import { tokenAge } from '../../../src/credentials/refresh/token-age.ts';

const MARGIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const lasting = (ms: number) => ({ tokenReceivedAt: 0, tokenExpiresAt: ms });

describe('age of an access token', () => {
  it.each([
    ['fresh', lasting(HOUR_MS), 0, 'good'],
    ['just before the margin', lasting(HOUR_MS), HOUR_MS - MARGIN_MS - 1, 'good'],
    ['at the margin', lasting(HOUR_MS), HOUR_MS - MARGIN_MS, 'due'],
    ['just before its end', lasting(HOUR_MS), HOUR_MS - 1, 'due'],
    ['at its end', lasting(HOUR_MS), HOUR_MS, 'expired'],
    ['of a minute, before its last tenth', lasting(60_000), 53_999, 'good'],
    ['of a minute, in its last tenth', lasting(60_000), 54_000, 'due'],
    ['of a second, before its last tenth', lasting(1_000), 899, 'good'],
    ['of a second, in its last tenth', lasting(1_000), 900, 'due'],
    ['received later than it expires', { tokenReceivedAt: 5_000, tokenExpiresAt: 1_000 }, 999, 'good'],
    ['of unknown start', { tokenReceivedAt: null, tokenExpiresAt: HOUR_MS }, HOUR_MS - MARGIN_MS, 'due'],
    ['without end', { tokenReceivedAt: 0, tokenExpiresAt: null }, 1e15, 'good'],
  ] as const)('tells the age of a token by its times: %s', (_, times, now, age) => {
    expect(tokenAge(times, 'at', now, MARGIN_MS)).toBe(age);
  });

  it('counts a missing token as expired', () => {
    expect(tokenAge(lasting(HOUR_MS), undefined, 0, MARGIN_MS)).toBe('expired');
  });
});

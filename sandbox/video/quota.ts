/**
 * The daily quota of the project, as YouTube counts it since 2026-06-01: units for everything, and a separate
 * limit for searches. It is reset at midnight in California.
 *
 * @see https://developers.google.com/youtube/v3/determine_quota_cost
 */
import type { Clock } from '../../src/core/clock.ts';
import { VideoRefusal } from './refusal.ts';

/** Quota of one day. */
export interface QuotaLimits {
  /** Default 10,000. */
  unitsPerDay: number;
  /** Default 100. */
  searchesPerDay: number;
}

const PACIFIC_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' });

/** Counts usage and refuses requests over the quota; shared by all accounts of the one app. */
export class Quota {
  readonly #limits: QuotaLimits;
  readonly #clock: Clock;
  #day = '';
  #units = 0;
  #searches = 0;

  constructor(limits: Partial<QuotaLimits>, clock: Clock) {
    this.#limits = { unitsPerDay: 10_000, searchesPerDay: 100, ...limits };
    this.#clock = clock;
  }

  /** @throws VideoRefusal quotaExceeded */
  spend(units: number): void {
    this.#startDay();
    if (this.#units + units > this.#limits.unitsPerDay) throw exceeded('quota');
    this.#units += units;
  }

  /** @throws VideoRefusal quotaExceeded */
  spendSearch(): void {
    this.#startDay();
    if (this.#searches >= this.#limits.searchesPerDay) throw exceeded('quota of searches');
    this.#searches += 1;
  }

  #startDay(): void {
    const day = PACIFIC_DAY.format(this.#clock.now());
    if (day === this.#day) return;
    this.#day = day;
    this.#units = 0;
    this.#searches = 0;
  }
}

function exceeded(what: string): VideoRefusal {
  return new VideoRefusal(403, 'quotaExceeded', `The ${what} of this project is used up for today.`, {
    domain: 'youtube.quota',
  });
}

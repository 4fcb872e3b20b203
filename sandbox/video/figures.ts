/**
 * Viewing figures of one day: invented, and the same on every run. Pure.
 *
 * A video has most views on its first days; countries and devices have fixed shares. The parts add up to the
 * whole, so that a query by day and one by country agree.
 */
import { createHash } from 'node:crypto';
import { stableNumber, type Video } from './model.ts';

export const DAY_MS = 86_400_000;

/** Views of one video on one day in one country on one kind of device. */
export interface Fact {
  /** `2026-11-01` */
  day: string;
  videoId: string;
  country: string;
  deviceType: string;
  /** Source, age and gender of its viewers: one value for all of them. */
  source: string;
  age: string;
  gender: string;
  views: number;
  watchSeconds: number;
  /** Seconds if every view had lasted to the end. */
  fullSeconds: number;
  likes: number;
  dislikes: number;
  comments: number;
  shares: number;
  subscribersGained: number;
  subscribersLost: number;
}

const COUNTRIES = { NO: 0.4, DE: 0.2, US: 0.15, NL: 0.12, GB: 0.08, PT: 0.05 };
const DEVICES = { MOBILE: 0.6, DESKTOP: 0.3, TV: 0.1 };
const SOURCES = ['YT_SEARCH', 'SUBSCRIBER', 'EXT_URL', 'RELATED_VIDEO', 'PLAYLIST'];
const AGES = ['age18-24', 'age25-34', 'age35-44', 'age45-54', 'age55-64'];
const GENDERS = ['female', 'male'];
const FIRST_DAY_VIEWS = 400;

/** Views per reaction, by kind of reaction. */
const ONE_IN = {
  likes: 25,
  dislikes: 400,
  comments: 150,
  shares: 80,
  subscribersGained: 120,
  subscribersLost: 500,
};

/**
 * All facts of a range of days; days without views and private videos are omitted.
 *
 * @param range first and last day, Unix milliseconds of their midnight (UTC)
 */
export function factsOf(videos: readonly Video[], range: { first: number; last: number }): Fact[] {
  const facts: Fact[] = [];
  for (const video of videos) {
    if (video.status.privacyStatus === 'private') continue;
    const born = Math.floor(video.publishedAt / DAY_MS) * DAY_MS;
    for (let at = Math.max(range.first, born); at <= range.last; at += DAY_MS)
      facts.push(...factsOfDay(video, { at, age: (at - born) / DAY_MS }));
  }
  return facts;
}

function factsOfDay(video: Video, { at, age }: { at: number; age: number }): Fact[] {
  const day = new Date(at).toISOString().slice(0, 10);
  const strength = 0.5 + stableNumber(`strength:${video.id}`, 100) / 100;
  const today = FIRST_DAY_VIEWS * strength * (1 / (1 + age / 7) + 0.05);
  return Object.entries(COUNTRIES).flatMap(([country, countryShare]) =>
    Object.entries(DEVICES).flatMap(([deviceType, deviceShare]) => {
      const key = `${video.id}/${day}/${country}/${deviceType}`;
      const chances = chancesOf(key);
      const views = Math.floor(today * countryShare * deviceShare + chances());
      if (views === 0) return [];
      const watched = 0.3 + chances() * 0.4;
      const counts = Object.entries(ONE_IN).map(([name, one]) => [name, Math.floor(views / one + chances())]);
      return {
        day,
        videoId: video.id,
        country,
        deviceType,
        source: oneOf(SOURCES, `source:${key}`),
        age: oneOf(AGES, `age:${key}`),
        gender: oneOf(GENDERS, `gender:${key}`),
        views,
        watchSeconds: Math.round(views * video.seconds * watched),
        fullSeconds: views * video.seconds,
        ...(Object.fromEntries(counts) as Record<keyof typeof ONE_IN, number>),
      };
    }),
  );
}

function oneOf(names: readonly string[], key: string): string {
  return names[stableNumber(key, names.length)] ?? '';
}

/** Up to 16 numbers from 0 to below 1 that look random and are the same on every run. */
function chancesOf(key: string): () => number {
  const digest = createHash('sha256').update(key).digest();
  let next = 0;
  return () => digest.readUInt16BE(2 * next++) / 65_536;
}

/** Metrics by their names in the Analytics API; each is computed over any set of facts, as a part of all of them. */
export const METRICS: Readonly<Record<string, (facts: readonly Fact[], all: readonly Fact[]) => number>> = {
  viewerPercentage: (facts, all) =>
    Math.round((sum(facts, 'views') / Math.max(sum(all, 'views'), 1)) * 10_000) / 100,
  views: (facts) => sum(facts, 'views'),
  likes: (facts) => sum(facts, 'likes'),
  dislikes: (facts) => sum(facts, 'dislikes'),
  comments: (facts) => sum(facts, 'comments'),
  shares: (facts) => sum(facts, 'shares'),
  subscribersGained: (facts) => sum(facts, 'subscribersGained'),
  subscribersLost: (facts) => sum(facts, 'subscribersLost'),
  estimatedMinutesWatched: (facts) => Math.round(sum(facts, 'watchSeconds') / 60),
  averageViewDuration: (facts) => Math.round(sum(facts, 'watchSeconds') / Math.max(sum(facts, 'views'), 1)),
  averageViewPercentage: (facts) =>
    Math.round((sum(facts, 'watchSeconds') / Math.max(sum(facts, 'fullSeconds'), 1)) * 10_000) / 100,
};

type Counted = { [Name in keyof Fact]: Fact[Name] extends number ? Name : never }[keyof Fact];

function sum(facts: readonly Fact[], name: Counted): number {
  return facts.reduce((total, fact) => total + fact[name], 0);
}

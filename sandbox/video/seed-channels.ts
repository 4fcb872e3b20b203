/** The channels at the start: YouTube channels of companies in the sandbox's web. */

/** A seeded channel. Times are days before the start of the sandbox. */
export interface SeedChannel {
  /** First word of its ids. */
  key: string;
  title: string;
  handle: string;
  username?: string;
  description: string;
  country: string;
  keywords: string;
  bannerUrl?: string;
  daysOld: number;
  subscribers: number;
  showsSubscriptions?: boolean;
}

/** The first one belongs to the account that people connect. */
export const CHANNELS: readonly SeedChannel[] = [
  {
    key: 'northlight',
    title: 'Northlight Supply',
    handle: '@northlightsupply',
    description: 'Lamps, beacons and batteries for people who work by the sea. Taken apart and explained.',
    country: 'NO',
    keywords: 'harbour beacon lamp battery',
    bannerUrl: 'https://pictures.example/northlight/banner.jpg',
    daysOld: 900,
    subscribers: 8420,
  },
  {
    key: 'marrowlight',
    title: 'Marrowlight',
    handle: '@marrowlight',
    description: 'Grid batteries for small islands.',
    country: 'NO',
    keywords: 'battery grid island',
    daysOld: 1200,
    subscribers: 3110,
  },
  {
    key: 'fernway',
    title: 'Fernway Robotics',
    handle: '@fernwayrobotics',
    description: 'Field robots that pull weeds one by one.',
    country: 'NL',
    keywords: 'robot field weeds',
    daysOld: 1500,
    subscribers: 25_600,
  },
  {
    key: 'almanac',
    title: 'Harbour Almanac',
    handle: '@harbouralmanac',
    username: 'HarbourAlmanac',
    description: 'Tide tables and what to make of them.',
    country: 'NO',
    keywords: 'tide harbour weather',
    daysOld: 4100,
    subscribers: 11_900,
    showsSubscriptions: true,
  },
  {
    key: 'slowcup',
    title: 'Slow Cup',
    handle: '@slowcup',
    description: 'Coffee, explained with a kitchen scale.',
    country: 'IT',
    keywords: 'coffee espresso filter',
    daysOld: 800,
    subscribers: 64_300,
  },
];

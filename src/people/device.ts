/** The kind of browser and the place of a session, by which people recognize their own ones. Pure. */
import type { Visitor } from '../core/caller.ts';
import type { Device } from '../store/tables/people-tables.ts';

/** Names by a mark in the user agent. The first match counts: most browsers also name those they are made from. */
const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** The form of ISO 3166-1 alpha-2. */
const REGION = /^[A-Z]{2}$/;

/** Longer names of places are cut. */
const MAX_PLACE_LENGTH = 100;

/** The stored facts about a visitor's device. A browser may claim anything, so this is a hint and not a proof. */
export function deviceOf({ userAgent, city, region }: Visitor): Device {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  const place = city.slice(0, MAX_PLACE_LENGTH).toWellFormed();
  return {
    ...(browser !== undefined && { browser }),
    ...(system !== undefined && { system }),
    ...(place !== '' && { city: place }),
    ...(REGION.test(region) && { region }),
  };
}

function nameIn(known: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return known.find(([mark]) => mark.test(userAgent))?.[1];
}

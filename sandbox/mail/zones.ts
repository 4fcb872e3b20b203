/** Wall times of named zones: IANA names, and the Windows names used by calendars. Pure. */
import type { EventTime } from './model.ts';

/** The Windows zones most likely to be named; the real provider knows some 140. */
const WINDOWS: Readonly<Record<string, string>> = {
  'AUS Eastern Standard Time': 'Australia/Sydney',
  'Alaskan Standard Time': 'America/Anchorage',
  'Arabian Standard Time': 'Asia/Dubai',
  'Argentina Standard Time': 'America/Argentina/Buenos_Aires',
  'Atlantic Standard Time': 'America/Halifax',
  'Central America Standard Time': 'America/Guatemala',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Central European Standard Time': 'Europe/Warsaw',
  'Central Standard Time': 'America/Chicago',
  'China Standard Time': 'Asia/Shanghai',
  'E. South America Standard Time': 'America/Sao_Paulo',
  'Eastern Standard Time': 'America/New_York',
  'FLE Standard Time': 'Europe/Helsinki',
  'GMT Standard Time': 'Europe/London',
  'GTB Standard Time': 'Europe/Athens',
  'Hawaiian Standard Time': 'Pacific/Honolulu',
  'India Standard Time': 'Asia/Kolkata',
  'Israel Standard Time': 'Asia/Jerusalem',
  'Korea Standard Time': 'Asia/Seoul',
  'Mountain Standard Time': 'America/Denver',
  'New Zealand Standard Time': 'Pacific/Auckland',
  'Pacific Standard Time': 'America/Los_Angeles',
  'Romance Standard Time': 'Europe/Paris',
  'Russian Standard Time': 'Europe/Moscow',
  'SA Pacific Standard Time': 'America/Bogota',
  'Singapore Standard Time': 'Asia/Singapore',
  'South Africa Standard Time': 'Africa/Johannesburg',
  'Tokyo Standard Time': 'Asia/Tokyo',
  'Turkey Standard Time': 'Europe/Istanbul',
  'US Mountain Standard Time': 'America/Phoenix',
  'W. Central Africa Standard Time': 'Africa/Lagos',
  'W. Europe Standard Time': 'Europe/Berlin',
};

/** By IANA name, of zones that were used: making one takes ten times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The IANA name of a zone; `undefined` for an unknown name. */
export function zoneNamed(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  const zone = WINDOWS[name] ?? name;
  if (formats.has(zone)) return zone;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Unix milliseconds of a wall time. A time skipped by a clock change counts as if the change had not
 * happened.
 */
export function instantOf({ dateTime, timeZone }: EventTime): number {
  const zone = zoneNamed(timeZone) ?? 'UTC';
  const asUtc = Date.parse(`${dateTime.slice(0, 19)}Z`);
  const first = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(first, zone);
}

/**
 * A time in another zone, with seven digits as written by the provider. @param timeZone appears in the answer
 * unchanged
 */
export function inZone(time: EventTime, timeZone: string): EventTime {
  const instant = instantOf(time);
  const wall = new Date(instant + offsetAt(instant, zoneNamed(timeZone) ?? 'UTC'));
  return { dateTime: `${wall.toISOString().slice(0, 19)}.0000000`, timeZone };
}

/** Offset of a zone from UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  const ahead = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
  return sign === '-' ? -ahead : ahead;
}

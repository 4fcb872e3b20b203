/**
 * Times in the form that Graph requires: local wall time without offset, plus the name of its zone. Pure.
 *
 * A caller may write an offset. Graph does not document how it reads one, so none is ever sent. The instant
 * is converted into the zone if its name is in the IANA database, otherwise into UTC.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/datetimetimezone
 */
import { FORMATS } from '../../catalog/model/formats.ts';

/** Graph's dateTimeTimeZone. */
export interface CalendarTime {
  /** `2026-12-01T09:00:00`, optionally with a fraction of up to seven digits. */
  dateTime: string;
  timeZone: string;
}

/** A time, and whether it had to be converted out of its named zone. */
export interface ReadTime {
  time: CalendarTime;
  /** True for an offset with a zone that only Graph knows (a Windows name): the time is in UTC now. */
  hasLeftZone: boolean;
}

const TEXT =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d))?(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** Digits that Graph accepts after the decimal point. */
const FRACTION_DIGITS = 7;

/** An offset may move a day out of the four-digit years. */
const EARLIEST = Date.parse('0001-01-02T00:00:00Z');
const LATEST = Date.parse('9999-12-30T00:00:00Z');

/**
 * @param zone name of the zone; UTC if `undefined`
 * @param isAllDay accepts a date alone, as its midnight
 * @returns `undefined` for text that is not such a time
 */
export function readTime(text: string, zone: string | undefined, isAllDay: boolean): ReadTime | undefined {
  const [, date, minutes, seconds = '00', digits, offset] = TEXT.exec(text) ?? [];
  if (date === undefined || !FORMATS.date.matches(date)) return undefined;
  if (minutes === undefined && !isAllDay) return undefined;
  const fraction = digits === undefined ? '' : `.${digits.slice(0, FRACTION_DIGITS)}`;
  const local = `${date}T${minutes ?? '00:00'}:${seconds}`;
  const timeZone = zone ?? 'UTC';
  if (offset === undefined)
    return { time: { dateTime: `${local}${fraction}`, timeZone }, hasLeftZone: false };
  const instant = Date.parse(`${local}${offset}`);
  if (!(instant >= EARLIEST && instant <= LATEST)) return undefined;
  const inZone = wallTime(instant, timeZone);
  return {
    time: {
      dateTime: `${inZone ?? new Date(instant).toISOString().slice(0, 19)}${fraction}`,
      timeZone: inZone === undefined ? 'UTC' : timeZone,
    },
    hasLeftZone: inZone === undefined,
  };
}

/** Unix milliseconds of a local time, to the second; `undefined` in a zone that the IANA database does not have. */
export function instantOf({ dateTime, timeZone }: CalendarTime): number | undefined {
  const asUtc = Date.parse(`${dateTime.slice(0, 19)}Z`);
  let instant = asUtc;
  // Twice, because the offset at the first guess may be that of the other side of a clock change.
  for (let i = 0; i < 2; i += 1) {
    const wall = wallTime(instant, timeZone);
    if (wall === undefined) return undefined;
    instant += asUtc - Date.parse(`${wall}Z`);
  }
  return instant;
}

/** Local time in a zone of the IANA database; `undefined` for another name. */
function wallTime(instant: number, timeZone: string): string | undefined {
  // Intl accepts offsets as names of zones, Graph does not.
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  let parts: Map<string, string>;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const part = (name: string): string => parts.get(name) ?? '';
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  return `${date}T${part('hour')}:${part('minute')}:${part('second')}`;
}

/** The day of a time, `YYYY-MM-DD`. */
export function dayOf({ dateTime }: CalendarTime): string {
  return dateTime.slice(0, 10);
}

/** Whether a time is the first moment of its day. */
export function isMidnight({ dateTime }: CalendarTime): boolean {
  return /^T00:00:00(\.0+)?$/.test(dateTime.slice(10));
}

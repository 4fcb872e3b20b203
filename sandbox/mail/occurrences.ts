/** The occurrences of a series, worked out from its recurrence. Pure. */
import { eventId, type CalendarEvent, type EventTime, type Recurrence } from './model.ts';
import { instantOf } from './zones.ts';

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const INDEXES = ['first', 'second', 'third', 'fourth', 'last'];

/** A series without end is followed for this many days, months or weeks. */
const MAX_STEPS = 4000;

/** The unchanged occurrences of a series that may touch a span. @param from, to Unix milliseconds */
export function occurrencesBetween(series: CalendarEvent, from: number, to: number): CalendarEvent[] {
  const found: CalendarEvent[] = [];
  for (const day of daysOf(series.recurrence)) {
    const occurrence = occurrenceOf(series, day);
    // A changed occurrence may have left its day, but not beyond its neighbors.
    if (instantOf(occurrence.start) > to + 31 * DAY_MS) break;
    if (instantOf(occurrence.end) > from - 31 * DAY_MS) found.push(occurrence);
  }
  return found;
}

/** The days before and after an occurrence on which its series has others; `undefined` at its ends. */
export function neighborsOf(series: CalendarEvent, day: string): { before?: string; after?: string } {
  let before: string | undefined;
  for (const other of daysOf(series.recurrence)) {
    if (other > day) return { ...(before !== undefined && { before }), after: other };
    if (other < day) before = other;
  }
  return before === undefined ? {} : { before };
}

/** The occurrence of a series on a day, as it is without changes. */
export function occurrenceOf(series: CalendarEvent, day: string): CalendarEvent {
  const shift = Date.parse(day) - Date.parse(series.start.dateTime.slice(0, 10));
  return {
    ...series,
    id: eventId(`${series.id}@${day}`),
    start: shifted(series.start, shift),
    end: shifted(series.end, shift),
    recurrence: null,
    occurrence: { seriesId: series.id, day, isChanged: false },
  };
}

function shifted({ dateTime, timeZone }: EventTime, ms: number): EventTime {
  const day = new Date(Date.parse(dateTime.slice(0, 10)) + ms).toISOString().slice(0, 10);
  return { dateTime: `${day}${dateTime.slice(10)}`, timeZone };
}

function* daysOf(recurrence: Recurrence | null): Generator<string> {
  if (recurrence === null) return;
  const { pattern, range } = recurrence;
  let count = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    for (const day of daysOfStep(pattern, range.startDate, step)) {
      if (day < range.startDate) continue;
      if (range.type === 'endDate' && day > range.endDate) return;
      if (range.type === 'numbered' && count >= range.numberOfOccurrences) return;
      count += 1;
      yield day;
    }
  }
}

/** The days of one repetition, which may begin before the first day. */
function daysOfStep(pattern: Recurrence['pattern'], first: string, step: number): string[] {
  const date = new Date(first);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const months = step * pattern.interval;
  switch (pattern.type) {
    case 'daily':
      return [dayText(Date.parse(first) + step * pattern.interval * DAY_MS)];
    case 'weekly': {
      const sinceWeekStart = (date.getUTCDay() - WEEKDAYS.indexOf(pattern.firstDayOfWeek) + 7) % 7;
      const week = Date.parse(first) + (step * pattern.interval * 7 - sinceWeekStart) * DAY_MS;
      return [0, 1, 2, 3, 4, 5, 6]
        .map((offset) => dayText(week + offset * DAY_MS))
        .filter((day) => pattern.daysOfWeek.includes(weekdayOf(day)));
    }
    case 'absoluteMonthly':
      return [dayOfMonth(year, month + months, pattern.dayOfMonth)];
    case 'relativeMonthly':
      return relativeDay(year, month + months, pattern);
    case 'absoluteYearly':
      return [dayOfMonth(year + months, pattern.month - 1, pattern.dayOfMonth)];
    default:
      return relativeDay(year + months, pattern.month - 1, pattern);
  }
}

/** In a month that is too short, its last day. */
function dayOfMonth(year: number, month: number, day: number): string {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayText(Date.UTC(year, month, Math.min(day, last)));
}

function relativeDay(year: number, month: number, { daysOfWeek, index }: Recurrence['pattern']): string[] {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const fitting = Array.from({ length: last }, (_, i) => dayText(Date.UTC(year, month, i + 1))).filter(
    (day) => daysOfWeek.includes(weekdayOf(day)),
  );
  const found = index === 'last' ? fitting.at(-1) : fitting[INDEXES.indexOf(index)];
  return found === undefined ? [] : [found];
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function weekdayOf(day: string): string {
  return WEEKDAYS[new Date(day).getUTCDay()] ?? '';
}

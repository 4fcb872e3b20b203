/**
 * The recurrence of a series: which members a pattern needs, and where they come from. The tools have no
 * parameter for the day of the month, the month or the week of the month: the first day provides them. Pure.
 *
 * Members that a pattern or range does not use are not sent: Graph ignores them, but rejects wrong ones.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/recurrencepattern
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { dayOf, type ReadTime } from './calendar-time.ts';
import type { EventInput } from './event-input.ts';
import { textList } from './text-list.ts';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const INDEXES = ['first', 'second', 'third', 'fourth', 'last'];

/** A start that was given and is wrong already has its violation. */
export type SeriesStart = ReadTime | 'wrong' | undefined;

/**
 * @param start of the event, as it is sent
 * @param violations collects the problems
 * @returns `undefined` if no series is requested, or something is wrong
 */
export function recurrence(
  input: EventInput,
  start: SeriesStart,
  violations: FieldViolation[],
): JsonObject | undefined {
  const type = input.recurrence_type;
  if (type === undefined) return undefined;
  const days = weekdays(input.recurrence_days_of_week, violations);
  const rangeType = rangeTypeOf(input, violations);
  const firstDay = firstDayOf(input, start, violations);
  if (days === undefined || rangeType === undefined || firstDay === undefined) return undefined;
  if (rangeType === 'endDate' && (input.recurrence_end_date ?? '') < firstDay) {
    const description = `Must not be before the first day, ${firstDay}.`;
    violations.push({ field: 'recurrence_end_date', description, constraint: 'minimum' });
    return undefined;
  }
  return {
    pattern: { type, interval: input.recurrence_interval ?? 1, ...patternPart(type, firstDay, days) },
    range: { type: rangeType, startDate: firstDay, ...rangePart(rangeType, input) },
  };
}

function weekdays(text: string | undefined, violations: FieldViolation[]): string[] | undefined {
  const names = textList(text ?? '')?.map((name) => name.toLowerCase());
  if (names?.every((name) => WEEKDAYS.includes(name)) === true) return [...new Set(names)];
  const description = `Must be days such as monday,wednesday, each one of: ${WEEKDAYS.join(', ')}.`;
  violations.push({ field: 'recurrence_days_of_week', description, constraint: 'enum' });
  return undefined;
}

function rangeTypeOf(
  { recurrence_range_type, recurrence_end_date, recurrence_occurrences }: EventInput,
  violations: FieldViolation[],
): string | undefined {
  if (recurrence_range_type !== undefined) return recurrence_range_type;
  if (recurrence_end_date === undefined) return recurrence_occurrences === undefined ? 'noEnd' : 'numbered';
  if (recurrence_occurrences === undefined) return 'endDate';
  const description =
    'Is required when both recurrence_end_date and recurrence_occurrences are given: endDate or numbered.';
  violations.push({ field: 'recurrence_range_type', description, constraint: 'require' });
  return undefined;
}

/** The day of the event's start: Graph requires the range to begin with it. */
function firstDayOf(
  { recurrence_start_date: given, start_timezone }: EventInput,
  start: SeriesStart,
  violations: FieldViolation[],
): string | undefined {
  if (start === 'wrong') return undefined;
  const wrong = (field: string, description: string, constraint: string): undefined => {
    violations.push({ field, description, constraint });
  };
  if (start === undefined)
    return (
      given ??
      wrong('recurrence_start_date', 'Give it, or start_datetime: a series needs its first day.', 'require')
    );
  if (start.hasLeftZone)
    return wrong(
      'start_timezone',
      `Must be a name such as Europe/Berlin with a time that has an offset, because ${start_timezone ?? ''} cannot be converted here and a series has to stay in its zone.`,
      'zone',
    );
  const day = dayOf(start.time);
  if (given !== undefined && given !== day)
    return wrong('recurrence_start_date', `Must be the date of start_datetime, ${day}.`, 'start_date');
  return day;
}

function patternPart(type: string, firstDay: string, days: readonly string[]): JsonObject {
  const date = new Date(`${firstDay}T00:00:00Z`);
  const dayOfMonth = date.getUTCDate();
  const month = date.getUTCMonth() + 1;
  const daysOfWeek = days.length > 0 ? days : [WEEKDAYS[date.getUTCDay()]];
  const index = INDEXES[Math.ceil(dayOfMonth / 7) - 1];
  switch (type) {
    case 'weekly':
      return { daysOfWeek };
    case 'absoluteMonthly':
      return { dayOfMonth };
    case 'relativeMonthly':
      return { daysOfWeek, index };
    case 'absoluteYearly':
      return { dayOfMonth, month };
    case 'relativeYearly':
      return { daysOfWeek, index, month };
    default:
      return {};
  }
}

function rangePart(
  rangeType: string,
  { recurrence_end_date, recurrence_occurrences }: EventInput,
): JsonObject {
  if (rangeType === 'endDate') return { endDate: recurrence_end_date };
  return rangeType === 'numbered' ? { numberOfOccurrences: recurrence_occurrences } : {};
}

/** The rules for a series: the members that each pattern needs, and that it begins with the event. Pure. */
import type { EventChange } from './event-shape.ts';
import type { EventTime, Recurrence } from './model.ts';
import { invalidProperty } from './refusal.ts';

type Pattern = NonNullable<EventChange['recurrence']>['pattern'];
type Given = NonNullable<EventChange['recurrence']> | Recurrence;

/** Members that a pattern needs in addition to the interval. */
const NEEDED: Readonly<Record<Pattern['type'], readonly (keyof Pattern)[]>> = {
  daily: [],
  weekly: ['daysOfWeek'],
  absoluteMonthly: ['dayOfMonth'],
  relativeMonthly: ['daysOfWeek'],
  absoluteYearly: ['dayOfMonth', 'month'],
  relativeYearly: ['daysOfWeek', 'month'],
};

/** The value in answers for a range without end. */
const NO_DATE = '0001-01-01';

/** Adds the values that the provider writes for unused members. @throws MailRefusal 400 */
export function readRecurrence({ pattern, range }: Given, start: EventTime): Recurrence {
  const needed = NEEDED[pattern.type as Pattern['type']];
  for (const member of needed) {
    const value = pattern[member];
    if (value === undefined || value === 0 || (Array.isArray(value) && value.length === 0))
      throw invalidProperty(`The recurrence pattern ${pattern.type} needs ${member}.`);
  }
  const { interval, month = 0, dayOfMonth = 0 } = pattern;
  if (interval < 1) throw invalidProperty('The interval of a recurrence has to be at least 1.');
  if (month < 0 || month > 12) throw invalidProperty('The month of a recurrence has to be from 1 to 12.');
  if (dayOfMonth < 0 || dayOfMonth > 31)
    throw invalidProperty('The dayOfMonth of a recurrence has to be from 1 to 31.');
  const day = start.dateTime.slice(0, 10);
  if (range.startDate !== day)
    throw invalidProperty(`The startDate of a recurrence has to be the date of the event's start, ${day}.`);
  return {
    pattern: {
      type: pattern.type,
      interval,
      month,
      dayOfMonth,
      daysOfWeek: pattern.daysOfWeek ?? [],
      firstDayOfWeek: pattern.firstDayOfWeek ?? 'sunday',
      index: pattern.index ?? 'first',
    },
    range: { ...rangeOf(range), recurrenceTimeZone: range.recurrenceTimeZone ?? start.timeZone },
  };
}

function rangeOf({
  type,
  startDate,
  endDate,
  numberOfOccurrences = 0,
}: Given['range']): Omit<Recurrence['range'], 'recurrenceTimeZone'> {
  if (type === 'endDate' && (endDate === undefined || endDate < startDate))
    throw invalidProperty(
      'A recurrence that ends by date needs an endDate that is not before its startDate.',
    );
  if (type === 'numbered' && numberOfOccurrences < 1)
    throw invalidProperty('A numbered recurrence needs a numberOfOccurrences of at least 1.');
  return {
    type,
    startDate,
    endDate: type === 'endDate' ? (endDate ?? NO_DATE) : NO_DATE,
    numberOfOccurrences: type === 'numbered' ? numberOfOccurrences : 0,
  };
}

/**
 * The body of an event as Graph takes it, from the flat parameters of the tools: only given values, with all violations
 * at once. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/event
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { given } from '../provider-call.ts';
import { attendees } from './attendees.ts';
import { dayOf, isMidnight, readTime, type ReadTime } from './calendar-time.ts';
import type { EventInput } from './event-input.ts';
import { locations } from './locations.ts';
import { recurrence } from './recurrence.ts';
import { textList } from './text-list.ts';

type Side = 'start' | 'end';

/** A time without offset. */
const LOCAL_TIME = /T[\d:.]+$/;

/** The body of an event without its invalid values, and all violations. */
export function eventBody(input: EventInput): { body: JsonObject; violations: readonly FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const start = side('start', input, violations);
  const end = side('end', input, violations);
  const times = [start, end].filter((time) => time !== undefined && time !== 'wrong');
  if (start !== 'wrong' && end !== 'wrong') violations.push(...spanViolations(input, start, end));
  const body = given({
    subject: input.subject,
    start: start === 'wrong' ? undefined : start?.time,
    end: end === 'wrong' ? undefined : end?.time,
    body:
      input.body_content === undefined
        ? undefined
        : { contentType: input.body_contentType ?? 'text', content: input.body_content },
    location: input.location === undefined ? undefined : { displayName: input.location },
    locations: locations(input.locations, violations),
    attendees: attendees(input, violations),
    hideAttendees: input.hideAttendees,
    importance: input.importance,
    sensitivity: input.sensitivity,
    showAs: input.showAs,
    isAllDay: input.isAllDay,
    isOnlineMeeting: input.isOnlineMeeting,
    onlineMeetingProvider: input.onlineMeetingProvider,
    isReminderOn: input.isReminderOn,
    reminderMinutesBeforeStart: input.reminderMinutesBeforeStart,
    categories: categories(input.categories, violations),
    recurrence: recurrence(input, start, violations),
  });
  if (input.isAllDay === true) violations.push(...times.flatMap(midnightViolation));
  return { body, violations };
}

function side(name: Side, input: EventInput, violations: FieldViolation[]): SidedTime | 'wrong' | undefined {
  const text = input[`${name}_datetime`];
  if (text === undefined) return undefined;
  const field = `${name}_datetime`;
  const zone = input[`${name}_timezone`];
  const read = readTime(text, zone, input.isAllDay === true);
  const lacksZone = zone === undefined && LOCAL_TIME.test(text);
  if (read !== undefined && !lacksZone) return { ...read, field };
  const description =
    read === undefined
      ? 'Must be a time such as 2026-12-01T09:00:00 (local, of its zone) or 2026-12-01T09:00:00+01:00; a date alone only for isAllDay.'
      : `Must have an offset, such as 2026-12-01T09:00:00+01:00, or ${name}_timezone beside it.`;
  violations.push({ field, description, constraint: 'format' });
  return 'wrong';
}

interface SidedTime extends ReadTime {
  field: string;
}

function midnightViolation({ time, field }: SidedTime): FieldViolation[] {
  if (isMidnight(time)) return [];
  const description = 'Must be midnight in its zone when isAllDay is true.';
  return [{ field, description, constraint: 'all_day' }];
}

/** Times in one zone can be compared as text. Graph checks times in different zones. */
function spanViolations(
  { isAllDay }: EventInput,
  start: ReadTime | undefined,
  end: ReadTime | undefined,
): FieldViolation[] {
  if (start === undefined || end === undefined) return [];
  const isOneZone = start.time.timeZone === end.time.timeZone;
  if (isAllDay === true && !isOneZone) {
    const description = 'Must be that of the start when isAllDay is true.';
    return [{ field: 'end_timezone', description, constraint: 'all_day' }];
  }
  if (isAllDay === true && dayOf(end.time) <= dayOf(start.time)) {
    const description = 'Must be midnight after the last day: at least a day after the start.';
    return [{ field: 'end_datetime', description, constraint: 'all_day' }];
  }
  if (!isOneZone || end.time.dateTime.slice(0, 19) >= start.time.dateTime.slice(0, 19)) return [];
  const description = 'Must not be before the start.';
  return [{ field: 'end_datetime', description, constraint: 'minimum' }];
}

function categories(text: string | undefined, violations: FieldViolation[]): string[] | undefined {
  if (text === undefined) return undefined;
  const names = textList(text);
  if (names !== undefined) return names;
  const description = 'Must be comma-separated names, or a JSON list of them.';
  violations.push({ field: 'categories', description, constraint: 'format' });
  return undefined;
}

/**
 * mail_get_schedules and mail_find_meeting_times: one POST each, which changes nothing.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/calendar-getschedule
 * @see https://learn.microsoft.com/en-us/graph/api/user-findmeetingtimes
 */
import type { JsonObject, ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { given, post } from '../provider-call.ts';
import { zoneHeaders, zoneViolations } from './calendar-span.ts';
import { readTime, type CalendarTime } from './calendar-time.ts';
import { recipients } from './message-body.ts';

interface WallSpan {
  start: CalendarTime;
  end: CalendarTime;
}

interface WallInput {
  start_datetime?: string | undefined;
  end_datetime?: string | undefined;
  timezone?: string | undefined;
}

export const getSchedules: ToolHandler<ToolInputs['mail_get_schedules']> = {
  check: (input) => {
    const violations = spanViolations(input);
    recipients('email_addresses', input.email_addresses, violations);
    return violations;
  },
  call: async ({ input, http }) => {
    const span = wallSpan(input, []);
    const body = given({
      schedules: recipients('email_addresses', input.email_addresses, [])?.map((one) =>
        textAt(one, 'emailAddress', 'address'),
      ),
      startTime: span?.start,
      endTime: span?.end,
      availabilityViewInterval: input.interval_minutes,
    });
    const answer = await http.send(request('/v1.0/me/calendar/getSchedule', body, input));
    return span === undefined ? answer : withFreeTimes(answer, span);
  },
};

export const findMeetingTimes: ToolHandler<ToolInputs['mail_find_meeting_times']> = {
  check: (input) => {
    const violations = spanViolations(input);
    recipients('attendees', input.attendees, violations);
    return violations;
  },
  call: async ({ input, http }) => {
    const attendees = recipients('attendees', input.attendees, [])?.map((attendee) => ({
      ...attendee,
      type: 'required',
    }));
    const body = given({
      attendees,
      timeConstraint: { activityDomain: input.activity_domain, timeSlots: [wallSpan(input, [])] },
      meetingDuration: `PT${input.duration_minutes}M`,
      maxCandidates: input.max_candidates,
      isOrganizerOptional: input.is_organizer_optional,
      returnSuggestionReasons: true,
    });
    return http.send(request('/v1.0/me/findMeetingTimes', body, input));
  },
};

function request(path: string, body: JsonObject, input: WallInput): ProviderRequest {
  return { ...post(path, body), headers: zoneHeaders(input) };
}

function spanViolations(input: WallInput): FieldViolation[] {
  const violations = zoneViolations(input);
  const span = wallSpan(input, violations);
  if (
    span !== undefined &&
    span.end.timeZone === span.start.timeZone &&
    span.end.dateTime <= span.start.dateTime
  )
    violations.push(violation('end_datetime', 'Must be after start_datetime.', 'minimum'));
  return violations;
}

/** Both ends of a span as local times of the zone. */
function wallSpan(input: WallInput, violations: FieldViolation[]): WallSpan | undefined {
  const [start, end] = (['start_datetime', 'end_datetime'] as const).map((field) => {
    const text = input[field];
    if (text === undefined) return undefined;
    const read = readTime(text, input.timezone, false);
    if (read?.hasLeftZone === true) {
      // The answer is in the named zone, so its times could not be compared with this one.
      const named = `Must be an IANA name such as Europe/Berlin where ${field} has an offset.`;
      violations.push(violation('timezone', named, 'zone'));
      return undefined;
    }
    if (read !== undefined) return read.time;
    const description = 'Must be a time such as 2026-12-01T09:00:00, of timezone, or with an offset.';
    violations.push(violation(field, description, 'format'));
    return undefined;
  });
  return start === undefined || end === undefined ? undefined : { start, end };
}

/**
 * Adds to each schedule the times at which it is busy, and to the answer the gaps that all have in common. The times of
 * the answer are in the zone of the request, so they can be compared as text.
 */
function withFreeTimes(answer: unknown, span: WallSpan): unknown {
  const schedules = valueAt(answer, 'value');
  if (!Array.isArray(schedules)) return answer;
  const value = schedules.map((schedule: unknown) => ({
    ...membersOf(schedule),
    busy: busyTimes(schedule),
  }));
  return {
    ...membersOf(answer),
    value,
    timezone: span.start.timeZone,
    ...(value.every((schedule) => isKnown(schedule, span)) && {
      common_free: gaps(
        value.flatMap(({ busy }) => busy),
        span,
      ),
    }),
  };
}

/** Whether a schedule lists every busy time, in the zone of the request. */
function isKnown(schedule: { busy: readonly BusyTime[] }, { start }: WallSpan): boolean {
  const [error, items] = [valueAt(schedule, 'error'), valueAt(schedule, 'scheduleItems')];
  if ((error !== undefined && error !== null) || !Array.isArray(items)) return false;
  // Another organization may show only its view, in which 1 to 3 are busy times.
  if (schedule.busy.length === 0 && /[1-3]/.test(textAt(schedule, 'availabilityView') ?? '')) return false;
  return items.every((item: unknown) => {
    const zone = textAt(item, 'start', 'timeZone');
    return zone === undefined || zone === start.timeZone;
  });
}

interface BusyTime {
  start: string;
  end: string;
  status: string;
}

function busyTimes(schedule: unknown): BusyTime[] {
  const items = valueAt(schedule, 'scheduleItems');
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const status = textAt(item, 'status') ?? 'busy';
    const [start, end] = [textAt(item, 'start', 'dateTime'), textAt(item, 'end', 'dateTime')];
    if (start === undefined || end === undefined || status === 'free' || status === 'workingElsewhere')
      return [];
    return [{ start: start.slice(0, 19), end: end.slice(0, 19), status }];
  });
}

function gaps(busy: readonly BusyTime[], { start, end }: WallSpan): { start: string; end: string }[] {
  const free: { start: string; end: string }[] = [];
  let from = start.dateTime.slice(0, 19);
  const until = end.dateTime.slice(0, 19);
  for (const time of busy.toSorted((one, other) => (one.start < other.start ? -1 : 1))) {
    if (time.start > from) free.push({ start: from, end: time.start < until ? time.start : until });
    if (time.end > from) from = time.end;
    if (from >= until) return free;
  }
  return [...free, { start: from, end: until }];
}

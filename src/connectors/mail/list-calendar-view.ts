/**
 * mail_list_calendar_view, mail_list_shared_calendar_view and mail_list_calendar_event_occurrences: one GET each, whose
 * bounds are instants.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-calendarview
 * @see https://learn.microsoft.com/en-us/graph/api/event-list-instances
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get, queryOf } from '../provider-call.ts';
import { instantText, readSpan, zoneHeaders, type SpanInput } from './calendar-span.ts';

/** Members of an event, without its text, which can be long; bodyPreview has its beginning. */
const MEMBERS = [
  'id',
  'subject',
  'bodyPreview',
  'start',
  'end',
  'isAllDay',
  'location',
  'organizer',
  'attendees',
  'responseStatus',
  'type',
  'seriesMasterId',
  'isCancelled',
  'showAs',
  'sensitivity',
  'categories',
  'onlineMeeting',
  'webLink',
].join(',');

interface ViewInput extends SpanInput {
  filter?: string | undefined;
  skip?: number | undefined;
  top?: number | undefined;
}

export const listCalendarView: ToolHandler<ToolInputs['mail_list_calendar_view']> = {
  check: (input) => [...spanViolations(input), ...pathViolations(input.calendar_id, 'calendar_id')],
  call: async ({ input, http }) => {
    const { calendar_id: id } = input;
    const calendar = id === undefined ? '' : `/calendars/${pathSegment(id, 'calendar_id')}`;
    return http.send(request(`/v1.0/me${calendar}/calendarView`, input));
  },
};

/** The main calendar of another person. */
export const listSharedCalendarView: ToolHandler<ToolInputs['mail_list_shared_calendar_view']> = {
  check: (input) => [...spanViolations(input), ...pathViolations(input.user, 'user')],
  call: async ({ input, http }) =>
    http.send(request(`/v1.0/users/${pathSegment(input.user, 'user')}/calendar/calendarView`, input)),
};

export const listCalendarEventOccurrences: ToolHandler<ToolInputs['mail_list_calendar_event_occurrences']> = {
  check: (input) => [...spanViolations(input), ...pathViolations(input.event_id, 'event_id')],
  call: async ({ input, http }) =>
    http.send(request(`/v1.0/me/events/${pathSegment(input.event_id, 'event_id')}/instances`, input)),
};

function spanViolations(input: SpanInput): FieldViolation[] {
  const violations: FieldViolation[] = [];
  readSpan(input, violations);
  return violations;
}

function request(path: string, input: ViewInput) {
  const span = readSpan(input, []);
  const query = queryOf({
    startDateTime: span && instantText(span.start),
    endDateTime: span && instantText(span.end),
    $select: MEMBERS,
    $filter: input.filter,
    $orderby: 'start/dateTime',
    $top: input.top,
    $skip: input.skip,
  });
  return { ...get(path, query), headers: zoneHeaders(input) };
}

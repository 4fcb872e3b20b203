/**
 * The tools that answer or pass on an invitation: one POST each, whose answer is empty.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/event-decline
 * @see https://learn.microsoft.com/en-us/graph/api/event-tentativelyaccept
 * @see https://learn.microsoft.com/en-us/graph/api/event-forward
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { given, post } from '../provider-call.ts';
import { readTime, type CalendarTime } from './calendar-time.ts';
import { recipients } from './message-body.ts';

type DeclineInput = ToolInputs['mail_decline_calendar_event'];

export const declineCalendarEvent: ToolHandler<DeclineInput> = answer('decline', 'declined');

export const tentativelyAcceptCalendarEvent: ToolHandler<DeclineInput> = answer(
  'tentativelyAccept',
  'tentativelyAccepted',
);

export const forwardCalendarEvent: ToolHandler<ToolInputs['mail_forward_calendar_event']> = {
  check: ({ event_id, to }) => {
    const violations = pathViolations(event_id, 'event_id');
    recipients('to', to, violations);
    return violations;
  },
  call: async ({ input: { event_id, to, comment }, http }) => {
    await http.send(
      post(`${pathOf(event_id)}/forward`, given({ comment, toRecipients: recipients('to', to, []) })),
    );
    return { sent: true, note: 'Outlook gives no id for an invitation that is sent on.' };
  },
};

function answer(action: string, response: string): ToolHandler<DeclineInput> {
  return {
    check: (input) => [...pathViolations(input.event_id, 'event_id'), ...proposal(input).violations],
    call: async ({ input, http }) => {
      const { event_id, comment, send_response: sendResponse } = input;
      const { proposedNewTime } = proposal(input);
      await http.send(
        post(`${pathOf(event_id)}/${action}`, given({ comment, sendResponse, proposedNewTime })),
      );
      return { response };
    },
  };
}

/** Another time as Graph takes it, which only an answer that is sent can propose. */
function proposal({
  send_response,
  proposed_start,
  proposed_end,
  proposed_timezone,
}: Partial<DeclineInput>): {
  proposedNewTime?: JsonObject;
  violations: FieldViolation[];
} {
  if (proposed_start === undefined || proposed_end === undefined) return { violations: [] };
  const violations: FieldViolation[] = [];
  if (send_response === false)
    violations.push(
      violation('send_response', 'Must be true with another time, which nobody would see.', 'require_value'),
    );
  const start = time('proposed_start', proposed_start, proposed_timezone, violations);
  const end = time('proposed_end', proposed_end, proposed_timezone, violations);
  if (start === undefined || end === undefined) return { violations };
  return { proposedNewTime: { start, end }, violations };
}

function time(
  field: string,
  text: string,
  zone: string | undefined,
  violations: FieldViolation[],
): CalendarTime | undefined {
  const read = readTime(text, zone, false);
  if (read !== undefined) return read.time;
  violations.push(
    violation(
      field,
      'Must be a time such as 2026-12-01T09:00:00, of proposed_timezone, or with an offset.',
      'format',
    ),
  );
  return undefined;
}

function pathOf(id: string): string {
  return `/v1.0/me/events/${pathSegment(id, 'event_id')}`;
}

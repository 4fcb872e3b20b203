/**
 * mail_create_calendar_event: one POST. Not retried without an answer: the first may have succeeded.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-post-events
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { post } from '../provider-call.ts';
import { eventBody } from './event-body.ts';

export const createCalendarEvent: ToolHandler<ToolInputs['mail_create_calendar_event']> = {
  check: (event) => eventBody(event).violations,
  call: async ({ input, http }) => http.send(post('/v1.0/me/events', eventBody(input).body)),
};

/**
 * mail_update_calendar_event: one PATCH with what was given and nothing else.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/event-update
 */
import { pathSegment } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { invalidField } from '../../core/errors.ts';
import { patch } from '../provider-call.ts';
import { eventBody } from './event-body.ts';

export const updateCalendarEvent: ToolHandler = async ({ input, http }) => {
  const { event_id, ...changes } = input;
  const path = `/v1.0/me/events/${pathSegment(String(event_id), 'event_id')}`;
  const body = eventBody(changes);
  if (Object.keys(body).length === 0)
    throw invalidField('', 'Give at least one parameter beside event_id: nothing would change.', 'require');
  return http.send(patch(path, body));
};

/**
 * mail_update_calendar_event: one PATCH with the given values only.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/event-update
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { patch } from '../provider-call.ts';
import { eventBody } from './event-body.ts';

const NOTHING_TO_CHANGE = violation(
  '',
  'Give at least one parameter beside event_id: nothing would change.',
  'require',
);

export const updateCalendarEvent: ToolHandler<ToolInputs['mail_update_calendar_event']> = {
  check: ({ event_id, ...changes }) => {
    const ofPath = pathViolations(event_id, 'event_id');
    if (ofPath.length > 0) return ofPath;
    const { body, violations } = eventBody(changes);
    return violations.length === 0 && Object.keys(body).length === 0 ? [NOTHING_TO_CHANGE] : violations;
  },
  call: async ({ input, http }) => {
    const { event_id, ...changes } = input;
    const path = `/v1.0/me/events/${pathSegment(event_id, 'event_id')}`;
    return http.send(patch(path, eventBody(changes).body));
  },
};

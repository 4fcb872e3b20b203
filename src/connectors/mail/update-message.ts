/**
 * mail_update_message: one PATCH with the given values only.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/message-update
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { given, patch } from '../provider-call.ts';
import { emptyChange } from './empty-change.ts';

export const updateMessage: ToolHandler<ToolInputs['mail_update_message']> = {
  check: ({ message_id, ...changes }) => [
    ...pathViolations(message_id, 'message_id'),
    ...emptyChange(changes, 'message_id'),
  ],
  call: async ({ input, http }) => {
    const { message_id: id, is_read, flag_status, importance, categories, inference_classification } = input;
    const body = given({
      isRead: is_read,
      flag: flag_status && { flagStatus: flag_status },
      importance,
      categories,
      inferenceClassification: inference_classification,
    });
    return http.send(patch(`/v1.0/me/messages/${pathSegment(id, 'message_id')}`, body));
  },
};

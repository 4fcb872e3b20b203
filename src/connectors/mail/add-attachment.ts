/**
 * mail_add_attachment: one POST with the whole file.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/message-post-attachments
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs.ts';
import { post } from '../provider-call.ts';
import { attachmentBody, sizeViolations, type FileInput } from './attachment-bodies.ts';

export const addAttachment: ToolHandler<ToolInputs['mail_add_attachment']> = {
  check: ({ message_id, ...file }) => [...pathViolations(message_id, 'message_id'), ...read(file).violations],
  call: async ({ input, http }) => {
    const { message_id: id, ...file } = input;
    const path = `/v1.0/me/messages/${pathSegment(id, 'message_id')}/attachments`;
    return http.send(post(path, read(file).body));
  },
};

/** A rule of the tool says that exactly one content is given. */
function read(file: FileInput): { body: JsonObject; violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  if ((file.text === undefined) === (file.content_base64 === undefined)) return { body: {}, violations };
  const body = attachmentBody(file, '', violations) ?? {};
  const field = file.text === undefined ? 'content_base64' : 'text';
  if (violations.length === 0) violations.push(...sizeViolations([body], field));
  return { body, violations };
}

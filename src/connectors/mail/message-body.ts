/**
 * The body of a message as Graph takes it, from the flat parameters of the tools: only given values, with all violations
 * at once. Pure.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/resources/message
 */
import type { JsonObject } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import { given } from '../provider-call.ts';
import { attachmentBodies, type FileInput } from './attachment-bodies.ts';
import { emailAddress } from './email-address.ts';

/** Parameters of a message, as tools that write one have them. */
export interface MessageInput {
  subject?: string | undefined;
  body?: string | undefined;
  body_type?: string | undefined;
  to?: readonly string[] | undefined;
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
  reply_to?: readonly string[] | undefined;
  importance?: string | undefined;
  attachments?: readonly FileInput[] | undefined;
}

/** Most recipients of one message, of all kinds together. */
const MAX_RECIPIENTS = 500;

/** The answer of a sending tool. Graph accepts a message with an empty answer. */
export const SENT = {
  sent: true,
  note: 'Outlook gives no id for a message that is sent. It is in the folder sentitems.',
} as const;

/** The body of a message without its invalid values, and all violations. */
export function messageBody(input: MessageInput): { body: JsonObject; violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const body = given({
    subject: input.subject,
    body:
      input.body === undefined ? undefined : { contentType: input.body_type ?? 'text', content: input.body },
    toRecipients: recipients('to', input.to, violations),
    ccRecipients: recipients('cc', input.cc, violations),
    bccRecipients: recipients('bcc', input.bcc, violations),
    replyTo: recipients('reply_to', input.reply_to, violations),
    importance: input.importance,
    attachments: attachmentBodies(input.attachments, violations),
  });
  const count = [input.to, input.cc, input.bcc].reduce((sum, list = []) => sum + list.length, 0);
  if (count > MAX_RECIPIENTS)
    violations.push(
      violation('to', `There are ${count} recipients; Outlook takes at most ${MAX_RECIPIENTS}.`, 'max_items'),
    );
  return { body, violations };
}

/**
 * Recipients as Graph takes them.
 *
 * @param violations collects the problems
 * @returns `undefined` if not given
 */
export function recipients(
  field: string,
  entries: readonly string[] | undefined,
  violations: FieldViolation[],
): JsonObject[] | undefined {
  return entries?.flatMap((entry, i) => {
    const address = emailAddress(entry);
    if (address !== undefined) return [{ emailAddress: address }];
    violations.push(
      violation(`${field}[${i}]`, 'Must be an email address, such as ada@example.com.', 'format'),
    );
    return [];
  });
}

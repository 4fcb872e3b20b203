/**
 * The tools that write or send a message: one POST or PATCH each. Sending is not retried without an answer: the first
 * may have succeeded, and Graph has no way to ask.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-sendmail
 * @see https://learn.microsoft.com/en-us/graph/api/message-reply
 * @see https://learn.microsoft.com/en-us/graph/api/message-forward
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { membersOf } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { given, patch, post } from '../provider-call.ts';
import { emptyChange } from './empty-change.ts';
import { mailboxPath } from './list-messages.ts';
import { messageBody, SENT, type MessageInput } from './message-body.ts';

export const sendMessage: ToolHandler<ToolInputs['mail_send_message']> = {
  check: (input) => [...messageBody(input).violations, ...pathViolations(input.mailbox, 'mailbox')],
  call: async ({ input, http }) => {
    const { body } = messageBody(input);
    await http.send(post(`${mailboxPath(input.mailbox)}/sendMail`, { message: body }));
    return SENT;
  },
};

export const createDraft: ToolHandler<ToolInputs['mail_create_draft']> = {
  check: (input) => messageBody(input).violations,
  call: async ({ input, http }) => http.send(post('/v1.0/me/messages', messageBody(input).body)),
};

export const updateDraft: ToolHandler<ToolInputs['mail_update_draft']> = {
  check: ({ message_id, ...changes }) => [
    ...pathViolations(message_id, 'message_id'),
    ...messageBody(changes).violations,
    ...emptyChange(changes, 'message_id'),
  ],
  call: async ({ input, http }) => http.send(patch(pathOf(input), messageBody(input).body)),
};

export const replyToMessage: ToolHandler<ToolInputs['mail_reply_to_message']> = {
  check: answerViolations,
  call: async ({ input, http }) => {
    await http.send(post(`${pathOf(input)}/${input.reply_all ? 'replyAll' : 'reply'}`, answerBody(input)));
    return SENT;
  },
};

export const forwardMessage: ToolHandler<ToolInputs['mail_forward_message']> = {
  check: answerViolations,
  call: async ({ input, http }) => {
    await http.send(post(`${pathOf(input)}/forward`, forwardBody(input)));
    return SENT;
  },
};

export const createForwardDraft: ToolHandler<ToolInputs['mail_create_forward_draft']> = {
  check: answerViolations,
  call: async ({ input, http }) => http.send(post(`${pathOf(input)}/createForward`, forwardBody(input))),
};

interface AnswerInput extends Pick<MessageInput, 'to' | 'cc' | 'bcc'> {
  message_id?: string;
  comment?: string | undefined;
}

function answerViolations({ message_id, to, cc, bcc }: AnswerInput): FieldViolation[] {
  return [...pathViolations(message_id, 'message_id'), ...messageBody({ to, cc, bcc }).violations];
}

/** The body of an answer. A comment keeps the quoted history; a body of its own would replace it. */
function answerBody({ comment, to, cc, bcc }: AnswerInput): JsonObject {
  const { body } = messageBody({ to, cc, bcc });
  return given({ comment, message: Object.keys(body).length === 0 ? undefined : body });
}

/** The body of a forwarded message. Graph accepts the new recipients in one place only. */
function forwardBody(input: AnswerInput): JsonObject {
  const { to, ...others } = input;
  const { toRecipients } = messageBody({ to }).body;
  const more = answerBody(others);
  return more.message === undefined || toRecipients === undefined
    ? given({ ...more, toRecipients })
    : { ...more, message: { toRecipients, ...membersOf(more.message) } };
}

function pathOf({ message_id: id }: { message_id: string }): string {
  return `/v1.0/me/messages/${pathSegment(id, 'message_id')}`;
}

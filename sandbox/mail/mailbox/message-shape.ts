/** The accepted bodies of requests about messages, as strict as the provider's description. */
import { z } from 'zod';
import { readMembers } from '../event-shape.ts';
import type { Address } from '../model.ts';
import type { Attachment, MessageChange } from './model.ts';

const recipient = z.strictObject({
  emailAddress: z.strictObject({ address: z.string(), name: z.string().optional() }),
});
/** People whom a request names. */
export const recipients = z.array(recipient);

/** A file as a request carries it. */
export const attachment = z.strictObject({
  '@odata.type': z.literal('#microsoft.graph.fileAttachment'),
  name: z.string(),
  contentType: z.string().default('application/octet-stream'),
  isInline: z.boolean().default(false),
  contentId: z.string().optional(),
  contentBytes: z.base64(),
});

const message = z.strictObject({
  subject: z.string().optional(),
  body: z
    .strictObject({ contentType: z.enum(['text', 'html']).default('text'), content: z.string() })
    .optional(),
  toRecipients: recipients.optional(),
  ccRecipients: recipients.optional(),
  bccRecipients: recipients.optional(),
  replyTo: recipients.optional(),
  importance: z.enum(['low', 'normal', 'high']).optional(),
  isRead: z.boolean().optional(),
  categories: z.array(z.string()).optional(),
  flag: z.strictObject({ flagStatus: z.enum(['notFlagged', 'flagged', 'complete']) }).optional(),
  inferenceClassification: z.enum(['focused', 'other']).optional(),
  attachments: z.array(attachment).optional(),
});

/** Folder that a message is moved to. */
export const destination = z.strictObject({ destinationId: z.string() });

const mail = z.strictObject({ message, saveToSentItems: z.boolean().default(true) });
const answer = z.strictObject({ comment: z.string().optional(), message: message.optional() });
const forward = answer.extend({ toRecipients: recipients.optional() });

/** @throws MailRefusal 400 */
export function readMessage(body: unknown): MessageChange {
  return changeOf(readMembers(message, body, 'message'));
}

/** @throws MailRefusal 400 */
export function readMail(body: unknown): { change: MessageChange; isKept: boolean } {
  const { message: given, saveToSentItems: isKept } = readMembers(mail, body, 'sendMail');
  return { change: changeOf(given), isKept };
}

/** @throws MailRefusal 400 */
export function readAnswer(body: unknown): { comment: string; change: MessageChange } {
  const { comment = '', message: given = {}, toRecipients } = readMembers(forward, body, 'reply');
  const change = changeOf(given);
  return {
    comment,
    change: toRecipients === undefined ? change : { ...change, to: toRecipients.map(addressOf) },
  };
}

function changeOf(given: z.infer<typeof message>): MessageChange {
  const { toRecipients, ccRecipients, bccRecipients, replyTo, flag, inferenceClassification, attachments } =
    given;
  const all = {
    subject: given.subject,
    body: given.body,
    importance: given.importance,
    isRead: given.isRead,
    categories: given.categories,
    to: toRecipients?.map(addressOf),
    cc: ccRecipients?.map(addressOf),
    bcc: bccRecipients?.map(addressOf),
    replyTo: replyTo?.map(addressOf),
    flag: flag?.flagStatus,
    inference: inferenceClassification,
    attachments: attachments?.map(fileOf),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as MessageChange;
}

function fileOf(
  { name, contentType, isInline, contentBytes }: z.infer<typeof attachment>,
  i: number,
): Attachment {
  const id = `AAMkAGI2TG9/attachment-${i}-${Buffer.from(name).toString('base64')}`;
  return { id, name, contentType, isInline, contentBytes };
}

function addressOf({ emailAddress: { address, name } }: z.infer<typeof recipient>): Address {
  return { address, name: name ?? address };
}

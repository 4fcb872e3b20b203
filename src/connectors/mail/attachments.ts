/**
 * mail_get_attachment and mail_add_attachment. Reading first asks what an attachment is and how large, then for its
 * content if it can be read as text. A file is added with one POST.
 *
 * A model cannot use the bytes of other files. Callers that can get them in `contentBytes`, as Graph has them.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/attachment-get
 * @see https://learn.microsoft.com/en-us/graph/api/message-post-attachments
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { ServiceError, type FieldViolation } from '../../core/errors.ts';
import { membersOf, valueAt } from '../../core/json.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get, post } from '../provider-call.ts';
import {
  attachmentBody,
  kilobytes,
  MAX_FILE,
  MAX_FILE_BYTES,
  sizeViolations,
  type FileInput,
} from './attachment-bodies.ts';

const MEMBERS = 'id,name,contentType,size,isInline,lastModifiedDateTime';

/** Types whose content is text although their name does not begin with `text/`. */
const TEXT_TYPE = /^text\/|[/+](json|xml|yaml|csv)\b|javascript/i;

const TEXT_NAME = /\.(txt|csv|tsv|md|json|xml|ya?ml|html?|ics|vcf|log|eml|sql)$/i;

export const getAttachment: ToolHandler<ToolInputs['mail_get_attachment']> = {
  check: ({ message_id, attachment_id }) => [
    ...pathViolations(message_id, 'message_id'),
    ...pathViolations(attachment_id, 'attachment_id'),
  ],
  call: async ({ input, http }) => {
    const message = pathSegment(input.message_id, 'message_id');
    const path = `/v1.0/me/messages/${message}/attachments/${pathSegment(input.attachment_id, 'attachment_id')}`;
    const about = await http.send(get(path, [['$select', MEMBERS]]));
    const kind = textAt(about, '@odata.type') ?? '';
    if (kind.endsWith('referenceAttachment'))
      return {
        ...membersOf(about),
        notice:
          'This is a link to a file in the cloud, which cannot be read here. Its owner opens it in Outlook.',
      };
    requireSmall(Number(valueAt(about, 'size') ?? 0));
    if (kind.endsWith('itemAttachment'))
      return withItem(await http.send(get(path, [['$expand', 'microsoft.graph.itemAttachment/item']])));
    return withText(await http.send(get(path)));
  },
};

/** @throws ServiceError TOO_LARGE */
function requireSmall(bytes: number): void {
  if (!(bytes > MAX_FILE_BYTES)) return;
  throw new ServiceError(
    'TOO_LARGE',
    `The attachment has ${kilobytes(bytes)}; at most ${MAX_FILE} are read in a call. Its owner opens it in Outlook.`,
  );
}

function withText(answer: unknown): JsonObject {
  const file = membersOf(answer);
  const bytes = Buffer.from(textAt(answer, 'contentBytes') ?? '', 'base64');
  const isText =
    TEXT_TYPE.test(textAt(answer, 'contentType') ?? '') || TEXT_NAME.test(textAt(answer, 'name') ?? '');
  const text = isText ? decoded(bytes) : undefined;
  if (text !== undefined) return { ...file, text };
  return {
    ...file,
    notice: 'This file is not text, so only its name and size are shown. Its owner opens it in Outlook.',
  };
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Text in an older encoding, such as that of Windows: every byte is a character there.
    return bytes.includes(0) ? undefined : new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A message or event inside a message: its subject and text. */
function withItem(answer: unknown): JsonObject {
  const lines = [textAt(answer, 'item', 'subject'), textAt(answer, 'item', 'body', 'content')];
  const text = lines.filter((line) => line !== undefined).join('\n\n');
  return { ...membersOf(answer), text };
}

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

/**
 * mail_list_messages: one GET, newest first. With a filter Graph wants the properties of the order at its beginning;
 * otherwise it answers `InefficientFilter`.
 *
 * @see https://learn.microsoft.com/en-us/graph/api/user-list-messages
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get, queryOf } from '../provider-call.ts';
import { instantText } from './calendar-span.ts';
import { instantOf, readTime } from './calendar-time.ts';

/** Members of a message, without its text, which can be long; bodyPreview has its beginning. */
export const MESSAGE_MEMBERS = [
  'id',
  'subject',
  'from',
  'toRecipients',
  'receivedDateTime',
  'isRead',
  'isDraft',
  'hasAttachments',
  'importance',
  'categories',
  'flag',
  'conversationId',
  'bodyPreview',
  'parentFolderId',
  'webLink',
].join(',');

/** A time before any message, for a condition that all messages meet. */
const BEGINNING = '1900-01-01T00:00:00Z';

type MessagesInput = ToolInputs['mail_list_messages'];

export const listMessages: ToolHandler<MessagesInput> = {
  check: (input) => {
    const violations: FieldViolation[] = [];
    received('received_after', input, violations);
    received('received_before', input, violations);
    return [
      ...violations,
      ...pathViolations(input.folder, 'folder'),
      ...pathViolations(input.mailbox, 'mailbox'),
    ];
  },
  call: async ({ input, http }) =>
    http.send(
      get(
        messagesPath(input),
        queryOf({
          $select: MESSAGE_MEMBERS,
          $filter: filterOf(input),
          $orderby: 'receivedDateTime desc',
          $top: input.top,
          $skip: input.skip,
        }),
      ),
    ),
};

/** Path of a mailbox: the account's own, or that of an address. */
export function mailboxPath(mailbox: string | undefined): string {
  return mailbox === undefined ? '/v1.0/me' : `/v1.0/users/${pathSegment(mailbox, 'mailbox')}`;
}

/** Path of the messages of a folder. @param at.folder id or well-known name; `all` for the whole mailbox */
export function messagesPath({ folder, mailbox }: { folder: string; mailbox?: string }): string {
  const within = folder === 'all' ? '' : `/mailFolders/${pathSegment(folder, 'folder')}`;
  return `${mailboxPath(mailbox)}${within}/messages`;
}

function filterOf(input: Partial<MessagesInput>): string | undefined {
  const after = received('received_after', input, []);
  const before = received('received_before', input, []);
  const { unread_only, from, has_attachments, filter } = input;
  const conditions = [
    ...(before === undefined ? [] : [`receivedDateTime lt ${before}`]),
    ...(unread_only === true ? ['isRead eq false'] : []),
    ...(from === undefined ? [] : [`from/emailAddress/address eq '${from.replaceAll("'", "''")}'`]),
    ...(has_attachments === undefined ? [] : [`hasAttachments eq ${has_attachments}`]),
    ...(filter === undefined ? [] : [`(${filter})`]),
  ];
  if (after === undefined && conditions.length === 0) return undefined;
  return [`receivedDateTime ge ${after ?? BEGINNING}`, ...conditions].join(' and ');
}

/** A time in the form of OData; `undefined` if it is not given, or invalid. */
function received(
  field: 'received_after' | 'received_before',
  input: Partial<MessagesInput>,
  violations: FieldViolation[],
): string | undefined {
  const text = input[field];
  if (text === undefined) return undefined;
  const read = readTime(text, 'UTC', true);
  const instant = read && instantOf(read.time);
  if (instant !== undefined) return instantText(instant);
  const description =
    'Must be a date, or a time such as 2026-12-01T09:00:00+01:00; without an offset it is UTC.';
  violations.push(violation(field, description, 'format'));
  return undefined;
}

/**
 * mail_search_messages: one GET with `$search`, which Graph refuses together with `$filter` and `$orderby`.
 *
 * @see https://learn.microsoft.com/en-us/graph/search-query-parameter
 */
import { pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/mail.ts';
import { get, queryOf } from '../provider-call.ts';
import { MESSAGE_MEMBERS, messagesPath } from './list-messages.ts';

export const searchMessages: ToolHandler<ToolInputs['mail_search_messages']> = {
  check: ({ cursor, folder, mailbox }) => [
    ...(cursor !== undefined && startOf(cursor) === undefined
      ? [violation('cursor', 'Must be what the page before says, or its `@odata.nextLink`.', 'format')]
      : []),
    ...pathViolations(folder, 'folder'),
    ...pathViolations(mailbox, 'mailbox'),
  ],
  call: async ({ input, http }) => {
    const { query, cursor, top } = input;
    const start = cursor === undefined ? {} : startOf(cursor);
    const options = { $search: quotedSearch(query), $select: MESSAGE_MEMBERS, $top: top, ...start };
    return http.send(get(messagesPath(input), queryOf(options)));
  },
};

/** The text of a search as Graph takes it: between quotes, with those inside escaped. */
export function quotedSearch(query: string): string {
  return `"${query.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/**
 * The query option for the start of a page, from the token in a link to it or from the token alone. The rest of a
 * link is never followed, because it could lead to anything that the account may read.
 */
function startOf(cursor: string): Readonly<Record<string, string>> | undefined {
  if (!URL.canParse(cursor)) return /^[\w+/=.~-]+$/.test(cursor) ? { $skiptoken: cursor } : undefined;
  const [name = '', value = ''] =
    [...new URL(cursor).searchParams].find(([option]) => /^\$skip(token)?$/i.test(option)) ?? [];
  return value === '' ? undefined : { [name.toLowerCase()]: value };
}

/** Calls as a table: on the page of calls, and the latest ones on the overview. */
import { html } from 'hono/html';
import type { ExecutionView } from '../../../executor/execution-list.ts';
import { tag } from '../../components/badge.ts';
import { codeName, duration, shortId, time } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Html, Text } from '../../frame/html.ts';
import { calls as words } from '../../words/calls.ts';
import { outcomeBadge } from './outcome.ts';

/** Where the calls are. */
export const CALLS_PATH = '/dashboard/calls';

/** @param caption names the table for screen readers */
export function callTable(caption: string, calls: readonly ExecutionView[]): Html {
  const { columns } = words;
  return table<ExecutionView>(
    caption,
    [
      {
        label: columns.tool,
        cell: (call) =>
          nameCell({
            href: `${CALLS_PATH}/${call.execution_id}`,
            name: codeName(call.tool_name),
            detail: call.connector ?? '',
          }),
      },
      { label: columns.time, cell: (call) => time(call.at), leftOutOn: 'phone' },
      { label: columns.owner, cell: ownerOf, leftOutOn: 'tablet' },
      {
        label: columns.source,
        cell: (call) => tag(words.sources[call.source] ?? call.source),
        leftOutOn: 'tablet',
      },
      { label: columns.took, cell: (call) => duration(call.duration_ms), isNumber: true, leftOutOn: 'phone' },
      { label: columns.outcome, cell: outcomeBadge },
    ],
    calls,
  );
}

/** The user or organization of the account at the time of the call. */
export function ownerOf({ user_id: user, organization_id: organization }: ExecutionView): Text {
  const owner = user === null || user === '' ? organization : user;
  if (owner === null) return html`<span class="soft">${words.unknown}</span>`;
  return owner === '' ? html`<span class="soft">${words.noOwner}</span>` : shortId(owner);
}

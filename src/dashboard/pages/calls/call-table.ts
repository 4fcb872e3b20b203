/** Calls as a table: on the page of calls, and the latest ones on the overview. */
import { html } from 'hono/html';
import type { ExecutionView } from '../../../executor/execution-list.ts';
import { namesOf, type Named, type NameServices } from '../../access/names.ts';
import { tag } from '../../components/badge.ts';
import { codeName, duration, shortId, time } from '../../components/format.ts';
import { nameCell, table } from '../../components/table.ts';
import type { Viewer } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { calls as words } from '../../words/calls.ts';
import { outcomeBadge } from './outcome.ts';

/** Path of the list of calls. */
export const CALLS_PATH = '/dashboard/calls';

/** Names of the owners of calls, as far as the viewer may know them. */
export async function ownersOf(
  services: NameServices,
  viewer: Viewer,
  calls: readonly ExecutionView[],
): Promise<ReadonlyMap<string, Named>> {
  const ids = calls.flatMap(({ user_id, organization_id }) => [user_id, organization_id]);
  return namesOf(
    services,
    viewer,
    ids.filter((id) => id !== null),
  );
}

/**
 * The calls in their order.
 *
 * @param caption names the table for screen readers
 * @param owners of `ownersOf`
 */
export function callTable(
  caption: string,
  calls: readonly ExecutionView[],
  owners: ReadonlyMap<string, Named>,
): Html {
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
      { label: columns.time, cell: (call) => time(call.at), leftOutOn: 'phone', order: 'descending' },
      { label: columns.owner, cell: (call) => ownerOf(call, owners), leftOutOn: 'tablet' },
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

/** The user or organization of the account at the time of the call, by name where it is known. */
export function ownerOf(
  { user_id: user, organization_id: organization }: ExecutionView,
  owners: ReadonlyMap<string, Named>,
): Text {
  const owner = user === null || user === '' ? organization : user;
  if (owner === null) return html`<span class="soft">${words.unknown}</span>`;
  if (owner === '') return html`<span class="soft">${words.noOwner}</span>`;
  const known = owners.get(owner);
  if (known === undefined) return shortId(owner);
  const name = html`<bdi title="${owner}">${known.name}</bdi>`;
  return known.href === undefined ? name : html`<a class="link" href="${known.href}">${name}</a>`;
}

/** Invitations to an organization: the latest ones, or a page of all. */
import type { InvitationView } from '../../../people/invitation-views.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { badge, type Tone } from '../../components/badge.ts';
import { card, empty, link } from '../../components/card.ts';
import { actionButton } from '../../components/form.ts';
import { time, isolated } from '../../components/format.ts';
import { paging, table, type Column } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html } from '../../frame/html.ts';
import { organizations as words } from '../../words/organizations.ts';
import { ORGANIZATIONS } from './paths.ts';

/** Number shown on the page of the organization. */
const LATEST = 10;

const TONES: Readonly<Record<InvitationView['status'], Tone>> = {
  pending: 'wait',
  accepted: 'ok',
  revoked: 'idle',
  expired: 'idle',
};

/** The card. @param of.isWhole shows all of them in pages, on a page of its own */
export async function invitationsCard(
  { invitations }: Pick<DashboardDependencies, 'invitations'>,
  c: DashboardContext,
  { organizationId, isWhole = false }: { organizationId: string; isWhole?: boolean },
): Promise<Html> {
  const query = new URL(c.req.url).searchParams;
  const { caller } = c.get('viewer');
  const path = `${ORGANIZATIONS}/${organizationId}/invitations`;
  const { invitations: listed, ...links } = await invitations.list(
    caller,
    organizationId,
    isWhole ? { pageToken: query.get('page_token') ?? undefined } : { pageSize: LATEST },
  );
  const { title, none, all } = words.invitations;
  return card({
    id: 'invitations',
    title,
    ...(!isWhole && links.next_page_token !== '' && { action: link(path, all) }),
    content: listed.length === 0 ? empty(none) : table(title, columns(c, path), listed),
    ...(isWhole && { foot: paging(path, query, links) }),
  });
}

function columns(c: DashboardContext, path: string): Column<InvitationView>[] {
  const { columns: labels, statuses, revoke } = words.invitations;
  return [
    { label: labels.email, cell: ({ email }) => isolated(email) },
    { label: labels.role, cell: ({ role }) => words.roles[role], leftOutOn: 'phone' },
    { label: labels.status, cell: ({ status }) => badge(TONES[status], statuses[status]) },
    { label: labels.until, cell: ({ expiry }) => time(expiry), leftOutOn: 'tablet' },
    {
      label: labels.act,
      cell: ({ id, status }) =>
        status === 'pending' ? actionButton(c, `${path}/${id}/revoke`, revoke, { kind: 'small danger' }) : '',
    },
  ];
}

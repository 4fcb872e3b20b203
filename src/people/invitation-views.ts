/** How invitations look to callers, and to the person who opens the link. Pure. */
import type { Role } from '../core/caller.ts';
import { toTimestamp } from '../core/clock.ts';
import type { Mail } from './mailer.ts';
import type { Invitation } from '../store/tables/people-tables.ts';

/** An invitation as the API shows it. The token of its link is never among it. */
export interface InvitationView {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** `cred_…`, `usr_…` or `local`. */
  invited_by: string;
  created_at: string;
  /** Until when the link can be used. */
  expiry: string;
}

/** What the page of a link that can be used shows. */
export interface InvitationOffer {
  id: string;
  organization: { id: string; name: string };
  /** Who is invited. */
  email: string;
  role: Role;
  /** Unix milliseconds. */
  expiresAt: number;
  /** There is a user with this address. */
  isKnown: boolean;
}

/** @param now Unix milliseconds: an invitation that waits may have expired by then */
export function toInvitationView(row: Invitation, now: number): InvitationView {
  return {
    id: row.id,
    organization_id: row.organization_id,
    email: row.email,
    role: row.role,
    status: statusOf(row, now),
    invited_by: row.invited_by,
    created_at: toTimestamp(row.created_at),
    expiry: toTimestamp(row.expires_at),
  };
}

/** The mail that brings the link: plain text, in which nothing is a link but ours. */
export function invitationMail(row: Invitation, organizationName: string, link: string): Mail {
  const name = withoutLinks(organizationName);
  return {
    environmentId: row.environment_id,
    to: row.email,
    subject: `Invitation to ${name}`,
    text: [
      `You are invited to join ${name}.`,
      '',
      `Open this link until ${toTimestamp(row.expires_at)} to accept:`,
      link,
      '',
      'If you do not know why you are invited, do nothing.',
      '',
    ].join('\n'),
  };
}

/** Mail programs make links of what looks like an address, and anybody may have named the organization. */
function withoutLinks(name: string): string {
  return name.replaceAll(/\p{Bidi_Control}/gu, '').replaceAll(/[.:@\u3002\uff0e\uff61](?=\S)/gu, '$& ');
}

/** Whether the link can still be used. */
export function isPending(row: Invitation, now: number): boolean {
  return statusOf(row, now) === 'pending';
}

function statusOf(row: Invitation, now: number): InvitationView['status'] {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at > now ? 'pending' : 'expired';
}

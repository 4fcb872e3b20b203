/** Views of invitations for callers, and for the user who opens the link. Pure. */
import type { Role } from '../core/caller.ts';
import { toTimestamp } from '../core/clock.ts';
import type { Mail } from './mailer.ts';
import type { Invitation } from '../store/tables/people-tables.ts';

/** An invitation as the API shows it. Never contains the token of its link. */
export interface InvitationView {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** `cred_…`, `usr_…` or `local`. */
  invited_by: string;
  created_at: string;
  /** End of the link's validity. */
  expiry: string;
}

/** Data of the page of a usable link. */
export interface InvitationOffer {
  id: string;
  organization: { id: string; name: string };
  /** The invited address. */
  email: string;
  role: Role;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Whether a user with this address exists. */
  isKnown: boolean;
}

/** @param now Unix milliseconds: a pending invitation may have expired by then */
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

/** The mail with the link: plain text without any other link. */
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

/** Mail programs turn text that looks like an address into a link, and anybody may have named the organization. */
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

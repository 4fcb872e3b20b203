/** Connect links as the program sees them, made from rows of the table `links`. */
import type { VerificationMode } from '../../core/environment.ts';
import type { ReadForm } from '../tables/column-types.ts';
import type { LinkTable } from '../tables/tables.ts';

/** A short-lived URL by which an owner connects an account. Its token is stored as a hash. */
export interface Link {
  /** `lnk_…` */
  id: string;
  environmentId: string;
  accountId: string;
  /** The party that confirms the connection; fixed when the link is made. */
  verification: VerificationMode;
  /** Set in mode `app`. */
  userVerifyUrl: string | null;
  /** The caller's own opaque state, returned on the redirect to `userVerifyUrl`. */
  callerState: string | null;
  /** Scopes to ask for in addition to those of the connection. */
  scopes: readonly string[];
  /** Actor of the caller that made the link. */
  createdBy: string;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Unix milliseconds; null as long as it can be used. */
  completedAt: number | null;
  /** Name of the API credential or app that asked for it; null if it has none. */
  requester: string | null;
  /** The caller's own name for itself, if it differs; nobody has checked it. */
  requestedBy: string | null;
  /** Unix milliseconds; null unless the person declined. */
  declinedAt: number | null;
  /** The token, sealed; null if the link is not given again. */
  tokenSealed: string | null;
}

/** The link of a row. */
export function linkOf(row: ReadForm<LinkTable>): Link {
  return {
    id: row.id,
    environmentId: row.environment_id,
    accountId: row.account_id,
    verification: row.verification,
    userVerifyUrl: row.user_verify_url,
    callerState: row.caller_state,
    scopes: row.scopes,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    completedAt: row.completed_at,
    requester: row.requester,
    requestedBy: row.requested_by,
    declinedAt: row.declined_at,
    tokenSealed: row.token_sealed,
  };
}

/** Auth requests as the program sees them, made from rows of the table `auth_requests`. */
import type { AccountStatus, AuthRequestEnd } from '../../core/stored-words.ts';
import type { ReadForm } from '../tables/column-types.ts';
import type { AuthRequestTable } from '../tables/tables.ts';

/** A completed consent or form whose credentials wait for verification. */
export interface AuthRequest {
  /** `arq_…` */
  id: string;
  environmentId: string;
  accountId: string;
  linkId: string;
  /** Identifier of the account, compared at verification. */
  identifier: string;
  /** The waiting credentials; null without credentials, and after the end of the request, which erases them. */
  waitingSealed: string | null;
  /** Expiry of the waiting access token, in Unix milliseconds; null if never or unknown. */
  waitingExpiresAt: number | null;
  /** Merged into the account's api_config on activation. */
  waitingApiConfig: Readonly<Record<string, string>>;
  /** The account gets this status again if the request ends without verification. */
  statusBefore: AccountStatus;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Unix milliseconds; null as long as it is open. */
  endedAt: number | null;
  endedBy: AuthRequestEnd | null;
  /** The provider's name for the waiting account, sealed; null if unknown. */
  displayNameSealed: string | null;
  /** Hash of the cookie value of the browser that consented; null if a program before version 8 stored the request. */
  browserHash: string | null;
}

/** The auth request of a row. */
export function authRequestOf(row: ReadForm<AuthRequestTable>): AuthRequest {
  return {
    id: row.id,
    environmentId: row.environment_id,
    accountId: row.account_id,
    linkId: row.link_id,
    identifier: row.identifier,
    waitingSealed: row.waiting_sealed,
    waitingExpiresAt: row.waiting_expires_at,
    waitingApiConfig: row.waiting_api_config,
    statusBefore: row.status_before,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
    endedBy: row.ended_by,
    displayNameSealed: row.display_name_sealed,
    browserHash: row.browser_hash,
  };
}

/** Checks whether a person's token is still valid for its session, and what the person may do now. Pure. */
import {
  ORGANIZATION_SCOPES,
  PERSON_SCOPES,
  type Caller,
  type Person,
  type Role,
  type Scope,
} from '../../core/caller.ts';
import type { SessionHolder } from '../../store/tokens/token-holder-store.ts';

/** Prefix of `gid` in tokens of people. */
const SESSION_PREFIX = 'ses_';

/** The holder of a session's token, as of a few seconds ago at most. */
export interface TokenHolder {
  /** The claim `sub`, which is the session's user. */
  userId: string;
  sessionId: string;
  /** '' without an organization, and for tokens issued before the person switched to another. */
  organizationId: string;
  /** Role in that organization; `undefined` for former members. */
  role: Role | undefined;
  isOperator: boolean;
  /** An application names the person (`mcp_server`), who may have no user here and never signs in. */
  isVouchedFor: boolean;
  /** The person allowed an app to have the token; otherwise an application of the operator vouches for them. */
  isApp: boolean;
}

/** Claims of a token that are compared with its session. */
export interface SessionClaims {
  /** `gid` */
  sessionId: string;
  /** `sub` */
  subject: string;
  clientId: string;
  /** `oid`; '' without an organization. */
  organizationId: string;
  audience: readonly string[];
}

/** Whether a token stands for a session, and so for a person. */
export function isOfSession(gid: string): boolean {
  return gid.startsWith(SESSION_PREFIX);
}

/**
 * The holder of a token; `undefined` if the session ended, expired, or does not match the token. A token is bound to
 * its user, client and one resource, so the id of a session is useless with another token.
 *
 * @param now Unix milliseconds
 */
export function holderOf(
  claims: SessionClaims,
  row: SessionHolder | undefined,
  now: number,
): TokenHolder | undefined {
  if (row === undefined || row.ended_at !== null || row.expires_at <= now || row.kind === 'browser')
    return undefined;
  const isVouchedFor = row.kind === 'mcp_server';
  const isSame =
    row.user_id === claims.subject &&
    row.client_id === claims.clientId &&
    claims.audience.length === 1 &&
    claims.audience[0] === row.resource;
  if (!isSame || (row.is_operator === null && !isVouchedFor)) return undefined;
  const isMember = row.organization_id === claims.organizationId && row.role !== null;
  return {
    userId: row.user_id,
    sessionId: claims.sessionId,
    organizationId: isMember ? row.organization_id : '',
    role: isMember ? (row.role ?? undefined) : undefined,
    isOperator: row.is_operator === true,
    isVouchedFor,
    isApp: row.kind === 'client',
  };
}

/** The caller for a holder: reaches their own accounts and no others. */
export function callerOfHolder(
  holder: TokenHolder,
  token: { environmentId: string; clientId: string; scopes: ReadonlySet<string> },
  source: Caller['source'],
  ip: string,
): Caller {
  const { userId, sessionId, organizationId, role, isOperator, isVouchedFor, isApp } = holder;
  const own = { userId, organizationId: '' };
  const most: Scope[] = [...PERSON_SCOPES];
  if (isApp) most.push(...ORGANIZATION_SCOPES);
  if (isOperator && !isVouchedFor) most.push('admin');
  const person: Person = { userId, sessionId, organizationId, ...(role !== undefined && { role }) };
  return {
    ...(isVouchedFor ? { kind: 'vouched_user' } : { kind: 'person', person, isApp }),
    environmentId: token.environmentId,
    actor: isVouchedFor ? sessionId : userId,
    scopes: new Set(most.filter((scope) => token.scopes.has(scope))),
    source,
    clientId: token.clientId,
    owner: own,
    onlyOwner: own,
    ip,
  };
}

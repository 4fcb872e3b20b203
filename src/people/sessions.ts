/**
 * Sessions of every kind. Each is one row: it begins here after the customer's interceptors agreed, lives
 * longer with use, and ends once and for all.
 *
 * Does not deal with tokens (person-tokens.ts) or with how users prove who they are (sign-in/).
 */
import type { Role, Visitor } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { notFound, ServiceError } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import type { Policy } from '../interceptors/policy.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { deviceOf } from './device.ts';
import { hasOperatorRights } from './operator-rights.ts';
import { toPolicyUser } from './policy-user.ts';
import { isLiveAt, sessionEnd, toSession, type Session } from './session-rules.ts';
import type { SessionKind } from '../core/stored-words.ts';
import { asRead } from '../store/engine/row-reader.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import { membershipIn, membershipsOf } from '../store/people/membership-store.ts';
import { rows } from '../store/engine/rows.ts';
import type {
  AddedClaims,
  ConnectionDetail,
  SessionTable,
  StoredSession,
} from '../store/tables/people-tables.ts';

/** A use moves a browser session's end only if it gains this part of the lifetime: most page views write nothing. */
const WORTH_WRITING = 0.1;

/** Longer values cannot be cookies of ours. */
const MAX_COOKIE_LENGTH = 200;

/** The properties of a new session. */
export interface SessionStart {
  environmentId: string;
  kind: SessionKind;
  /** `usr_…`; for `mcp_server` also a user id that only the application knows. */
  userId: string;
  /** '' without one. */
  organizationId: string;
  /** '' for a browser. */
  clientId: string;
  /** '' for a browser; else the audience of the tokens. */
  resource: string;
  visitor: Visitor;
  /** The user's proofs of identity; empty if an application vouches for them. */
  connectionDetails: readonly ConnectionDetail[];
  /** The actor, for the audit log: the user (`usr_…`), or the credential that vouches for them. */
  actor: string;
}

/** A session that has just begun. */
export interface StartedSession extends Session {
  /** Value of the browser's cookie, available only now; '' for other kinds. */
  cookie: string;
}

/** The current user and role of a session. */
export interface Standing {
  session: Session;
  /** Has the rights of operators. False for users that only the application knows. */
  isOperator: boolean;
  /** In the session's organization; `undefined` without one. */
  role: Role | undefined;
}

interface SessionsDeps {
  db: Database;
  clock: Clock;
  policy: Policy;
  lifetimeMs: number;
}

export class Sessions {
  readonly #deps: SessionsDeps;

  /** @param deps.lifetimeMs `lifetimes.session` */
  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Signs a user in: calls PRE_SESSION_CREATION, then writes the session and its audit line. No interceptor is called
   * for an `mcp_server` session of a user whom only the application knows.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND for an unknown user, or an organization that is not theirs; POLICY_DENIED
   */
  async begin(start: SessionStart): Promise<StartedSession> {
    const claims = await this.#askedFor(start);
    return this.#deps.db.transaction(async (tx) => this.#write(tx, start, claims, this.#deps.clock.now()));
  }

  /** A live session. */
  async find(environmentId: string, id: string): Promise<Session | undefined> {
    const row = await rows(this.#deps.db.read, 'sessions').find(environmentId, id);
    return row !== undefined && isLiveAt(row, this.#deps.clock.now()) ? toSession(row) : undefined;
  }

  /** The live browser session of a cookie; the lookup counts as a use, which keeps it alive. */
  async findByCookie(environmentId: string, value: string): Promise<Session | undefined> {
    if (value === '' || value.length > MAX_COOKIE_LENGTH) return undefined;
    const row = await rows(this.#deps.db.read, 'sessions').findBy(environmentId, {
      token_hash: hashSecret(value),
    });
    const now = this.#deps.clock.now();
    if (row === undefined || !isLiveAt(row, now)) return undefined;
    return this.#used(row, now, this.#deps.lifetimeMs * WORTH_WRITING);
  }

  /**
   * Moves the end of a session whose tokens are refreshed now.
   *
   * @returns `undefined` if it has ended or expired: nothing may be issued for it then
   */
  async keepAlive(environmentId: string, id: string): Promise<Session | undefined> {
    const row = await rows(this.#deps.db.read, 'sessions').find(environmentId, id);
    const now = this.#deps.clock.now();
    return row !== undefined && isLiveAt(row, now) ? this.#used(row, now, 0) : undefined;
  }

  /** Whether tokens of this session are still valid. */
  async isLive(environmentId: string, id: string): Promise<boolean> {
    return (await this.find(environmentId, id)) !== undefined;
  }

  /** A live session with the user's current role, and whether it has the rights of operators. */
  async standing(environmentId: string, id: string): Promise<Standing | undefined> {
    const session = await this.find(environmentId, id);
    if (session === undefined) return undefined;
    const { userId, organizationId } = session;
    const [user, membership] = await Promise.all([
      rows(this.#deps.db.read, 'users').find(environmentId, userId),
      organizationId === ''
        ? undefined
        : membershipIn(this.#deps.db.read, environmentId, organizationId, userId),
    ]);
    const { connectionDetails } = session;
    const isOperator = await hasOperatorRights(this.#deps.db.read, environmentId, {
      isOperator: user?.is_operator === true,
      connectionDetails,
    });
    return { session, isOperator, role: membership?.role };
  }

  /** Ends a session; its tokens are refused by every process within 5 s. Ending one that has ended does nothing. */
  async end(environmentId: string, id: string, actor: string, ip: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => this.#end(tx, { environmentId, id, actor, ip }));
  }

  /**
   * Switches to another organization: a new session with its own cookie replaces the previous one, and ends
   * no later than that one could have. Interceptors are called as for any sign-in.
   *
   * @param organizationId '' for none
   * @throws ServiceError UNAUTHENTICATED if the session is over; RESOURCE_NOT_FOUND for an organization that
   *   is not the user's; POLICY_DENIED
   */
  async switchOrganization(
    environmentId: string,
    id: string,
    organizationId: string,
    visitor: Visitor,
  ): Promise<StartedSession> {
    const before = await this.find(environmentId, id);
    if (before?.kind !== 'browser') throw isOver();
    const { userId, connectionDetails } = before;
    const start: SessionStart = {
      environmentId,
      kind: 'browser',
      userId,
      organizationId,
      clientId: '',
      resource: '',
      visitor,
      connectionDetails,
      actor: userId,
    };
    const claims = await this.#askedFor(start);
    return this.#deps.db.transaction(async (tx) => {
      const hadNotEnded = await this.#end(tx, { environmentId, id, actor: userId, ip: visitor.ip });
      if (!hadNotEnded) throw isOver();
      return this.#write(tx, start, claims, before.createdAt);
    });
  }

  async #askedFor(start: SessionStart): Promise<AddedClaims> {
    const { environmentId, userId, organizationId, visitor, connectionDetails } = start;
    const user = await rows(this.#deps.db.read, 'users').find(environmentId, userId);
    if (user === undefined) {
      if (start.kind === 'mcp_server') return {};
      throw notFound('user');
    }
    const memberships = await membershipsOf(this.#deps.db.read, environmentId, [userId]);
    if (needsMembership(start) && !memberships.some((of) => of.organization_id === organizationId))
      throw notHis();
    return this.#deps.policy.beforeSession({
      environmentId,
      actor: start.actor,
      visitor,
      user: toPolicyUser(user, memberships),
      organizationId,
      connectionDetails,
    });
  }

  /** Reads user and membership again, because interceptors take time. */
  async #write(
    tx: WriteTransaction,
    start: SessionStart,
    claims: AddedClaims,
    createdAt: number,
  ): Promise<StartedSession> {
    const { environmentId, kind, userId, organizationId } = start;
    if (kind !== 'mcp_server' && (await rows(tx, 'users').find(environmentId, userId)) === undefined)
      throw notFound('user');
    if (
      needsMembership(start) &&
      (await membershipIn(tx, environmentId, organizationId, userId)) === undefined
    )
      throw notHis();
    const now = this.#deps.clock.now();
    const cookie = kind === 'browser' ? newSecret() : '';
    const row: StoredForm<SessionTable> = {
      id: newId('ses', now),
      environment_id: environmentId,
      kind,
      user_id: userId,
      organization_id: organizationId,
      client_id: start.clientId,
      resource: start.resource,
      token_hash: cookie === '' ? null : hashSecret(cookie),
      connection_details: JSON.stringify(start.connectionDetails),
      custom_claims: JSON.stringify(claims),
      device: JSON.stringify(deviceOf(start.visitor)),
      created_at: createdAt,
      expires_at: sessionEnd(kind, createdAt, now, this.#deps.lifetimeMs),
      ended_at: null,
    };
    await rows(tx, 'sessions').insert(row);
    const who = { environmentId, actor: start.actor, ip: start.visitor.ip };
    await writeAuditLine(tx, who, { action: 'session.create', target: row.id, now });
    return { ...toSession(asRead('sessions', row)), cookie };
  }

  /** @returns false if it had ended */
  async #end(
    tx: WriteTransaction,
    { id, ...who }: { environmentId: string; id: string; actor: string; ip: string },
  ): Promise<boolean> {
    const now = this.#deps.clock.now();
    const ended = await new SessionStore(tx).end(who.environmentId, id, now);
    if (ended) await writeAuditLine(tx, who, { action: 'session.end', target: id, now });
    return ended;
  }

  /** @param worthMs a smaller gain is not written */
  async #used(row: StoredSession, now: number, worthMs: number): Promise<Session | undefined> {
    const end = sessionEnd(row.kind, row.created_at, now, this.#deps.lifetimeMs);
    if (end - row.expires_at <= worthMs) return toSession(row);
    const isExtended = await this.#deps.db.transaction(async (tx) =>
      new SessionStore(tx).extend(row.environment_id, row.id, end, now),
    );
    return isExtended ? toSession({ ...row, expires_at: end }) : undefined;
  }
}

/** Organization names of an application's own users are up to that application; those of our users require membership. */
function needsMembership({ kind, organizationId }: SessionStart): boolean {
  return kind !== 'mcp_server' && organizationId !== '';
}

function notHis(): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', 'The user is not a member of this organization.');
}

function isOver(): ServiceError {
  return new ServiceError('UNAUTHENTICATED', 'You are no longer signed in. Sign in again.');
}

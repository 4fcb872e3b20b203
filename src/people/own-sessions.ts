/** A user's own view of their live sessions, and ending them. */
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Database } from '../store/engine/database.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Device, StoredSession } from '../store/tables/people-tables.ts';
import { isLiveAt, lastUseOf, type Session } from './session-rules.ts';
import type { Sessions } from './sessions.ts';
import type { SessionKind } from '../core/stored-words.ts';

/** Sessions on a page; applications can start any number of them. */
const LISTED = 100;

/** The form of ids that newId makes; no others are looked up. */
const SESSION_ID = /^ses_[0-9a-z]{26}$/;

/** One of a user's sessions, as the user sees it. Times in Unix milliseconds. */
export interface OwnSession {
  /** `ses_…` */
  id: string;
  kind: SessionKind;
  /** Client or API credential that holds its tokens; '' for a browser. */
  clientId: string;
  /** Name of the client that holds its tokens, chosen by the client or the operator; '' for a browser. */
  holder: string;
  /** Resource that accepts its tokens; '' for a browser. */
  resource: string;
  /** '' without an organization. */
  organizationId: string;
  /** Device on which it began. */
  device: Device;
  createdAt: number;
  /** Approximate time when a browser was last used or tokens were last renewed; `undefined` if unknown. */
  lastUsedAt: number | undefined;
}

/** The session of the browser that asks. */
type OwnBrowser = Pick<Session, 'environmentId' | 'userId' | 'id'>;

interface OwnSessionsDeps {
  db: Database;
  clock: Clock;
  sessions: Pick<Sessions, 'end'>;
  names: { of(environmentId: string, clientId: string): Promise<string> };
  consents: { forget(environmentId: string, userId: string, clientId: string): Promise<void> };
  lifetimeMs: number;
}

export class OwnSessions {
  readonly #deps: OwnSessionsDeps;

  /** @param deps.lifetimeMs `lifetimes.session` */
  constructor(deps: OwnSessionsDeps) {
    this.#deps = deps;
  }

  /** Live sessions other than the browser's own, newest first, and whether there are more than these. */
  async others(browser: OwnBrowser): Promise<{ sessions: OwnSession[]; hasMore: boolean }> {
    const rows = await this.#rows(browser, LISTED + 1);
    const shown = rows.slice(0, LISTED);
    const clientIds = [...new Set(shown.map((row) => row.client_id).filter((id) => id !== ''))];
    const names = new Map(
      await Promise.all(
        clientIds.map(async (id) => [id, await this.#deps.names.of(browser.environmentId, id)] as const),
      ),
    );
    const now = this.#deps.clock.now();
    return {
      sessions: shown.map((row) => ({
        id: row.id,
        kind: row.kind,
        clientId: row.client_id,
        holder: names.get(row.client_id) ?? '',
        resource: row.resource,
        organizationId: row.organization_id,
        device: row.device,
        createdAt: row.created_at,
        lastUsedAt: lastUseOf(row, now, this.#deps.lifetimeMs),
      })),
      hasMore: rows.length > LISTED,
    };
  }

  /**
   * Ends one; its tokens are refused by every process within 5 s, and an app has to ask again.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND for one that is somebody else's, of another environment, unknown or over
   */
  async end({ environmentId, userId }: OwnBrowser, id: string, ip: string): Promise<void> {
    const row = SESSION_ID.test(id)
      ? await rows(this.#deps.db.read, 'sessions').find(environmentId, id)
      : undefined;
    if (row === undefined || row.user_id !== userId || !isLiveAt(row, this.#deps.clock.now()))
      throw notThere();
    await this.#end(row, ip);
  }

  /** Ends all but the browser's own. @returns how many */
  async endOthers(browser: OwnBrowser, ip: string): Promise<number> {
    for (let ended = 0; ;) {
      const rows = await this.#rows(browser, LISTED);
      for (const row of rows) await this.#end(row, ip);
      ended += rows.length;
      if (rows.length < LISTED) return ended;
    }
  }

  /**
   * Ends all sessions that an app or application holds for the user, who is asked again before it may act for them.
   *
   * @returns its name
   * @throws ServiceError RESOURCE_NOT_FOUND if it holds none
   */
  async endClient({ environmentId, userId }: OwnBrowser, clientId: string, ip: string): Promise<string> {
    const now = this.#deps.clock.now();
    const held = await rows(this.#deps.db.read, 'sessions').list(environmentId, {
      where: { user_id: userId, client_id: clientId, ended_at: null },
    });
    const live = held.filter((row) => row.kind !== 'browser' && isLiveAt(row, now));
    if (live.length === 0) throw notThere();
    const name = await this.#deps.names.of(environmentId, clientId);
    for (const row of live) await this.#end(row, ip);
    return name;
  }

  async #end(row: StoredSession, ip: string): Promise<void> {
    const { environment_id: environmentId, user_id: userId } = row;
    if (row.kind === 'client') await this.#deps.consents.forget(environmentId, userId, row.client_id);
    await this.#deps.sessions.end(environmentId, row.id, userId, ip);
  }

  async #rows({ environmentId, userId, id }: OwnBrowser, limit: number): Promise<StoredSession[]> {
    const now = this.#deps.clock.now();
    return new SessionStore(this.#deps.db.read).liveBeside(environmentId, { userId, id }, now, limit);
  }
}

function notThere(): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', 'You have no such sign-in, or it has ended already.');
}

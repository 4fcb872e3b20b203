/**
 * Which servers work, as seen by calls and lists; no request is sent just to find out. A failing server is spared
 * by each process for itself (breaker.ts). The begin and the end of an outage are logged and announced once for all
 * processes.
 */
import { announceUpstream } from '../../connections/announce-upstream.ts';
import { toTimestamp, type Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ToolError } from '../../outbound/provider-failure.ts';
import type { AccountConnection } from '../../store/accounts/account.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { beginOutage, endOutage, type UpstreamPlace } from '../../store/upstreams/upstream-store.ts';
import { Breaker } from './breaker.ts';

/** The called server, and the connection it was called for. */
export interface CalledServer {
  connection: AccountConnection;
  origin: string;
}

/** Another process may have announced an outage: the database is asked at most this often. */
const LOOK_MS = 30_000;

interface ServerHealthDeps {
  db: Database;
  clock: Clock;
  log: Log;
}

export class ServerHealth {
  readonly #deps: ServerHealthDeps;
  readonly #breaker = new Breaker();
  /** Servers whose outage was announced, by this process or another one. */
  readonly #told = new Set<string>();
  /** Time when this process last checked the database for an announced outage, by server. */
  readonly #looked = new Map<string, number>();

  constructor(deps: ServerHealthDeps) {
    this.#deps = deps;
  }

  /** Milliseconds until the next trial; 0 if a call may be made. After a pause that call is the trial. */
  waitMs(origin: string): number {
    return this.#breaker.waitMs(origin, this.#deps.clock.now());
  }

  /** Time until which an origin gets no calls; `undefined` if it gets them. */
  sparedUntil(origin: string): number | undefined {
    return this.#breaker.closedUntil(origin, this.#deps.clock.now());
  }

  /** Number of origins that get no calls now. */
  get sparedServers(): number {
    return this.#breaker.closedCount(this.#deps.clock.now());
  }

  /** Counts a failed call. Call it only if the server, and not the request, is at fault. */
  failed(origin: string): void {
    this.#breaker.failed(origin, this.#deps.clock.now());
  }

  /** Announces that a server gets no calls, if that is so and nobody has announced it. Never fails. */
  async tellIfSpared(server: CalledServer, { code, provider_status: status }: ToolError): Promise<void> {
    const { connection, origin } = server;
    const key = keyOf(server);
    if (this.#told.has(key) || this.sparedUntil(origin) === undefined) return;
    this.#told.add(key);
    const { db, clock, log } = this.#deps;
    const since = clock.now();
    try {
      const isNews = await db.transaction(async (tx) => {
        if (!(await beginOutage(tx, placeOf(connection), { origin, since }))) return false;
        const error = { code, provider_status: status };
        await announceUpstream(tx, connection, 'upstream.unavailable', { origin, error }, since);
        return true;
      });
      if (isNews) log.warn('upstream_unavailable', { ...logged(server), error_code: code });
    } catch (err) {
      this.#told.delete(key);
      log.warn('upstream_health_not_stored', { ...logged(server), err });
    }
  }

  /** Counts an answer of the server, and announces the end of an outage that was announced. Never fails. */
  async answered(server: CalledServer): Promise<void> {
    const { connection, origin } = server;
    const { db, clock, log } = this.#deps;
    this.#breaker.succeeded(origin);
    const key = keyOf(server);
    const now = clock.now();
    const isTold = this.#told.delete(key);
    if (!isTold && now - (this.#looked.get(key) ?? -LOOK_MS) < LOOK_MS) return;
    this.#looked.set(key, now);
    try {
      const known = await rows(db.read, 'upstream_connections').find(connection.environmentId, connection.id);
      if (known?.failing_origin !== origin) return;
      const since = await db.transaction(async (tx) => {
        const begun = await endOutage(tx, placeOf(connection), origin);
        if (begun === undefined) return undefined;
        const details = { origin, unavailable_since: toTimestamp(begun) };
        await announceUpstream(tx, connection, 'upstream.recovered', details, now);
        return begun;
      });
      if (since !== undefined) log.info('upstream_recovered', logged(server));
    } catch (err) {
      this.#looked.delete(key);
      log.warn('upstream_health_not_stored', { ...logged(server), err });
    }
  }
}

function keyOf({ connection, origin }: CalledServer): string {
  return `${connection.id} ${origin}`;
}

function placeOf({ environmentId, id }: AccountConnection): UpstreamPlace {
  return { environmentId, connectionId: id };
}

function logged({ connection, origin }: CalledServer) {
  const { environmentId, id, connector } = connection;
  return { environment_id: environmentId, connection_id: id, connector, host: new URL(origin).host };
}

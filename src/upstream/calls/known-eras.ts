/**
 * Era of the protocol that each server speaks, once it is found out: kept in memory, and stored for the other
 * processes.
 */
import type { Connector } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { storeUpstreamConnection } from '../../store/upstreams/upstream-store.ts';
import type { Era } from './mcp-session.ts';

/** A server, called with the credential of one account. */
interface Called {
  connector: Connector;
  url: URL;
  credential: UsableCredential;
}

interface KnownEra {
  era: Era;
  at: number;
}

/** Longest time that a known era is used. The server may have been upgraded meanwhile. */
const ERA_MS = 86_400_000;

export class KnownEras {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Known eras, by connection and address. */
  readonly #eras = new Map<string, KnownEra>();

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Era of the server; `undefined` if it has to be found out. */
  async of(call: Called): Promise<Era | undefined> {
    const fixed = call.connector.mcp?.era;
    if (fixed === 'legacy') return { kind: 'legacy' };
    const known = this.#eras.get(keyOf(call)) ?? (await this.#stored(call));
    if (known === undefined || this.#clock.now() - known.at > ERA_MS) return undefined;
    return fixed === 'modern' && known.era.kind === 'legacy' ? undefined : known.era;
  }

  /** Era as far as this process knows it, for metrics. */
  nameOf(call: Called): Era['kind'] | 'unknown' {
    const fixed = call.connector.mcp?.era ?? 'auto';
    return this.#eras.get(keyOf(call))?.era.kind ?? (fixed === 'auto' ? 'unknown' : fixed);
  }

  /** Forgets the era of a server, here and in the database, so that it is found out again. */
  async forget(call: Called): Promise<void> {
    this.#eras.delete(keyOf(call));
    await this.#store(call, { era: null, era_at: null });
  }

  async learned(call: Called, era: Era): Promise<void> {
    const at = this.#clock.now();
    this.#eras.set(keyOf(call), { era, at });
    const discover = JSON.stringify(era.kind === 'modern' ? era.discover : {});
    await this.#store(call, { era: era.kind, discover, era_at: at });
  }

  async #store(
    { credential }: Called,
    change: { era: Era['kind'] | null; discover?: string; era_at: number | null },
  ): Promise<void> {
    const { environmentId, connection } = credential.account;
    const place = { environmentId, connectionId: connection.id };
    await this.#db.transaction(async (tx) => storeUpstreamConnection(tx, place, change));
  }

  /**
   * Reads the stored era. Connections whose address has placeholders lead to several servers, so theirs is not
   * used.
   */
  async #stored(call: Called): Promise<KnownEra | undefined> {
    if (call.connector.hosts[0]?.url.includes('{') === true) return undefined;
    const { environmentId, connection } = call.credential.account;
    const row = await rows(this.#db.read, 'upstream_connections').find(environmentId, connection.id);
    if (row === undefined || row.era === null || row.era_at === null) return undefined;
    const era = (
      row.era === 'legacy' ? { kind: 'legacy' } : { kind: 'modern', discover: row.discover }
    ) as Era;
    const known = { era, at: row.era_at };
    this.#eras.set(keyOf(call), known);
    return known;
  }
}

function keyOf({ credential, url }: Called): string {
  return `${credential.account.connection.id} ${url.href}`;
}

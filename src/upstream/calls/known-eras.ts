/** How servers are spoken to, once it was found out: in memory, and stored for the other processes. */
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

/** A server may have learned the newer era meanwhile. */
const ERA_MS = 86_400_000;

export class KnownEras {
  readonly #db: Database;
  readonly #clock: Clock;
  /** By connection and address. */
  readonly #eras = new Map<string, KnownEra>();

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** `undefined`: it has to be found out. */
  async of(call: Called): Promise<Era | undefined> {
    const fixed = call.connector.mcp?.era;
    if (fixed === 'legacy') return { kind: 'legacy' };
    const known = this.#eras.get(keyOf(call)) ?? (await this.#stored(call));
    if (known === undefined || this.#clock.now() - known.at > ERA_MS) return undefined;
    return fixed === 'modern' && known.era.kind === 'legacy' ? undefined : known.era;
  }

  /** As far as this process knows it, for metrics. */
  nameOf(call: Called): Era['kind'] | 'unknown' {
    const fixed = call.connector.mcp?.era ?? 'auto';
    return this.#eras.get(keyOf(call))?.era.kind ?? (fixed === 'auto' ? 'unknown' : fixed);
  }

  /** Has it found out again, by this process and the others. */
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

  /** A connection whose address has placeholders has several servers, and what is stored is of one of them. */
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

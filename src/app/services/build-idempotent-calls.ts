/** Calls under idempotency keys over an installation's database. */
import type { Clock } from '../../core/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import { IdempotentCalls } from '../../executor/idempotency/idempotent-calls.ts';
import type { Database } from '../../store/engine/database.ts';
import { IdempotencyStore } from '../../store/records/idempotency-store.ts';
import type { Vault } from '../../vault/vault.ts';

/** A process that dies lets go of its keys as soon as of its refreshes (`refresh.lease`). */
export function buildIdempotentCalls(parts: {
  db: Database;
  vault: Vault;
  clock: Clock;
  log: Log;
  settings: Settings;
}): IdempotentCalls {
  const { db, vault, clock, log, settings } = parts;
  const { leaseMs } = settings.refresh;
  return new IdempotentCalls({
    store: new IdempotencyStore(db, clock, { leaseMs }),
    seal: vault,
    hashKey: vault.derive('idempotency'),
    clock,
    log,
    leaseMs,
  });
}

/**
 * Records for the other processes of an installation with which key this one seals, so that no key in use is
 * removed. A server with keys of its own (from its environment, on another machine) may be idle for hours.
 * Nothing else in the database shows which key it will seal with next.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/engine/database.ts';
import { SealingProcessStore, type SealingProcess } from '../store/installation/sealing-process-store.ts';
import { KeyError } from '../vault/key-ring.ts';
import type { Vault } from '../vault/vault.ts';

/** Interval at which a process confirms that it is running. */
const REPEAT_MS = 60_000;

/**
 * A process without a confirmation for so long has ended. Clocks of several machines may differ by some
 * minutes.
 */
const GONE_AFTER_MS = 10 * 60_000;

/** After this time the record of a killed process is removed. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

interface SealingRecordDeps {
  db: Pick<Database, 'read' | 'transaction'>;
  vault: Pick<Vault, 'sealingKeyId'>;
  clock: Clock;
  command: string;
}

export class SealingRecord {
  readonly #deps: SealingRecordDeps;
  readonly #process: Pick<SealingProcess, 'id' | 'command' | 'host' | 'pid'>;
  #said: Pick<SealingProcess, 'keyId' | 'at'> | undefined;

  /** @param deps.command command of the process, for messages */
  constructor(deps: SealingRecordDeps) {
    this.#deps = deps;
    this.#process = { id: randomUUID(), command: deps.command, host: hostname(), pid: process.pid };
  }

  /**
   * Writes the record if the key has changed or the last one is a minute old. @throws ServiceError
   * UNAVAILABLE
   */
  async look(): Promise<void> {
    const keyId = await this.#deps.vault.sealingKeyId();
    const at = this.#deps.clock.now();
    const said = this.#said;
    if (said !== undefined && said.keyId === keyId && Math.abs(at - said.at) < REPEAT_MS) return;
    await this.#deps.db.transaction(async (tx) => {
      const processes = new SealingProcessStore(tx);
      if (said === undefined) {
        const old = (await processes.list()).filter((one) => at - one.at > FORGOTTEN_AFTER_MS);
        await processes.remove(old.map(({ id }) => id));
      }
      await processes.put({ ...this.#process, keyId, at });
    });
    this.#said = { keyId, at };
  }

  /** Removes the record: this process no longer seals. @throws ServiceError UNAVAILABLE */
  async end(): Promise<void> {
    if (this.#said === undefined) return;
    await this.#deps.db.transaction(async (tx) => new SealingProcessStore(tx).remove([this.#process.id]));
  }
}

/**
 * Makes sure that all processes seal with one key.
 *
 * @param db a transaction, or the database
 * @throws KeyError naming each running process that seals with another key
 */
export async function requireOneKey(
  db: ConstructorParameters<typeof SealingProcessStore>[0],
  firstKey: string,
  now: number,
): Promise<void> {
  const others = (await new SealingProcessStore(db).list()).filter(
    ({ keyId, at }) => keyId !== firstKey && now - at < GONE_AFTER_MS,
  );
  if (others.length === 0) return;
  const named = others.map(({ keyId, command, host, pid, at }) => {
    const seconds = Math.max(0, Math.round((now - at) / 1_000));
    return `gatehouse ${command} on ${host} (pid ${pid}) seals with ${keyId}, as it said ${seconds} s ago`;
  });
  throw new KeyError(
    `Not every process seals with ${firstKey}: ${named.join('; ')}. Give it ${firstKey} as the first of its keys and restart it, or stop it; then run this again. ` +
      'One that was killed is forgotten after 10 minutes. No key was removed.',
  );
}

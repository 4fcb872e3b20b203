/**
 * Changes the master key while processes serve: a new key is put first in the key file, then every sealed value is
 * sealed anew under it.
 *
 * Each step leaves a state in which everything opens, and from which the next run goes on: the file holds the new
 * key before anything is sealed with it, and the key check value moves to it when everything else has.
 */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { AuditStore, LOCAL, writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { EnvironmentStore } from '../store/installation/environment-store.ts';
import { InstallationStore } from '../store/installation/installation-store.ts';
import {
  KEY_CHECK,
  SEALED_COLUMNS,
  SealedValueStore,
  type SealedColumn,
} from '../store/installation/sealed-value-store.ts';
import { newKey, readKeyFile, replaceKeyFile } from '../vault/key-file.ts';
import { KeyError, type KeyRing } from '../vault/key-ring.ts';
import { keyIdOf, type Vault } from '../vault/vault.ts';
import { requireOneKey } from './sealing-record.ts';
import { openValue, sealedPages, verifyKeys, type UnreadableValue } from './key-verification.ts';

/** Between two batches, so that processes that serve get their turn to write. */
const PAUSE_MS = 10;

/** Each pass finds what was written during the one before; more than a few are needed only when somebody seals with an older key all the time. */
const MAX_PASSES = 10;

/** Longer than anything takes from being sealed to being stored. */
const UNDER_WAY_MS = 5 * 60_000;

/** What `keys rotate` prints. */
export interface RotationResult {
  /** The key that seals now. */
  first_key: string;
  /** Whether this run made it. */
  made: boolean;
  /** Values sealed anew by this run. */
  resealed: number;
  /** Values that stay as they are because they cannot be opened. */
  unreadable: UnreadableValue[];
}

/** What `keys rotate --remove-old` prints. */
export interface RemovalResult {
  first_key: string;
  resealed: number;
  /** Keys that are no longer in the key file. */
  removed: string[];
  /** Older keys that cannot be removed, and how many values still name them. */
  kept: { id: string; values: number }[];
  unreadable: UnreadableValue[];
}

interface KeyRotationDeps {
  db: Pick<Database, 'read' | 'transaction'>;
  vault: Vault;
  clock: Clock;
  keyFile: string | undefined;
}

export class KeyRotation {
  readonly #deps: KeyRotationDeps;

  /** @param deps.keyFile undefined: the keys are given by the environment, and stay as they are */
  constructor(deps: KeyRotationDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a new key, unless a rotation is under way already, and seals everything with the first key. The audit log of
   * every environment gets one line for each first key, also where a run goes on that ended before it wrote it.
   *
   * @param progress told after each batch how many values were sealed anew
   * @throws KeyError when the key file cannot be changed, or somebody seals with an older key all the time;
   *   ServiceError UNAVAILABLE. What was sealed anew stays so; the next run goes on
   */
  async rotate(progress?: (resealed: number) => void): Promise<RotationResult> {
    const made = this.#deps.keyFile !== undefined && (await this.#putNewKeyFirst(this.#deps.keyFile));
    await this.#noteBeginning();
    return { made, ...(await this.#resealAll(progress)) };
  }

  /**
   * Makes no new key: seals with the first one what is not yet, then removes the keys from the key file that no
   * value names any more.
   *
   * @throws as `rotate`; KeyError also while a value sealed with an older key may be on its way to the database, or a
   *   process runs that seals with another key than the first
   */
  async removeOld(progress?: (resealed: number) => void): Promise<RemovalResult> {
    const file = this.#deps.keyFile;
    if (file !== undefined) this.#requireRest(file);
    await requireOneKey(this.#deps.db.read, await this.#deps.vault.sealingKeyId(), this.#deps.clock.now());
    const { first_key, resealed } = await this.#resealAll(progress);
    const { keys, unreadable } = await verifyKeys(this.#deps.db, this.#deps.vault);
    const kept = keys.filter(({ id }) => id !== first_key);
    const removed =
      file === undefined ? [] : await this.#keepOnly(file, [first_key, ...kept.map(({ id }) => id)]);
    return { first_key, resealed, removed, kept, unreadable };
  }

  /** The lock makes two runs at once agree on one key: the second finds that the key check value is not under it yet. */
  async #putNewKeyFirst(file: string): Promise<boolean> {
    let made = false;
    await this.#deps.db.transaction(async (tx) => {
      const check = await new InstallationStore(tx).lock('key_check');
      const ring = readKeyFile(file);
      if (check === undefined || keyIdOf(check) !== ring[0].id) return;
      replaceKeyFile(file, [newKey(), ...ring]);
      made = true;
    });
    return made;
  }

  /** Does nothing where everything is sealed with the first key already. */
  async #noteBeginning(): Promise<void> {
    const target = await this.#deps.vault.sealingKeyId();
    const line = { action: 'keys.rotate', target };
    await this.#deps.db.transaction(async (tx) => {
      const check = await new InstallationStore(tx).lock('key_check');
      if (check === undefined || keyIdOf(check) === target) return;
      for (const { id: environmentId } of await new EnvironmentStore(tx).list()) {
        if ((await new AuditStore(tx).count(environmentId, line)) > 0) continue;
        await writeAuditLine(tx, { environmentId, ...LOCAL }, { ...line, now: this.#deps.clock.now() });
      }
    });
  }

  async #keepOnly(file: string, ids: readonly string[]): Promise<string[]> {
    const removed: string[] = [];
    await this.#deps.db.transaction(async (tx) => {
      await new InstallationStore(tx).lock('key_check');
      this.#requireRest(file);
      const [first, ...older] = readKeyFile(file);
      await requireOneKey(tx, first.id, this.#deps.clock.now());
      const unused = older.filter(({ id }) => !ids.includes(id));
      if (unused.length === 0 || !ids.includes(first.id)) return;
      const kept: KeyRing = [first, ...older.filter((key) => !unused.includes(key))];
      replaceKeyFile(file, kept);
      removed.push(...unused.map(({ id }) => id));
    });
    return removed;
  }

  #requireRest(file: string): void {
    const restsFrom = statSync(file).mtimeMs + UNDER_WAY_MS;
    if (this.#deps.clock.now() >= restsFrom) return;
    throw new KeyError(
      `The key file ${file} was changed less than 5 minutes ago: a value sealed with an older key may still be on its way to the database. ` +
        `Run this again after ${new Date(restsFrom).toISOString()}. No key was removed.`,
    );
  }

  async #resealAll(progress?: (resealed: number) => void): Promise<Omit<RotationResult, 'made'>> {
    let resealed = 0;
    for (let passes = 1; passes <= MAX_PASSES; passes++) {
      const pass = await this.#pass((count) => progress?.(resealed + count));
      resealed += pass.resealed;
      if (pass.resealed + pass.overtaken > 0) continue;
      if (await this.#moveKeyCheck()) {
        return { first_key: await this.#deps.vault.sealingKeyId(), resealed, unreadable: pass.unreadable };
      }
    }
    throw new KeyError(
      'Another process seals with an older key all the time. Give every process the same first master key, then run this again.',
    );
  }

  /** Goes once through everything. */
  async #pass(
    progress: (resealed: number) => void,
  ): Promise<{ resealed: number; overtaken: number; unreadable: UnreadableValue[] }> {
    const total = { resealed: 0, overtaken: 0, unreadable: [] as UnreadableValue[] };
    for await (const { column, values } of sealedPages(this.#deps.db, SEALED_COLUMNS)) {
      const changes: { id: string; old: string; sealed: string }[] = [];
      for (const value of values) {
        if (keyIdOf(value.sealed) === (await this.#deps.vault.sealingKeyId())) continue;
        const text = await openValue(this.#deps.vault, column, value);
        if (typeof text !== 'string') total.unreadable.push(text);
        else
          changes.push({ id: value.id, old: value.sealed, sealed: await this.#seal(column, value.id, text) });
      }
      if (changes.length === 0) continue;
      const stored = await this.#store(column, changes);
      total.resealed += stored;
      total.overtaken += changes.length - stored;
      progress(total.resealed);
      await sleep(PAUSE_MS);
    }
    return total;
  }

  /** A value that somebody has replaced meanwhile is newer than ours and stays. */
  async #store(
    column: SealedColumn,
    changes: readonly { id: string; old: string; sealed: string }[],
  ): Promise<number> {
    return this.#deps.db.transaction(async (tx) => {
      const store = new SealedValueStore(tx);
      let stored = 0;
      for (const { id, old, sealed } of changes) {
        if (await store.replace(column, id, old, sealed)) stored += 1;
      }
      return stored;
    });
  }

  /** Returns false when it is not under the first key, because somebody else has moved it. */
  async #moveKeyCheck(): Promise<boolean> {
    for await (const { values } of sealedPages(this.#deps.db, [KEY_CHECK])) {
      for (const value of values) {
        if (keyIdOf(value.sealed) === (await this.#deps.vault.sealingKeyId())) return true;
        const text = await openValue(this.#deps.vault, KEY_CHECK, value);
        if (typeof text !== 'string') break;
        const sealed = await this.#seal(KEY_CHECK, value.id, text);
        return (await this.#store(KEY_CHECK, [{ id: value.id, old: value.sealed, sealed }])) === 1;
      }
    }
    throw new ServiceError(
      'UNAVAILABLE',
      'The key check value in the database cannot be opened. Restore a backup.',
    );
  }

  async #seal({ table, sealedFor }: SealedColumn, id: string, text: string): Promise<string> {
    return this.#deps.vault.seal({ table, row: id, column: sealedFor }, text);
  }
}

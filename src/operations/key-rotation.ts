/**
 * Changes the master key while processes serve: a new key becomes the first in the key file, then every
 * sealed value is sealed again with it.
 *
 * After each step every value can still be opened, and the next run can continue. The file holds the new key
 * before any value is sealed with it, and the key check value moves to it last.
 */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { LOCAL, writeAuditLine } from '../store/records/audit-store.ts';
import { rows } from '../store/engine/rows.ts';
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

/** Pause between two batches, so that serving processes can write. */
const PAUSE_MS = 10;

/**
 * Each pass finds values written during the previous one. More than a few passes are needed only if a process
 * keeps sealing with an older key.
 */
const MAX_PASSES = 10;

/** Longer than any value takes from being sealed to being stored. */
const UNDER_WAY_MS = 5 * 60_000;

/** Output of `keys rotate`. */
export interface RotationResult {
  /** The key that currently seals. */
  first_key: string;
  /** Whether this run created it. */
  made: boolean;
  /** Values sealed again by this run. */
  resealed: number;
  /** Values left unchanged because they cannot be opened. */
  unreadable: UnreadableValue[];
}

/** Output of `keys rotate --remove-old`. */
export interface RemovalResult {
  first_key: string;
  resealed: number;
  /** Keys removed from the key file. */
  removed: string[];
  /** Older keys that cannot be removed, and the number of values that still name them. */
  kept: { id: string; values: number }[];
  unreadable: UnreadableValue[];
}

interface KeyRotationDeps {
  db: Pick<Database, 'read' | 'longRead' | 'transaction'>;
  vault: Vault;
  clock: Clock;
  keyFile: string | undefined;
}

export class KeyRotation {
  readonly #deps: KeyRotationDeps;

  /** @param deps.keyFile `undefined` if the keys come from the environment and do not change */
  constructor(deps: KeyRotationDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a new key, unless a rotation has already begun, and seals everything with the first key. The audit
   * log of every environment gets one line for each first key, also if an earlier run ended before it wrote
   * that line.
   *
   * @param progress called after each batch with the number of values sealed again
   * @throws KeyError if the key file cannot be changed, or a process keeps sealing with an older key;
   * ServiceError UNAVAILABLE. Values sealed again stay so; the next run continues
   */
  async rotate(progress?: (resealed: number) => void): Promise<RotationResult> {
    const made = this.#deps.keyFile !== undefined && (await this.#putNewKeyFirst(this.#deps.keyFile));
    await this.#noteBeginning();
    return { made, ...(await this.#resealAll(progress)) };
  }

  /**
   * Makes no new key: seals the remaining values with the first one, then removes the keys that no value
   * names any more from the key file.
   *
   * @throws as `rotate`; KeyError also if a value sealed with an older key may not be stored yet, or a
   * running process seals with another key
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

  /**
   * The lock makes two simultaneous runs agree on one key: the second finds that the key check value is not
   * yet sealed with it.
   */
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

  /** Writes the audit lines; does nothing if everything is already sealed with the first key. */
  async #noteBeginning(): Promise<void> {
    const target = await this.#deps.vault.sealingKeyId();
    const line = { action: 'keys.rotate', target };
    await this.#deps.db.transaction(async (tx) => {
      const check = await new InstallationStore(tx).lock('key_check');
      if (check === undefined || keyIdOf(check) === target) return;
      for (const { id: environmentId } of await new EnvironmentStore(tx).list()) {
        if ((await rows(tx, 'audit').count(environmentId, line)) > 0) continue;
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
      'Another process keeps sealing with an older key. Give every process the same first master key, then run this again.',
    );
  }

  /** Goes through all sealed values once. */
  async #pass(
    progress: (resealed: number) => void,
  ): Promise<{ resealed: number; overtaken: number; unreadable: UnreadableValue[] }> {
    const total = { resealed: 0, overtaken: 0, unreadable: [] as UnreadableValue[] };
    for await (const { column, values } of sealedPages(this.#deps.db.longRead, SEALED_COLUMNS)) {
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

  /** Stores a value, unless somebody has replaced it meanwhile: then theirs is newer and stays. */
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

  /** Returns false if it is not sealed with the first key, because another process has moved it. */
  async #moveKeyCheck(): Promise<boolean> {
    for await (const { values } of sealedPages(this.#deps.db.longRead, [KEY_CHECK])) {
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

/**
 * The secrets that sign messages of an environment: made on first use, shown to administrators, rotated.
 *
 * They are sealed in the database and read for every message, so a rotation takes effect in all processes at
 * once.
 */
import type { Caller } from '../core/caller.ts';
import { toTimestamp, toTimestampOrNull, type Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { expireSecrets, liveSecrets } from '../store/policy/signing-secret-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { SigningSecret } from '../store/tables/webhook-tables.ts';
import { UnreadableSecret, type Vault } from '../vault/vault.ts';
import { newSigningSecret } from './signing.ts';

/** Time for which the previous secret still signs in addition to the new one, after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;

/** Maximum signatures of one message, so that many rotations in a day cannot make the header too large. */
const MAX_SIGNING = 10;

/** The secret as administrators see it (docs/contract.md#signatures). */
export interface SigningSecretView {
  /** `whsec_…` */
  secret: string;
  /** Time until which messages are also signed with the previous secret; null if only this one signs. */
  previous_until: string | null;
}

interface SigningSecretsDeps {
  db: Database;
  vault: Pick<Vault, 'seal' | 'open'>;
  clock: Clock;
}

export class SigningSecrets {
  readonly #deps: SigningSecretsDeps;

  constructor(deps: SigningSecretsDeps) {
    this.#deps = deps;
  }

  /**
   * Secrets that currently sign, newest first. One that cannot be opened is left out if another can.
   *
   * @throws UnreadableSecret if none can be opened; a rotation fixes it
   */
  async signing(environmentId: string): Promise<string[]> {
    const secrets: string[] = [];
    let unreadable: UnreadableSecret | undefined;
    for (const row of (await this.#live(environmentId)).slice(0, MAX_SIGNING)) {
      try {
        secrets.push(await this.#open(row));
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        unreadable ??= error;
      }
    }
    if (secrets.length === 0 && unreadable !== undefined) throw unreadable;
    return secrets;
  }

  /** The newest secret. The audit line is written before the answer. @throws UnreadableSecret */
  async show(caller: Caller): Promise<SigningSecretView> {
    const [newest, ...before] = await this.#live(caller.environmentId);
    const secret = await this.#open(newest);
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) =>
      writeAuditLine(tx, caller, { action: 'signing_secret.read', target: newest.id, now }),
    );
    const ends = before.flatMap(({ expires_at }) => expires_at ?? []);
    return { secret, previous_until: toTimestampOrNull(ends.length === 0 ? null : Math.max(...ends)) };
  }

  /** Makes a new secret. The previous one also signs for another 24 h. Audited. */
  async rotate(caller: Caller): Promise<SigningSecretView> {
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    const until = now + OVERLAP_MS;
    const { row, secret } = await this.#newRow(environmentId, now);
    const hasPrevious = await this.#deps.db.transaction(async (tx) => {
      const before = await liveSecrets(tx, environmentId, now);
      await expireSecrets(tx, environmentId, until);
      await rows(tx, 'signing_secrets').insert(row);
      await writeAuditLine(tx, caller, { action: 'signing_secret.rotate', target: row.id, now });
      return before.length > 0;
    });
    return { secret, previous_until: hasPrevious ? toTimestamp(until) : null };
  }

  /** Current secrets; at least one. */
  async #live(environmentId: string): Promise<[SigningSecret, ...SigningSecret[]]> {
    const now = this.#deps.clock.now();
    const [newest, ...before] = await liveSecrets(this.#deps.db.read, environmentId, now);
    return newest === undefined ? [await this.#first(environmentId, now)] : [newest, ...before];
  }

  /** Makes the first secret, and discards it if another process was faster. */
  async #first(environmentId: string, now: number): Promise<SigningSecret> {
    const { row } = await this.#newRow(environmentId, now);
    return this.#deps.db.transaction(async (tx) => {
      const [existing] = await liveSecrets(tx, environmentId, now);
      if (existing === undefined) await rows(tx, 'signing_secrets').insert(row);
      return existing ?? row;
    });
  }

  async #newRow(environmentId: string, now: number): Promise<{ row: SigningSecret; secret: string }> {
    const id = newId('sec', now);
    const secret = newSigningSecret();
    return {
      secret,
      row: {
        id,
        environment_id: environmentId,
        secret_sealed: await this.#deps.vault.seal(placeOf(id), secret),
        created_at: now,
        expires_at: null,
      },
    };
  }

  async #open(row: SigningSecret): Promise<string> {
    return this.#deps.vault.open(placeOf(row.id), row.secret_sealed);
  }
}

const placeOf = (row: string) => ({ table: 'signing_secrets', row, column: 'secret_sealed' });

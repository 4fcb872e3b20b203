/**
 * The secrets that sign what an environment sends: made on first need, shown to administrators, rotated.
 *
 * Sealed in the database and read for every message: a rotation in one process holds in all of them at once.
 */
import type { Caller } from '../core/caller.ts';
import { toTimestamp, toTimestampOrNull, type Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { SigningSecretStore, type SigningSecretRow } from '../store/policy/signing-secret-store.ts';
import { UnreadableSecret, type Vault } from '../vault/vault.ts';
import { newSigningSecret } from './signing.ts';

/** How long the secret before a rotation goes on signing beside the new one. */
const OVERLAP_MS = 24 * 3_600_000;

/** Signatures of one message at most: many rotations in a day must not blow up a header. */
const MAX_SIGNING = 10;

/** What an administrator sees (docs/contract.md#signatures). */
export interface SigningSecretView {
  /** `whsec_…` */
  secret: string;
  /** Until when messages are signed with a secret before this one too; null: with this one only. */
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
   * Secrets that sign now, newest first. One that cannot be opened is left out where another can.
   *
   * @throws UnreadableSecret when none can be opened; a rotation mends it
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

  /** The newest secret. Audited before it is answered. @throws UnreadableSecret */
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

  /** Makes a new secret. The one before goes on signing beside it for 24 h. Audited. */
  async rotate(caller: Caller): Promise<SigningSecretView> {
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    const until = now + OVERLAP_MS;
    const { row, secret } = await this.#newRow(environmentId, now);
    const hasPrevious = await this.#deps.db.transaction(async (tx) => {
      const store = new SigningSecretStore(tx);
      const before = await store.listLive(environmentId, now);
      await store.expireAll(environmentId, until);
      await store.insert(row);
      await writeAuditLine(tx, caller, { action: 'signing_secret.rotate', target: row.id, now });
      return before.length > 0;
    });
    return { secret, previous_until: hasPrevious ? toTimestamp(until) : null };
  }

  /** At least one. */
  async #live(environmentId: string): Promise<[SigningSecretRow, ...SigningSecretRow[]]> {
    const now = this.#deps.clock.now();
    const [newest, ...before] = await new SigningSecretStore(this.#deps.db.read).listLive(environmentId, now);
    return newest === undefined ? [await this.#first(environmentId, now)] : [newest, ...before];
  }

  /** Makes the first secret, and throws it away when another process was faster. */
  async #first(environmentId: string, now: number): Promise<SigningSecretRow> {
    const { row } = await this.#newRow(environmentId, now);
    return this.#deps.db.transaction(async (tx) => {
      const store = new SigningSecretStore(tx);
      const [existing] = await store.listLive(environmentId, now);
      if (existing === undefined) await store.insert(row);
      return existing ?? row;
    });
  }

  async #newRow(environmentId: string, now: number): Promise<{ row: SigningSecretRow; secret: string }> {
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

  async #open(row: SigningSecretRow): Promise<string> {
    return this.#deps.vault.open(placeOf(row.id), row.secret_sealed);
  }
}

const placeOf = (row: string) => ({ table: 'signing_secrets', row, column: 'secret_sealed' });

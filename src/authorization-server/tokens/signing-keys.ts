/**
 * The keys that sign access tokens: RS256, created when first needed and replaced every 90 days.
 *
 * A new key is published a day before it signs, so that everyone who caches the keys has it by then. The previous
 * one stays published until the next is created: 90 days, and no token is valid for more than 30. The private half
 * is stored sealed in the database. While the database fails, the key in memory continues to sign.
 */
import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Database, Readable } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { Vault } from '../../vault/vault.ts';
import { asRead } from '../../store/engine/row-reader.ts';
import type { StoredForm } from '../../store/tables/column-types.ts';
import type { SigningJwk, SigningKey, SigningKeyTable } from '../../store/tables/tables.ts';

/** Shortest time between searches for keys of other processes, however many unknown `kid`s arrive. */
const RELOAD_AFTER_MS = 4_000;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Age of the newest key at which another one is created. */
const ROTATE_AFTER_MS = 90 * DAY_MS;

/** A key is published this long before it signs; the very first one signs at once. */
const PUBLISH_AHEAD_MS = DAY_MS;

/** Shortest time between checks in the database which key signs. */
const RECHECK_AFTER_MS = 60_000;

/** Public keys of one environment by `kid`. */
interface PublicKeys {
  jwks: SigningJwk[];
  byKid: Map<string, KeyObject>;
  loadedAt: number;
}

/** Services and settings that the keys need. */
export interface SigningKeyDependencies {
  database: Database;
  vault: Pick<Vault, 'seal' | 'open'>;
  clock: Clock;
  log: Log;
}

export class SigningKeys {
  readonly #deps: SigningKeyDependencies;
  /** One promise per environment: parallel first requests create one key. */
  readonly #current = new Map<string, { jwk: Promise<SigningJwk>; checkedAt: number }>();
  readonly #public = new Map<string, PublicKeys>();

  constructor(deps: SigningKeyDependencies) {
    this.#deps = deps;
  }

  /**
   * The key that signs now, created on the first call, once for all processes. The same object until another key signs.
   *
   * @throws UnreadableSecret (a ServiceError UNAVAILABLE) if the stored key cannot be opened; ServiceError UNAVAILABLE
   *   if the database fails and this process has no key yet
   */
  async signingJwk(environmentId: string): Promise<SigningJwk> {
    const now = this.#deps.clock.now();
    const known = this.#current.get(environmentId);
    if (known !== undefined && now - known.checkedAt < RECHECK_AFTER_MS) return known.jwk;
    const jwk = this.#open(environmentId, known?.jwk);
    this.#current.set(environmentId, { jwk, checkedAt: now });
    jwk.catch(() => this.#current.delete(environmentId));
    return jwk;
  }

  /** The public keys, as `GET /keys` shows them. @see RFC 7517 section 5 */
  async jwks(environmentId: string): Promise<{ keys: SigningJwk[] }> {
    const { jwks } = await this.#published(environmentId);
    if (jwks.length > 0) return { keys: jwks };
    await this.signingJwk(environmentId);
    return { keys: (await this.#published(environmentId)).jwks };
  }

  /** The public key that a token names; `undefined` if the environment has no such key. */
  async publicKey(environmentId: string, kid: string): Promise<KeyObject | undefined> {
    const key = this.#public.get(environmentId)?.byKid.get(kid);
    return key ?? (await this.#published(environmentId)).byKid.get(kid);
  }

  /** @param before the key opened last; the same key is not opened again */
  async #open(environmentId: string, before: Promise<SigningJwk> | undefined): Promise<SigningJwk> {
    const known = await before;
    let keys: SigningKey[];
    try {
      keys = await newestFirst(this.#deps.database.read, environmentId);
    } catch (error) {
      if (known === undefined) throw error;
      this.#noteOutage('signing_key_not_checked', environmentId, error);
      return known;
    }
    if (isDue(keys, this.#deps.clock.now())) keys = await this.#renewed(environmentId, keys);
    const row = signing(keys, this.#deps.clock.now());
    if (known?.kid === row.id) return known;
    const context = { table: 'signing_keys', row: row.id, column: 'private_jwk' };
    return JSON.parse(await this.#deps.vault.open(context, row.private_jwk_sealed)) as SigningJwk;
  }

  /** Adds another key. Failure to store it does no harm yet: it would not sign for another day. */
  async #renewed(environmentId: string, keys: SigningKey[]): Promise<SigningKey[]> {
    try {
      return await this.#make(environmentId);
    } catch (error) {
      if (keys.length === 0) throw error;
      this.#noteOutage('signing_key_not_made', environmentId, error);
      return keys;
    }
  }

  /** @throws every error that is not an outage of the database */
  #noteOutage(event: string, environmentId: string, error: unknown): void {
    if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
    this.#deps.log.warn(event, { environment_id: environmentId, err: error });
  }

  /** Creates a pair, and discards it if another process was faster. @returns all keys, newest first */
  async #make(environmentId: string): Promise<SigningKey[]> {
    const now = this.#deps.clock.now();
    const id = newId('key', now);
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const named = { kid: id, alg: 'RS256', use: 'sig' } as const;
    const row: StoredForm<SigningKeyTable> = {
      id,
      environment_id: environmentId,
      public_jwk: JSON.stringify({ ...pair.publicKey.export({ format: 'jwk' }), ...named }),
      private_jwk_sealed: await this.#deps.vault.seal(
        { table: 'signing_keys', row: id, column: 'private_jwk' },
        JSON.stringify({ ...pair.privateKey.export({ format: 'jwk' }), ...named }),
      ),
      created_at: now,
    };
    return this.#deps.database.transaction(async (tx) => {
      const keys = await newestFirst(tx, environmentId);
      if (!isDue(keys, now)) return keys;
      const [newest, ...retired] = keys;
      const store = rows(tx, 'signing_keys');
      await store.insert(row);
      for (const old of retired) await store.delete(environmentId, old.id);
      const made = asRead('signing_keys', row);
      return newest === undefined ? [made] : [made, newest];
    });
  }

  /** The keys loaded a moment ago; an empty result is not reused. */
  async #published(environmentId: string): Promise<PublicKeys> {
    const loaded = this.#public.get(environmentId);
    const isFresh = loaded !== undefined && this.#deps.clock.now() - loaded.loadedAt < RELOAD_AFTER_MS;
    return isFresh && loaded.jwks.length > 0 ? loaded : this.#load(environmentId);
  }

  async #load(environmentId: string): Promise<PublicKeys> {
    const keys = await newestFirst(this.#deps.database.read, environmentId);
    const jwks = keys.map((row) => row.public_jwk);
    const loaded = {
      jwks,
      byKid: new Map(jwks.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })])),
      loadedAt: this.#deps.clock.now(),
    };
    this.#public.set(environmentId, loaded);
    return loaded;
  }
}

async function newestFirst(db: Readable, environmentId: string): Promise<SigningKey[]> {
  return rows(db, 'signing_keys').list(environmentId, {
    orderBy: ['created_at', 'id'],
    direction: 'desc',
  });
}

/** @param keys newest first */
function isDue([newest]: readonly SigningKey[], now: number): boolean {
  return newest === undefined || now - newest.created_at >= ROTATE_AFTER_MS;
}

/** The newest key that has been published for long enough; otherwise the oldest key. */
function signing(keys: readonly SigningKey[], now: number): SigningKey {
  const row = keys.find((key) => now - key.created_at >= PUBLISH_AHEAD_MS) ?? keys.at(-1);
  if (row === undefined) throw new Error('an environment without a signing key');
  return row;
}

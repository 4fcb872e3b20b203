/**
 * The keys that sign access tokens: RS256, one pair per environment, made when it is first needed.
 *
 * The private half lies sealed in the database. Nothing here changes or removes a key.
 */
import { createPublicKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Database } from '../store/database.ts';
import { SigningKeyStore, type SigningKeyRow } from '../store/signing-key-store.ts';
import type { Vault } from '../vault/vault.ts';

/** A key of another process is looked for at most this often, however many unknown `kid`s arrive. */
const RELOAD_AFTER_MS = 4_000;

/** A JSON Web Key of an RSA pair with `kid`, `alg` and `use`. */
export interface SigningJwk extends JsonWebKey {
  kid: string;
  alg: 'RS256';
  use: 'sig';
}

/** Public keys of one environment by `kid`. */
interface PublicKeys {
  jwks: SigningJwk[];
  byKid: Map<string, KeyObject>;
  loadedAt: number;
}

export class SigningKeys {
  readonly #database: Database;
  readonly #vault: Pick<Vault, 'seal' | 'open'>;
  readonly #clock: Clock;
  /** One promise per environment: parallel first requests make one key. */
  readonly #current = new Map<string, Promise<SigningJwk>>();
  readonly #public = new Map<string, PublicKeys>();

  constructor(deps: { database: Database; vault: Pick<Vault, 'seal' | 'open'>; clock: Clock }) {
    this.#database = deps.database;
    this.#vault = deps.vault;
    this.#clock = deps.clock;
  }

  /**
   * The private key that signs now; made on the first call, once for all processes.
   *
   * @throws UnreadableSecret (a ServiceError UNAVAILABLE) when the stored key cannot be opened
   */
  async signingJwk(environmentId: string): Promise<SigningJwk> {
    const current = this.#current.get(environmentId);
    if (current !== undefined) return current;
    const made = this.#open(environmentId);
    this.#current.set(environmentId, made);
    made.catch(() => this.#current.delete(environmentId));
    return made;
  }

  /** The public keys, as `GET /keys` shows them. @see RFC 7517 section 5 */
  async jwks(environmentId: string): Promise<{ keys: SigningJwk[] }> {
    const { kid } = await this.signingJwk(environmentId);
    if (!this.#public.get(environmentId)?.byKid.has(kid)) await this.#load(environmentId);
    return { keys: this.#public.get(environmentId)?.jwks ?? [] };
  }

  /** The public key that a token names; undefined when the environment has no such key. */
  async publicKey(environmentId: string, kid: string): Promise<KeyObject | undefined> {
    const loaded = this.#public.get(environmentId);
    const key = loaded?.byKid.get(kid);
    if (key !== undefined) return key;
    const isFresh = loaded !== undefined && this.#clock.now() - loaded.loadedAt < RELOAD_AFTER_MS;
    return isFresh && loaded.byKid.size > 0 ? undefined : (await this.#load(environmentId)).byKid.get(kid);
  }

  async #open(environmentId: string): Promise<SigningJwk> {
    const row = (await this.#newest(environmentId)) ?? (await this.#make(environmentId));
    const context = { table: 'signing_keys', row: row.id, column: 'private_jwk' };
    return JSON.parse(await this.#vault.open(context, row.private_jwk_sealed)) as SigningJwk;
  }

  async #newest(environmentId: string): Promise<SigningKeyRow | undefined> {
    const [newest] = await new SigningKeyStore(this.#database.read).list(environmentId);
    return newest;
  }

  /** Makes a pair, and throws it away when another process was faster. */
  async #make(environmentId: string): Promise<SigningKeyRow> {
    const now = this.#clock.now();
    const id = newId('key', now);
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const named = { kid: id, alg: 'RS256', use: 'sig' } as const;
    const row: SigningKeyRow = {
      id,
      environment_id: environmentId,
      public_jwk: JSON.stringify({ ...pair.publicKey.export({ format: 'jwk' }), ...named }),
      private_jwk_sealed: await this.#vault.seal(
        { table: 'signing_keys', row: id, column: 'private_jwk' },
        JSON.stringify({ ...pair.privateKey.export({ format: 'jwk' }), ...named }),
      ),
      created_at: now,
    };
    return this.#database.transaction(async (tx) => {
      const store = new SigningKeyStore(tx);
      const [existing] = await store.list(environmentId);
      if (existing === undefined) await store.insert(row);
      return existing ?? row;
    });
  }

  async #load(environmentId: string): Promise<PublicKeys> {
    const rows = await new SigningKeyStore(this.#database.read).list(environmentId);
    const jwks = rows.map((row) => JSON.parse(row.public_jwk) as SigningJwk);
    const loaded = {
      jwks,
      byKid: new Map(jwks.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })])),
      loadedAt: this.#clock.now(),
    };
    this.#public.set(environmentId, loaded);
    return loaded;
  }
}

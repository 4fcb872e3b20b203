/**
 * Stores what the authorization server keeps between requests: payloads sealed, ids hashed, because the id of a code is
 * the code itself. Expired rows are still found; the caller checks `expiresAt`.
 */
import type { Clock } from '../../core/clock.ts';
import { hashSecret, newId } from '../../core/ids.ts';
import { AuthorizationArtifactStore } from '../../store/tokens/authorization-artifact-store.ts';
import { rows } from '../../store/engine/rows.ts';
import type { AuthorizationArtifact } from '../../store/tables/people-tables.ts';
import { writeAuditLine } from '../../store/records/audit-store.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { artifactPlace } from '../tokens/refresh-token-rows.ts';

/** Payload of an artifact, as it was given to `save`. */
export type ArtifactPayload = Readonly<Record<string, unknown>>;

/** An artifact as found. Times in Unix milliseconds. */
export interface OAuthRecord {
  payload: ArtifactPayload;
  /** null if it never expires. */
  expiresAt: number | null;
  /** null if not consumed. */
  consumedAt: number | null;
}

/** Names an artifact: its kind, and its id as the client knows it. */
export interface ArtifactName {
  environmentId: string;
  model: string;
  id: string;
}

/** A line of the audit log, written in the transaction that stores an artifact. */
export interface ArtifactAudit {
  /** '' without an actor. */
  actor: string;
  ip: string;
  action: string;
  target: string;
}

/** Limits of what strangers store. A further one replaces the oldest of the network that holds most. */
export interface Room {
  /** Network of the stranger; '' if unknown. */
  network: string;
  ofNetwork: number;
  inEnvironment: number;
}

interface OAuthRecordsDeps {
  database: Database;
  vault: Pick<Vault, 'seal' | 'open'>;
  clock: Clock;
}

export class OAuthRecords {
  readonly #deps: OAuthRecordsDeps;

  constructor(deps: OAuthRecordsDeps) {
    this.#deps = deps;
  }

  /** @throws UnreadableSecret if it cannot be opened */
  async find(name: ArtifactName): Promise<OAuthRecord | undefined> {
    const row = await new AuthorizationArtifactStore(this.#deps.database.read).find(keyOf(name));
    return row === undefined ? undefined : this.#open(row);
  }

  /** The same, but only before it expires. */
  async findLive(name: ArtifactName): Promise<OAuthRecord | undefined> {
    const found = await this.find(name);
    return found !== undefined && isLive(found, this.#deps.clock.now()) ? found : undefined;
  }

  /**
   * Stores an artifact and replaces one with the same name; a consumed one stays consumed. Two at once with a new name
   * are an error, unless either may win (`isShared`). `audit` is written with it. `room` holds for new ones.
   */
  async save(
    name: ArtifactName,
    payload: ArtifactPayload,
    options: {
      lifetimeMs?: number | undefined;
      grantId?: string | undefined;
      isShared?: true;
      audit?: ArtifactAudit;
      room?: Room | undefined;
    } = {},
  ): Promise<void> {
    const now = this.#deps.clock.now();
    const key = keyOf(name);
    const known = await new AuthorizationArtifactStore(this.#deps.database.read).find(key);
    const id = known?.id ?? newId('art', now);
    const said = {
      grant_hash: options.grantId === undefined ? null : hashSecret(options.grantId),
      payload_sealed: await this.#deps.vault.seal(artifactPlace(id), JSON.stringify(payload)),
      expires_at: options.lifetimeMs === undefined ? null : now + options.lifetimeMs,
    };
    const isNew = await this.#deps.database.transaction(async (tx) => {
      const artifacts = rows(tx, 'authorization_artifacts');
      if (options.audit !== undefined)
        await writeAuditLine(
          tx,
          { environmentId: name.environmentId, ...options.audit },
          { ...options.audit, now },
        );
      if (await artifacts.update(name.environmentId, id, said)) return false;
      const row = {
        id,
        environment_id: name.environmentId,
        model: name.model,
        id_hash: key.idHash,
        uid_hash: null,
        session_id: null,
        created_at: now,
        consumed_at: null,
        network: options.room?.network ?? null,
        ...said,
      };
      if (options.isShared === true) await new AuthorizationArtifactStore(tx).insertIfAbsent(row);
      else await artifacts.insert(row);
      return true;
    });
    if (isNew && options.room !== undefined) await this.#makeRoom(name, options.room);
  }

  /** Stores an empty artifact. Returns true to the one caller that does, false once the name is taken. */
  async claim({ environmentId, model, id: name }: ArtifactName, lifetimeMs: number): Promise<boolean> {
    const now = this.#deps.clock.now();
    const id = newId('art', now);
    const row = {
      id,
      environment_id: environmentId,
      model,
      id_hash: hashSecret(name),
      grant_hash: null,
      uid_hash: null,
      session_id: null,
      payload_sealed: await this.#deps.vault.seal(artifactPlace(id), '{}'),
      created_at: now,
      expires_at: now + lifetimeMs,
      consumed_at: now,
      network: null,
    };
    return this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).insertIfAbsent(row),
    );
  }

  /** Returns true to the one caller that consumes a live artifact, false to every other. */
  async consume(name: ArtifactName): Promise<boolean> {
    const now = this.#deps.clock.now();
    return this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).consume(keyOf(name), now),
    );
  }

  /** Records the session that an artifact led to. Returns false if it is gone: then it was presented again. */
  async attachSession(name: ArtifactName, sessionId: string): Promise<boolean> {
    return this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).attachSession(keyOf(name), sessionId),
    );
  }

  /** Moves the expiry of an artifact that was used; ignores an unknown one. */
  async extend(name: ArtifactName, lifetimeMs: number): Promise<void> {
    const end = this.#deps.clock.now() + lifetimeMs;
    await this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).extend(keyOf(name), end),
    );
  }

  /** @returns the session that it led to, if any */
  async remove(name: ArtifactName): Promise<string | undefined> {
    return this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).delete(keyOf(name)),
    );
  }

  async removeOfGrant(environmentId: string, model: string, grantId: string): Promise<void> {
    await this.#deps.database.transaction(async (tx) =>
      new AuthorizationArtifactStore(tx).deleteByGrant(environmentId, model, hashSecret(grantId)),
    );
  }

  /** Counts outside a transaction, so that strangers who come at the same time cause no conflicts. */
  async #makeRoom({ environmentId, model }: ArtifactName, room: Room): Promise<void> {
    const { read } = this.#deps.database;
    const artifacts = rows(read, 'authorization_artifacts');
    const { network } = room;
    const excess = (await artifacts.count(environmentId, { model, network })) - room.ofNetwork;
    if (excess > 0) await this.#removeOldest(environmentId, { model, network }, excess);
    const inAll = async () =>
      artifacts.count(environmentId, (e) => e.and([e('model', '=', model), e('network', 'is not', null)]));
    while ((await inAll()) > room.inEnvironment) {
      const largest = await new AuthorizationArtifactStore(read).largestNetwork(environmentId, model);
      await this.#removeOldest(environmentId, { model, network: largest }, 1);
    }
  }

  async #removeOldest(
    environmentId: string,
    where: { model: string; network: string | undefined },
    limit: number,
  ): Promise<void> {
    const orderBy = ['created_at', 'id'] as const;
    const { read } = this.#deps.database;
    const oldest = await rows(read, 'authorization_artifacts').list(environmentId, { where, orderBy, limit });
    await this.#deps.database.transaction(async (tx) => {
      for (const { id } of oldest) await rows(tx, 'authorization_artifacts').delete(environmentId, id);
    });
  }

  async #open(row: AuthorizationArtifact): Promise<OAuthRecord> {
    const text = await this.#deps.vault.open(artifactPlace(row.id), row.payload_sealed);
    return {
      payload: JSON.parse(text) as ArtifactPayload,
      expiresAt: row.expires_at,
      consumedAt: row.consumed_at,
    };
  }
}

/** Whether an artifact has not expired. */
export function isLive({ expiresAt }: OAuthRecord, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

function keyOf({ environmentId, model, id }: ArtifactName) {
  return { environmentId, model, idHash: hashSecret(id) };
}

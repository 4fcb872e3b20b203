/**
 * Rows of the authorization server: registered clients, authorization codes, refresh tokens, consents in progress.
 * Knows SQL and nothing else; ids arrive as hashes and payloads sealed.
 */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { AuthorizationArtifact } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

/** Names one artifact. */
export interface ArtifactKey {
  environmentId: string;
  model: string;
  idHash: string;
}

export class AuthorizationArtifactStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** The artifact, even if it is consumed or has expired. */
  async find({ environmentId, model, idHash }: ArtifactKey): Promise<AuthorizationArtifact | undefined> {
    return rows(this.#db, 'authorization_artifacts').findBy(environmentId, { model, id_hash: idHash });
  }

  /** Does nothing and returns false if an artifact with the same key exists. */
  async insertIfAbsent(row: AuthorizationArtifact): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('authorization_artifacts')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Moves the end of an artifact that was used, which no longer counts for its network. */
  async extend({ environmentId, model, idHash }: ArtifactKey, expiresAt: number): Promise<void> {
    await this.#db
      .updateTable('authorization_artifacts')
      .set({ expires_at: expiresAt, network: null })
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .execute();
  }

  /** Returns true to the one caller that consumes a live artifact, false to every other. */
  async consume({ environmentId, model, idHash }: ArtifactKey, now: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('authorization_artifacts')
      .set({ consumed_at: now })
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .where('consumed_at', 'is', null)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** The network with most artifacts of a model; of several, the one with the oldest artifact. */
  async largestNetwork(environmentId: string, model: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('authorization_artifacts')
      .select('network')
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('network', 'is not', null)
      .groupBy('network')
      .orderBy((e) => e.fn.countAll(), 'desc')
      .orderBy((e) => e.fn.min('created_at'))
      .limit(1)
      .executeTakeFirst();
    return row?.network ?? undefined;
  }

  /** All artifacts of a grant, including consumed and expired ones. */
  async ofGrant(
    environmentId: string,
    model: string,
    grantHash: string,
  ): Promise<Pick<AuthorizationArtifact, 'id' | 'consumed_at'>[]> {
    return this.#db
      .selectFrom('authorization_artifacts')
      .select(['id', 'consumed_at'])
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('grant_hash', '=', grantHash)
      .execute();
  }

  /** Stores the session that an artifact led to. Returns false if the artifact is gone. */
  async attachSession({ environmentId, model, idHash }: ArtifactKey, sessionId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('authorization_artifacts')
      .set({ session_id: sessionId })
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** @returns the session that the artifact led to, if any */
  async delete({ environmentId, model, idHash }: ArtifactKey): Promise<string | undefined> {
    const row = await this.#db
      .deleteFrom('authorization_artifacts')
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .returning('session_id')
      .executeTakeFirst();
    return row?.session_id ?? undefined;
  }

  async deleteByGrant(environmentId: string, model: string, grantHash: string): Promise<void> {
    await this.#db
      .deleteFrom('authorization_artifacts')
      .where('environment_id', '=', environmentId)
      .where('model', '=', model)
      .where('grant_hash', '=', grantHash)
      .execute();
  }
}

/** Removal of rows that have served their time, in batches. The audit log is not among them. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Every method removes up to `limit` rows of one environment and returns how many it removed. */
export class RetentionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Executions recorded before a time, oldest first. */
  async deleteExecutions(environmentId: string, before: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('executions')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('at', '<', before)
      .orderBy('at')
      .orderBy('id')
      .limit(limit);
    const result = await this.#db
      .deleteFrom('executions')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Links that expired before a time, completed or not. */
  async deleteLinks(environmentId: string, expiredBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('links')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('expires_at', '<', expiredBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('links')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Auth requests that ended before a time. One that has not ended is never removed: its account waits for it. */
  async deleteAuthRequests(environmentId: string, endedBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('auth_requests')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('ended_at', 'is not', null)
      .where('ended_at', '<', endedBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('auth_requests')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Revocations of tokens that expired before a time: the token is refused without them. */
  async deleteRevokedTokens(environmentId: string, expiredBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('revoked_tokens')
      .select('token_id')
      .where('environment_id', '=', environmentId)
      .where('expires_at', '<', expiredBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('revoked_tokens')
      .where('environment_id', '=', environmentId)
      .where('token_id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Secrets of API credentials that rotation ended before a time. */
  async deleteCredentialSecrets(
    environmentId: string,
    expiredBefore: number,
    limit: number,
  ): Promise<number> {
    const old = this.#db
      .selectFrom('credential_secrets')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('expires_at', 'is not', null)
      .where('expires_at', '<', expiredBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('credential_secrets')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }
}

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

  /** OAuth flows that expired before a time, claimed or not. */
  async deleteOAuthFlows(environmentId: string, expiredBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('oauth_flows')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('expires_at', '<', expiredBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('oauth_flows')
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

  /** Deliveries that succeeded or were given up before a time. */
  async deleteFinishedDeliveries(
    environmentId: string,
    finishedBefore: number,
    limit: number,
  ): Promise<number> {
    const old = this.#db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('finished_at', 'is not', null)
      .where('finished_at', '<', finishedBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('webhook_deliveries')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Deliveries that have waited since before a time for a webhook that is disabled. */
  async deleteHeldDeliveries(environmentId: string, createdBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select('webhook_deliveries.id')
      .where('webhook_deliveries.environment_id', '=', environmentId)
      .where('webhook_deliveries.finished_at', 'is', null)
      .where('webhook_deliveries.created_at', '<', createdBefore)
      .where('webhooks.enabled', '=', 0)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('webhook_deliveries')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Outcomes of calls under idempotency keys that were made before a time. One that is under way is younger. */
  async deleteIdempotencyKeys(environmentId: string, before: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('idempotency_keys')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('created_at', '<', before)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('idempotency_keys')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Signing secrets that rotation ended before a time. */
  async deleteSigningSecrets(environmentId: string, expiredBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('signing_secrets')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('expires_at', 'is not', null)
      .where('expires_at', '<', expiredBefore)
      .limit(limit);
    const result = await this.#db
      .deleteFrom('signing_secrets')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }
}

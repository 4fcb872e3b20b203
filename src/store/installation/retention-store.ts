/** Removes rows after their retention time, in batches. The audit log is never removed. */
import { sql, type Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { storedFlag } from '../engine/row-reader.ts';

/** Tables whose rows are removed, with the deciding time. Rows without that time (null) stay. */
const TIMES = {
  executions: 'at',
  links: 'expires_at',
  oauth_flows: 'expires_at',
  // A request that has not ended is never removed: its account waits for it.
  auth_requests: 'ended_at',
  // An expired token is refused even without its revocation.
  revoked_tokens: 'expires_at',
  credential_secrets: 'expires_at',
  webhook_deliveries: 'finished_at',
  interceptor_logs: 'at',
  email_codes: 'expires_at',
  sign_in_flows: 'expires_at',
  // A running call is always younger than the rows that are removed.
  idempotency_keys: 'created_at',
  signing_secrets: 'expires_at',
  // Codes, refresh tokens, unused clients.
  authorization_artifacts: 'expires_at',
} as const satisfies { [Table in keyof Tables]?: keyof Tables[Table] };

/** A table whose rows are removed after one of their times. */
export type TemporaryTable = keyof typeof TIMES;

/** Every method removes up to `limit` rows of one environment and returns how many it removed. */
export class RetentionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Removes rows whose time (expiry, end or creation) is before the given one, oldest first. */
  async deleteBefore(
    table: TemporaryTable,
    environmentId: string,
    before: number,
    limit: number,
  ): Promise<number> {
    const id = sql.ref(table === 'revoked_tokens' ? 'token_id' : 'id');
    const time = sql.ref(TIMES[table]);
    const old = sql`select ${id} from ${sql.table(table)}
      where environment_id = ${environmentId} and ${time} < ${before} order by ${time}, ${id} limit ${limit}`;
    const result = await sql`delete from ${sql.table(table)}
      where environment_id = ${environmentId} and ${id} in (${old})`.execute(this.#db);
    return Number(result.numAffectedRows);
  }

  /**
   * Removes sessions that ended or expired before a time. A removed session counts as one that is not live.
   */
  async deleteSessions(environmentId: string, overBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('sessions')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where((e) => e.or([e('expires_at', '<', overBefore), e('ended_at', '<', overBefore)]))
      .limit(limit);
    const result = await this.#db
      .deleteFrom('sessions')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /**
   * Removes codes and refresh tokens consumed before a time. One stays while another from the same exchange
   * is unused: without it, that one could not be distinguished from a valid one.
   */
  async deleteConsumedArtifacts(
    environmentId: string,
    consumedBefore: number,
    limit: number,
  ): Promise<number> {
    const old = this.#db
      .selectFrom('authorization_artifacts as used')
      .select('used.id')
      .where('used.environment_id', '=', environmentId)
      .where('used.consumed_at', '<', consumedBefore)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('authorization_artifacts as rival')
              .select('rival.id')
              .whereRef('rival.environment_id', '=', 'used.environment_id')
              .whereRef('rival.grant_hash', '=', 'used.grant_hash')
              .where('rival.consumed_at', 'is', null),
          ),
        ),
      )
      .limit(limit);
    const result = await this.#db
      .deleteFrom('authorization_artifacts')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  /** Removes deliveries that have waited since before a time for a disabled webhook. */
  async deleteHeldDeliveries(environmentId: string, createdBefore: number, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select('webhook_deliveries.id')
      .where('webhook_deliveries.environment_id', '=', environmentId)
      .where('webhook_deliveries.finished_at', 'is', null)
      .where('webhook_deliveries.created_at', '<', createdBefore)
      .where('webhooks.enabled', '=', storedFlag(false))
      .limit(limit);
    const result = await this.#db
      .deleteFrom('webhook_deliveries')
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }
}

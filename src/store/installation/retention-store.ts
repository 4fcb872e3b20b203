/** Finds and removes rows after their retention time. The audit log is never removed. */
import { sql, type RawBuilder } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { Readable } from '../engine/database.ts';
import { storedFlag } from '../engine/row-reader.ts';

/** Rows of a table that are removed after one of their times. Rows without that time (null) stay. */
interface TemporaryRows {
  table: keyof Tables;
  time: string;
  /** Default `id`; another one is unique within an environment. */
  key?: string;
  /** Condition for the rows to delete; all expired rows if absent. */
  only?: (environmentId: string) => RawBuilder<unknown>;
}

const TEMPORARY = {
  executions: { table: 'executions', time: 'at' },
  // Their hour finds and removes all sums of it at once.
  executionSums: { table: 'execution_sums', time: 'hour', key: 'hour' },
  links: { table: 'links', time: 'expires_at' },
  oauthFlows: { table: 'oauth_flows', time: 'expires_at' },
  // A request that has not ended is never removed: its account waits for it.
  authRequests: { table: 'auth_requests', time: 'ended_at' },
  // An expired token is refused even without its revocation.
  revokedTokens: { table: 'revoked_tokens', time: 'expires_at', key: 'token_id' },
  credentialSecrets: { table: 'credential_secrets', time: 'expires_at' },
  webhookDeliveries: { table: 'webhook_deliveries', time: 'finished_at' },
  /** Deliveries that wait for a disabled webhook. */
  heldDeliveries: {
    table: 'webhook_deliveries',
    time: 'created_at',
    only: (environmentId) => sql`finished_at is null and webhook_id in (
      select id from webhooks where environment_id = ${environmentId} and enabled = ${storedFlag(false)})`,
  },
  interceptorLogs: { table: 'interceptor_logs', time: 'at' },
  emailCodes: { table: 'email_codes', time: 'expires_at' },
  signInFlows: { table: 'sign_in_flows', time: 'expires_at' },
  // A running call is always younger than the rows that are removed.
  idempotencyKeys: { table: 'idempotency_keys', time: 'created_at' },
  signingSecrets: { table: 'signing_secrets', time: 'expires_at' },
  // A removed session counts as one that is not live.
  expiredSessions: { table: 'sessions', time: 'expires_at' },
  endedSessions: { table: 'sessions', time: 'ended_at' },
  /** Codes, refresh tokens, unused clients. */
  artifacts: { table: 'authorization_artifacts', time: 'expires_at' },
  /** Codes that expired unused. Used codes reveal a replay. */
  unusedArtifacts: {
    table: 'authorization_artifacts',
    time: 'expires_at',
    // Not `is null`: SQLite would take the index by use, and sort.
    only: () => sql`coalesce(consumed_at, 0) = 0`,
  },
  // One stays while another from the same exchange is unused: without it, that one could not be distinguished from
  // a valid one.
  consumedArtifacts: {
    table: 'authorization_artifacts',
    time: 'consumed_at',
    only: () => sql`not exists (
      select 1 from authorization_artifacts as rival
      where rival.environment_id = authorization_artifacts.environment_id
      and rival.grant_hash = authorization_artifacts.grant_hash and rival.consumed_at is null)`,
  },
} as const satisfies Record<string, TemporaryRows>;

/** Rows that are removed after one of their times. */
export type Temporary = keyof typeof TEMPORARY;

/** A row that is over, by the time that decides and its key. */
export interface OverKey {
  time: number;
  key: string;
}

/** Rows of one environment whose time is before the given one. */
export class RetentionStore {
  readonly #db: Readable;

  constructor(db: Readable) {
    this.#db = db;
  }

  /** Up to `limit` of them, oldest first, after `last`. May read the whole table. */
  async find(
    name: Temporary,
    environmentId: string,
    { before, last, limit }: { before: number; last: OverKey | undefined; limit: number },
  ): Promise<OverKey[]> {
    const { table, time, key, only } = placeOf(name, environmentId);
    const after = last === undefined ? sql`` : sql`and (${time}, ${key}) > (${last.time}, ${last.key})`;
    const { rows } = await sql<OverKey>`
      select ${time} as time, ${key} as key from ${table}
      where environment_id = ${environmentId} and ${time} < ${before} and ${only} ${after}
      order by ${time}, ${key} limit ${limit}`.execute(this.#db);
    return rows;
  }

  /**
   * Removes those of the rows that are still over. Returns how many it removed.
   *
   * Looks at no other row: within `case`, a condition leads the database to no index but that of the keys.
   */
  async remove(
    name: Temporary,
    environmentId: string,
    { before, keys }: { before: number; keys: readonly string[] },
  ): Promise<number> {
    const { table, time, key, only, isUniqueKey } = placeOf(name, environmentId);
    const among = isUniqueKey ? sql`` : sql`environment_id = ${environmentId} and`;
    const result = await sql`
      delete from ${table} where ${among} ${key} in (${sql.join(keys)})
      and case when environment_id = ${environmentId} and ${time} < ${before} and ${only} then 1 end = 1`.execute(
      this.#db,
    );
    return Number(result.numAffectedRows);
  }
}

function placeOf(name: Temporary, environmentId: string) {
  const { table, time, key = 'id', only = () => sql`1 = 1` }: TemporaryRows = TEMPORARY[name];
  return {
    table: sql.table(table),
    time: sql.ref(time),
    key: sql.ref(key),
    only: only(environmentId),
    isUniqueKey: key === 'id',
  };
}

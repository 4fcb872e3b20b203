/** Rows of account events: each change of an account's status with its time, cause and actor. Append only. */
import type { Kysely, Selectable } from 'kysely';
import type { AccountEventTable, Tables } from '../tables/tables.ts';

export type AccountEventRow = Selectable<AccountEventTable>;

export class AccountEventStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async append(row: AccountEventRow): Promise<void> {
    await this.#db.insertInto('account_events').values(row).execute();
  }

  /** Oldest first, at most `limit`, the latest of them. */
  async list(environmentId: string, accountId: string, limit = 200): Promise<AccountEventRow[]> {
    const rows = await this.#db
      .selectFrom('account_events')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('account_id', '=', accountId)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.toReversed();
  }
}

/** Rows of what interceptors were asked and what they answered. Knows SQL and nothing else. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { InterceptorLogTable } from '../tables/policy-tables.ts';
import type { Tables } from '../tables/tables.ts';

export type InterceptorLogRow = Selectable<InterceptorLogTable>;

export class InterceptorLogStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Stores nothing when the interceptor was deleted while it was asked: its log has gone with it. */
  async append(row: InterceptorLogRow): Promise<void> {
    const interceptor = await this.#db
      .selectFrom('interceptors')
      .select('id')
      .where('environment_id', '=', row.environment_id)
      .where('id', '=', row.interceptor_id)
      .executeTakeFirst();
    if (interceptor === undefined) return;
    await this.#db.insertInto('interceptor_logs').values(row).execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    interceptorId: string,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<InterceptorLogRow[]> {
    const query = this.#db
      .selectFrom('interceptor_logs')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('interceptor_id', '=', interceptorId);
    return rowsFrom(query, 'at', position, limit);
  }

  async count(environmentId: string, interceptorId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('interceptor_logs')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .where('interceptor_id', '=', interceptorId)
      .executeTakeFirstOrThrow();
    return total;
  }
}

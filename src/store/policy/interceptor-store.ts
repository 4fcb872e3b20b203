/** Rows of interceptors: endpoints that decide over an environment's flows. Knows SQL and nothing else. */
import type { Kysely, Selectable, Updateable } from 'kysely';
import type { PagePosition } from '../../core/page-token.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { InterceptorTable } from '../tables/policy-tables.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { storedFlag } from '../engine/row-reader.ts';
import type { TriggerPoint } from '../../core/stored-words.ts';

export type InterceptorRow = Selectable<InterceptorTable>;

export class InterceptorStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** All interceptors of an environment in the order in which they were made, which is that of asking. */
  async list(environmentId: string): Promise<InterceptorRow[]> {
    return this.#db
      .selectFrom('interceptors')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** Those that are asked at a trigger point, in that order. Read with every token of a machine. */
  async listEnabled(environmentId: string, triggerPoint: TriggerPoint): Promise<InterceptorRow[]> {
    return enabledInterceptors(this.#db, { environmentId, triggerPoint });
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    position: PagePosition | undefined,
    limit: number,
  ): Promise<InterceptorRow[]> {
    const query = this.#db.selectFrom('interceptors').selectAll().where('environment_id', '=', environmentId);
    return rowsFrom(query, 'created_at', position, limit);
  }

  async count(environmentId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('interceptors')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .executeTakeFirstOrThrow();
    return total;
  }

  async find(environmentId: string, id: string): Promise<InterceptorRow | undefined> {
    return this.#db
      .selectFrom('interceptors')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** A taken name fails with what `isUniqueViolation` knows. */
  async insert(row: StoredForm<InterceptorTable>): Promise<void> {
    await this.#db.insertInto('interceptors').values(row).execute();
  }

  /** Returns false when there is no such interceptor. A taken name fails with what `isUniqueViolation` knows. */
  async update(environmentId: string, id: string, change: Updateable<InterceptorTable>): Promise<boolean> {
    const result = await this.#db
      .updateTable('interceptors')
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Removes the interceptor and its log. Returns false when there is no such interceptor. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('interceptors')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

const enabledInterceptors = preparedQuery((db, of: { environmentId: string; triggerPoint: TriggerPoint }) =>
  db
    .selectFrom('interceptors')
    .selectAll()
    .where('environment_id', '=', of.environmentId)
    .where('trigger_point', '=', of.triggerPoint)
    .where('enabled', '=', storedFlag(true))
    .orderBy('created_at')
    .orderBy('id'),
);

/** Rows of the audit log. Append only: the database itself refuses to change or delete them. */
import type { Kysely, Selectable } from 'kysely';
import type { PagePosition } from '../core/page-token.ts';
import { beyond, orderOf } from './keyset.ts';
import type { AuditTable, Tables } from './tables.ts';

export type AuditRow = Selectable<AuditTable>;

export class AuditStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async append(row: AuditRow): Promise<void> {
    await this.#db.insertInto('audit').values(row).execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(environmentId: string, position: PagePosition | undefined, limit: number): Promise<AuditRow[]> {
    let query = this.#db.selectFrom('audit').selectAll().where('environment_id', '=', environmentId);
    if (position !== undefined) query = query.where(beyond('at', position));
    const order = orderOf(position);
    return query.orderBy('at', order).orderBy('id', order).limit(limit).execute();
  }

  async count(environmentId: string): Promise<number> {
    const { total } = await this.#db
      .selectFrom('audit')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('environment_id', '=', environmentId)
      .executeTakeFirstOrThrow();
    return total;
  }
}

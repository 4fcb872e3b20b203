/** Rows of environments: which id belongs to which name. Their settings are not stored here. */
import type { Kysely, Selectable } from 'kysely';
import type { EnvironmentTable, Tables } from '../tables/tables.ts';

export type EnvironmentRow = Selectable<EnvironmentTable>;

export class EnvironmentStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** The environment of this name: the stored one, or `row`, which is stored then. */
  async ensure(row: EnvironmentRow): Promise<EnvironmentRow> {
    await this.#db
      .insertInto('environments')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return this.#db
      .selectFrom('environments')
      .selectAll()
      .where('name', '=', row.name)
      .executeTakeFirstOrThrow();
  }

  /** By name. */
  async list(): Promise<EnvironmentRow[]> {
    return this.#db.selectFrom('environments').selectAll().orderBy('name').execute();
  }
}

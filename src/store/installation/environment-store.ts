/** Rows of environments: names and their ids. Settings of environments are not stored here. */
import type { Kysely, Selectable } from 'kysely';
import type { EnvironmentTable, Tables } from '../tables/tables.ts';

export type EnvironmentRow = Selectable<EnvironmentTable>;

export class EnvironmentStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Returns the environment of this name: the stored one, or `row` after storing it. */
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

  /** All environments, by name. */
  async list(): Promise<EnvironmentRow[]> {
    return this.#db.selectFrom('environments').selectAll().orderBy('name').execute();
  }
}

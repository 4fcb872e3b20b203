/**
 * Which processes run, and with which key each seals: rows of `installation` named `sealing:<id>`. Maintenance: knows no
 * environments, as keys have none.
 */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

const PREFIX = 'sealing:';

/** A process that may seal at any time. */
export interface SealingProcess {
  id: string;
  /** The key that it seals with. */
  keyId: string;
  /** `serve` or `mcp`. */
  command: string;
  host: string;
  pid: number;
  /** When it last said so, by its clock (Unix milliseconds). */
  at: number;
}

export class SealingProcessStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Stores what a process says, over what it said before. */
  async put({ id, ...said }: SealingProcess): Promise<void> {
    const value = JSON.stringify(said);
    await this.#db
      .insertInto('installation')
      .values({ key: `${PREFIX}${id}`, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }

  /** Forgets processes. */
  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const keys = ids.map((id) => `${PREFIX}${id}`);
    await this.#db.deleteFrom('installation').where('key', 'in', keys).execute();
  }

  /** Everything that was said and not forgotten, also by processes that are gone. */
  async list(): Promise<SealingProcess[]> {
    const rows = await this.#db
      .selectFrom('installation')
      .selectAll()
      .where('key', 'like', `${PREFIX}%`)
      .orderBy('key')
      .execute();
    return rows.map(({ key, value }) => ({
      ...(JSON.parse(value) as Omit<SealingProcess, 'id'>),
      id: key.slice(PREFIX.length),
    }));
  }
}

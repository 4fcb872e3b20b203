/**
 * Running processes and the key that each seals with: rows of `installation` named `sealing:<id>`. For
 * maintenance: knows no environments, because keys have none.
 */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

const PREFIX = 'sealing:';

/** A process that may seal at any time. */
export interface SealingProcess {
  id: string;
  /** The key it seals with. */
  keyId: string;
  /** `serve` or `mcp`. */
  command: string;
  host: string;
  pid: number;
  /** Time of its last confirmation, by its own clock (Unix milliseconds). */
  at: number;
}

export class SealingProcessStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Stores the record of a process and replaces its previous one. */
  async put({ id, ...said }: SealingProcess): Promise<void> {
    const value = JSON.stringify(said);
    await this.#db
      .insertInto('installation')
      .values({ key: `${PREFIX}${id}`, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }

  /** Removes the records of processes. */
  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const keys = ids.map((id) => `${PREFIX}${id}`);
    await this.#db.deleteFrom('installation').where('key', 'in', keys).execute();
  }

  /** All stored records, including those of processes that have ended. */
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

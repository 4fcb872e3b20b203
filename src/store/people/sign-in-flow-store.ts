/** Rows of ways to an organization's OpenID provider and back. `state` is stored as a hash; a flow is claimed once. */
import type { Kysely, Selectable } from 'kysely';
import type { SignInFlowTable } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

export type SignInFlowRow = Selectable<SignInFlowTable>;

export class SignInFlowStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: SignInFlowRow): Promise<void> {
    await this.#db.insertInto('sign_in_flows').values(row).execute();
  }

  /** The flow with this state, also when it is claimed or expired. */
  async findByState(environmentId: string, stateHash: string): Promise<SignInFlowRow | undefined> {
    return this.#db
      .selectFrom('sign_in_flows')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('state_hash', '=', stateHash)
      .executeTakeFirst();
  }

  /** Returns true to the one caller that claims it. */
  async claim(environmentId: string, id: string, now: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('sign_in_flows')
      .set({ consumed_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('consumed_at', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }
}

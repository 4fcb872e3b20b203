/** Rows of connect links. Tokens are stored as hashes only. */
import type { Kysely } from 'kysely';
import type { LinkTable, Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { linkOf, type Link } from './link.ts';

export class LinkStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(row: StoredForm<LinkTable>): Promise<void> {
    await this.#db.insertInto('links').values(row).execute();
  }

  async findByToken(environmentId: string, tokenHash: string): Promise<Link | undefined> {
    const row = await this.#db
      .selectFrom('links')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
    return row && linkOf(row);
  }

  async findById(environmentId: string, id: string): Promise<Link | undefined> {
    const row = await this.#db
      .selectFrom('links')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && linkOf(row);
  }

  /** True for the one caller that completes the link; false if it was completed before or has expired. */
  async complete(environmentId: string, id: string, now: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('links')
      .set({ completed_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('completed_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /**
   * Counts the requests that a listener for links only still has to expect: links that can be opened, flows that may
   * still return from a provider, and owners who still have to confirm here. It closes at zero.
   */
  async countOpen(now: number): Promise<number> {
    const open = await this.#db
      .selectFrom('links')
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('completed_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    const away = await this.#db
      .selectFrom('oauth_flows')
      .innerJoin('links', (join) =>
        join
          .onRef('links.id', '=', 'oauth_flows.link_id')
          .onRef('links.environment_id', '=', 'oauth_flows.environment_id'),
      )
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('oauth_flows.expires_at', '>', now)
      .where((e) => e.or([e('oauth_flows.consumed_at', 'is', null), e('links.completed_at', 'is', null)]))
      .executeTakeFirstOrThrow();
    const confirming = await this.#db
      .selectFrom('auth_requests')
      .innerJoin('links', (join) =>
        join
          .onRef('links.id', '=', 'auth_requests.link_id')
          .onRef('links.environment_id', '=', 'auth_requests.environment_id'),
      )
      .select((e) => e.fn.countAll<number>().as('total'))
      .where('links.verification', '=', 'signed_in')
      .where('auth_requests.ended_at', 'is', null)
      .where('auth_requests.expires_at', '>', now)
      .executeTakeFirstOrThrow();
    return open.total + away.total + confirming.total;
  }
}

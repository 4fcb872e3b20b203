/**
 * Rows of connect links. Tokens are stored as hashes. Tokens of links that can be given again are stored sealed,
 * too.
 */
import { sql, type Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { LinkTable, Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { linkOf, type Link } from './link.ts';

export class LinkStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async findByToken(environmentId: string, tokenHash: string): Promise<Link | undefined> {
    const row = await rows(this.#db, 'links').findBy(environmentId, { token_hash: tokenHash });
    return row && linkOf(row);
  }

  async findById(environmentId: string, id: string): Promise<Link | undefined> {
    const row = await rows(this.#db, 'links').find(environmentId, id);
    return row && linkOf(row);
  }

  /** The newest open link with a sealed token that does what `wanted` does and lasts longer than `until`. */
  async findToGiveAgain(wanted: StoredForm<LinkTable>, until: number): Promise<Link | undefined> {
    const { verification, created_by } = wanted;
    let query = this.#db
      .selectFrom('links')
      .selectAll()
      .where('environment_id', '=', wanted.environment_id)
      .where('account_id', '=', wanted.account_id)
      .where('verification', '=', verification)
      .where(sql<boolean>`user_verify_url is not distinct from ${wanted.user_verify_url}`)
      .where(sql<boolean>`caller_state is not distinct from ${wanted.caller_state}`)
      .where(sql<boolean>`scopes = ${wanted.scopes}`)
      .where(sql<boolean>`requester is not distinct from ${wanted.requester}`)
      .where('completed_at', 'is', null)
      .where('token_sealed', 'is not', null)
      .where('expires_at', '>=', until);
    // In this mode the maker of a link for an organization's account confirms it.
    if (verification === 'signed_in') query = query.where('created_by', '=', created_by);
    const row = await query.orderBy('expires_at', 'desc').limit(1).executeTakeFirst();
    return row && linkOf(row);
  }

  /** When the account's n-th newest link was made, if that was after `since`. */
  async nthNewestSince(
    account: { environmentId: string; id: string },
    n: number,
    since: number,
  ): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('links')
      .select('created_at')
      .where('environment_id', '=', account.environmentId)
      .where('account_id', '=', account.id)
      .where('created_at', '>', since)
      .orderBy('created_at', 'desc')
      .offset(n - 1)
      .limit(1)
      .executeTakeFirst();
    return row?.created_at;
  }

  /** True for the one caller that completes the link; false if it was completed before or has expired. */
  async complete(environmentId: string, id: string, now: number): Promise<boolean> {
    return rows(this.#db, 'links').update(environmentId, id, { completed_at: now, token_sealed: null }, (e) =>
      e.and([e('completed_at', 'is', null), e('expires_at', '>', now)]),
    );
  }

  /** Ends the link because the person declined. True for the one caller that does; false as `complete`. */
  async decline(environmentId: string, id: string, now: number): Promise<boolean> {
    if (!(await this.complete(environmentId, id, now))) return false;
    return rows(this.#db, 'links').update(environmentId, id, { declined_at: now });
  }

  /** When a link of the account was last declined after a time: any, or one that asked for exactly these scopes. */
  async declinedSince(
    { environmentId, id }: { environmentId: string; id: string },
    scopes: readonly string[] | undefined,
    since: number,
  ): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('links')
      .select((e) => e.fn.max('declined_at').as('declined_at'))
      .where('environment_id', '=', environmentId)
      .where('account_id', '=', id)
      .where('declined_at', '>', since)
      .$if(scopes !== undefined, (query) => query.where(sql<boolean>`scopes = ${JSON.stringify(scopes)}`))
      .executeTakeFirst();
    return row?.declined_at ?? undefined;
  }

  /** Whether a link of an account that asks for scopes beyond those of its connection was made after a time. */
  async askedForMoreSince(
    { environmentId, id }: { environmentId: string; id: string },
    since: number,
  ): Promise<boolean> {
    const row = await this.#db
      .selectFrom('links')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where('account_id', '=', id)
      .where('created_at', '>', since)
      .where(sql<boolean>`scopes <> '[]'`)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Counts one credential tried with the link. @returns false if `most` have been tried already */
  async countTrial(environmentId: string, id: string, most: number): Promise<boolean> {
    const result = await this.#db
      .updateTable('links')
      .set((e) => ({ trials: e('trials', '+', 1) }))
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('trials', '<', most)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /**
   * Counts the requests that a listener for links only still has to expect: links that can be opened, flows that
   * may still return from a provider, and owners who still have to confirm here. The listener closes at zero.
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

/**
 * Rows of auth requests: completed consents and forms whose credentials wait for verify.
 *
 * `waiting_sealed` is the only column with waiting credentials. Every end of the request erases it.
 */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { Tables } from '../tables/tables.ts';
import type { AccountStatus, AuthRequestEnd } from '../../core/stored-words.ts';
import { authRequestOf, type AuthRequest } from './auth-request.ts';

export class AuthRequestStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** The request with this token, if it has neither ended nor expired. */
  async findOpenByToken(
    environmentId: string,
    tokenHash: string,
    now: number,
  ): Promise<AuthRequest | undefined> {
    const row = await this.#db
      .selectFrom('auth_requests')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('token_hash', '=', tokenHash)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row && authRequestOf(row);
  }

  /** The account's request that has not ended; there is at most one. */
  async findOpenByAccount(environmentId: string, accountId: string): Promise<AuthRequest | undefined> {
    const row = await rows(this.#db, 'auth_requests').findBy(environmentId, {
      account_id: accountId,
      ended_at: null,
    });
    return row && authRequestOf(row);
  }

  /** The request that came from the completed link, ended or not. A link leads to at most one request. */
  async findByLink(environmentId: string, linkId: string): Promise<AuthRequest | undefined> {
    const row = await rows(this.#db, 'auth_requests').findBy(environmentId, { link_id: linkId });
    return row && authRequestOf(row);
  }

  /** Expired requests of all environments, for maintenance: each row names its environment. */
  async listExpired(now: number, limit = 100): Promise<AuthRequest[]> {
    const rows = await this.#db
      .selectFrom('auth_requests')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('expires_at', '<=', now)
      .limit(limit)
      .execute();
    return rows.map(authRequestOf);
  }

  /** Ends the request and erases its credentials. Returns the ended request only to the one caller that ended it. */
  async end(
    environmentId: string,
    id: string,
    by: AuthRequestEnd,
    now: number,
  ): Promise<AuthRequest | undefined> {
    const row = await this.#db
      .updateTable('auth_requests')
      .set({ ended_at: now, ended_by: by, waiting_sealed: null, display_name_sealed: null })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row && authRequestOf(row);
  }

  /** Sets the account's status for a request that ends without verify. */
  async setStatusBefore(environmentId: string, id: string, status: AccountStatus): Promise<void> {
    await rows(this.#db, 'auth_requests').update(environmentId, id, { status_before: status });
  }

  /** Stores what the provider calls the account, as long as the request is open. */
  async setDisplayName(environmentId: string, id: string, sealed: string): Promise<void> {
    const change = { display_name_sealed: sealed };
    await rows(this.#db, 'auth_requests').update(environmentId, id, change, { ended_at: null });
  }

  /** Counts one wrong identifier and returns the new count. */
  async countWrongIdentifier(environmentId: string, id: string): Promise<number> {
    const row = await this.#db
      .updateTable('auth_requests')
      .set((e) => ({ wrong_identifiers: e('wrong_identifiers', '+', 1) }))
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .returning('wrong_identifiers')
      .executeTakeFirst();
    return row?.wrong_identifiers ?? 0;
  }
}

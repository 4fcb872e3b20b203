/** Rows of codes sent to e-mail addresses. Knows SQL and nothing else; codes and browsers are stored as hashes. */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { EmailCode } from '../tables/people-tables.ts';
import type { Tables } from '../tables/tables.ts';

/** Identifies codes: one browser that waits for them at one e-mail address. */
export interface CodeKey {
  environmentId: string;
  email: string;
  browserHash: string;
}

export class EmailCodeStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Times of requests for codes since `since` with these values in their rows, oldest first. */
  async askedSince(
    environmentId: string,
    values: Partial<Pick<EmailCode, 'email' | 'ip' | 'network' | 'known_browser'>>,
    since: number,
  ): Promise<number[]> {
    const asked = await this.#db
      .selectFrom('email_codes')
      .select('created_at')
      .where('environment_id', '=', environmentId)
      .where((e) => e.and(values))
      .where('created_at', '>', since)
      .orderBy('created_at')
      .execute();
    return asked.map((row) => row.created_at);
  }

  /** Ends every code that this browser could still use for this address. */
  async endAll({ environmentId, email, browserHash }: CodeKey, now: number): Promise<void> {
    await this.#db
      .updateTable('email_codes')
      .set({ used_at: now })
      .where('environment_id', '=', environmentId)
      .where('email', '=', email)
      .where('browser_hash', '=', browserHash)
      .where('used_at', 'is', null)
      .execute();
  }

  /**
   * Spends one try of the currently valid code. Returns `undefined` without a valid code, or if its tries are spent.
   *
   * @param maxTries tries per code
   */
  async takeTry(
    { environmentId, email, browserHash }: CodeKey,
    maxTries: number,
    now: number,
  ): Promise<EmailCode | undefined> {
    return this.#db
      .updateTable('email_codes')
      .set((e) => ({ wrong_codes: e('wrong_codes', '+', 1) }))
      .where('environment_id', '=', environmentId)
      .where('email', '=', email)
      .where('browser_hash', '=', browserHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .where('wrong_codes', '<', maxTries)
      .returningAll()
      .executeTakeFirst();
  }

  /** Marks a code as used. Returns false if it was used before. */
  async use(environmentId: string, id: string, now: number): Promise<boolean> {
    return rows(this.#db, 'email_codes').update(environmentId, id, { used_at: now }, { used_at: null });
  }
}

/**
 * Rows of OAuth flows: redirects of a browser to a provider and back. `state` is stored as a hash only.
 *
 * A flow is claimed once and never released; a new start gets a new flow.
 */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
import type { Tables } from '../tables/tables.ts';
import { oauthFlowOf, type OAuthFlow } from './oauth-flow.ts';

export class OAuthFlowStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** The flow with this state, even if it is claimed or expired. */
  async findByState(environmentId: string, stateHash: string): Promise<OAuthFlow | undefined> {
    const row = await rows(this.#db, 'oauth_flows').findBy(environmentId, { state_hash: stateHash });
    return row && oauthFlowOf(row);
  }

  /** The flow of a link that started last. */
  async latestOfLink(environmentId: string, linkId: string): Promise<OAuthFlow | undefined> {
    const [row] = await rows(this.#db, 'oauth_flows').list(environmentId, {
      where: { link_id: linkId },
      orderBy: ['created_at', 'id'],
      direction: 'desc',
      limit: 1,
    });
    return row && oauthFlowOf(row);
  }

  /** Returns the flow to the one caller that claims it, and `undefined` to every other. */
  async claim(environmentId: string, id: string, now: number): Promise<OAuthFlow | undefined> {
    const row = await this.#db
      .updateTable('oauth_flows')
      .set({ consumed_at: now })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where('consumed_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row && oauthFlowOf(row);
  }
}

/**
 * Rows of deliveries: the outbox of account events and the log of their outcomes.
 *
 * An attempt is first taken in a transaction: only one of several processes gets it, and each webhook has one attempt
 * at a time. If its process dies, the attempt is free again from `taken_until` on and does not count, however often
 * that happens: only an outcome ends a delivery, never a missing one.
 */
import { sql, type ExpressionBuilder, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { WebhookDelivery } from '../tables/webhook-tables.ts';
import { storedFlag } from '../engine/row-reader.ts';

/** A webhook with a due delivery. */
export interface DueWebhook {
  environmentId: string;
  webhookId: string;
}

/** A delivery whose next attempt belongs to the caller. */
export interface TakenDelivery {
  row: WebhookDelivery;
  url: string;
}

/** The outcome of an attempt. */
export type AttemptResult = {
  /** HTTP status; null if there was no answer. */
  lastStatus: number | null;
  lastFailure: string | null;
} & ({ end: 'delivered' | 'failed'; at: number } | { end: null; retryInMs: number });

/** Written as a literal, so that both databases recognize that the partial indexes fit. */
const PENDING = sql<boolean>`webhook_deliveries.status = 'pending'`;

export class WebhookDeliveryStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Enabled webhooks with a due delivery and no running attempt, by id.
   *
   * @param now databaseTime
   */
  async dueWebhooks(environmentIds: readonly string[], now: RawBuilder<number>): Promise<DueWebhook[]> {
    if (environmentIds.length === 0) return [];
    const webhooks = this.#db
      .selectFrom('webhooks')
      .select(['webhooks.environment_id as environmentId', 'webhooks.id as webhookId'])
      .where('webhooks.environment_id', 'in', environmentIds)
      .where('webhooks.enabled', '=', storedFlag(true));
    return webhooks
      .where((e) => e.exists(pendingOf(e).where('next_attempt_at', '<=', now)))
      .where((e) => e.not(e.exists(pendingOf(e).where('taken_until', '>', now))))
      .orderBy('webhooks.id')
      .execute();
  }

  /**
   * Takes the webhook's oldest due delivery for one attempt, in a transaction.
   *
   * @returns `undefined` if nothing is due any more, the webhook is disabled, or another process has taken one
   */
  async take(
    { environmentId, webhookId }: DueWebhook,
    now: RawBuilder<number>,
    leaseMs: number,
  ): Promise<TakenDelivery | undefined> {
    const ofWebhook = this.#db
      .selectFrom('webhook_deliveries')
      .where('webhook_deliveries.environment_id', '=', environmentId)
      .where('webhook_id', '=', webhookId)
      .where(PENDING);
    const underWay = await ofWebhook.select('id').where('taken_until', '>', now).limit(1).executeTakeFirst();
    if (underWay !== undefined) return undefined;
    const next = await ofWebhook
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select(['webhook_deliveries.id', 'webhooks.url'])
      .where('next_attempt_at', '<=', now)
      .where('webhooks.enabled', '=', storedFlag(true))
      .orderBy('webhook_deliveries.created_at')
      .orderBy('webhook_deliveries.id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    const row = await this.#db
      .updateTable('webhook_deliveries')
      .set({
        attempts: sql<number>`case when taken_until is null then attempts + 1 else attempts end`,
        taken_until: sql<number>`${now} + ${sql.lit(leaseMs)}`,
      })
      .where('environment_id', '=', environmentId)
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { row, url: next.url };
  }

  /**
   * Stores the outcome of an attempt.
   *
   * @param taken the result of `take`
   * @returns false if it no longer belongs to the caller: taken by another process, or deleted with its webhook
   */
  async finish(taken: WebhookDelivery, result: AttemptResult, now: RawBuilder<number>): Promise<boolean> {
    return this.#update(taken, {
      ...(result.end === null
        ? { next_attempt_at: sql<number>`${now} + ${sql.lit(result.retryInMs)}` }
        : { status: result.end, finished_at: result.at, next_attempt_at: null }),
      taken_until: null,
      last_status: result.lastStatus,
      last_failure: result.lastFailure,
    });
  }

  /** Returns an attempt that was cut short. It is due again at once, for any process. */
  async giveBack(taken: WebhookDelivery): Promise<boolean> {
    return this.#update(taken, { attempts: taken.attempts - 1, next_attempt_at: 0, taken_until: null });
  }

  /** Makes the next attempt of a pending delivery due. */
  async bringForward(environmentId: string, id: string): Promise<void> {
    await this.#db
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: 0 })
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .where(PENDING)
      .execute();
  }

  async #update(
    taken: WebhookDelivery,
    change: Record<string, string | number | null | RawBuilder<number>>,
  ): Promise<boolean> {
    const result = await this.#db
      .updateTable('webhook_deliveries')
      .set(change)
      .where('environment_id', '=', taken.environment_id)
      .where('id', '=', taken.id)
      .where(PENDING)
      .where('taken_until', '=', taken.taken_until)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }
}

/** The pending deliveries of each webhook, for a condition on webhooks. */
function pendingOf(e: ExpressionBuilder<Tables, 'webhooks'>) {
  return e
    .selectFrom('webhook_deliveries')
    .select('webhook_deliveries.id')
    .whereRef('webhook_deliveries.environment_id', '=', 'webhooks.environment_id')
    .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
    .where(PENDING);
}

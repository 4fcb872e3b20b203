/**
 * Rows of deliveries: the outbox of events and the log of their outcomes.
 *
 * An attempt is first taken in a transaction, so that only one of several processes makes it. If its process dies, the
 * attempt is free again from `taken_until` on and does not count, however often that happens: only an outcome ends a
 * delivery, never a missing one.
 *
 * A delivery waits while an older one of its account is pending. It is put off when it is found waiting, and due again
 * when the older one ends. So no statement reads more rows than a batch, however many wait.
 */
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SqlBool,
} from 'kysely';
import { newId } from '../../core/ids.ts';
import type { DeliveryStatus } from '../../core/stored-words.ts';
import type { Tables } from '../tables/tables.ts';
import type { WebhookDelivery } from '../tables/webhook-tables.ts';
import { storedFlag } from '../engine/row-reader.ts';
import type { Where } from '../engine/rows.ts';

/** Attempts to one endpoint at the same time, by all processes together. */
export const MAX_PER_WEBHOOK = 8;

/** Due deliveries looked at for one batch of attempts: fresh ones, and as many that are tried again. */
const CANDIDATES = 64;

/**
 * Time after which a delivery behind another one is looked at again even if nothing reported the end of that one.
 * No delivery waits longer for an attempt: a time further ahead is from before the clock was set back, and is over.
 */
const PUT_OFF_MS = 3_600_000;

/** Longest time of an attempt. A later end was written before the clock was set back, and is over too. */
const LONGEST_ATTEMPT_MS = 60_000;

/** A webhook with a due delivery, and its address. */
export interface DueWebhook {
  environmentId: string;
  webhookId: string;
  url: string;
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
} & ({ end: 'delivered' | 'failed' } | { end: null; retryInMs: number });

/** An attempt that is over. Without a result it was cut short, and any process may make it at once. */
export interface EndedAttempt {
  row: WebhookDelivery;
  result?: AttemptResult | undefined;
}

/** Deliveries of a webhook, in the order of their creation. */
export interface DeliveryRange {
  environmentId: string;
  webhookId: string;
  status: DeliveryStatus;
  /** Unix milliseconds: not before, and before. */
  from: number;
  until: number;
  /** The delivery that the last batch ended with. */
  after?: Pick<WebhookDelivery, 'created_at' | 'id'> | undefined;
}

/** Written as a literal, so that both databases recognize that the partial indexes fit. */
const PENDING = sql<boolean>`webhook_deliveries.status = 'pending'`;

/** Deliveries of a webhook, in one status or in any. The status is a literal, as in `PENDING`. */
export function deliveriesOf(
  webhookId: string,
  status: WebhookDelivery['status'] | undefined,
): Where<'webhook_deliveries'> {
  return (e) =>
    e.and([
      e('webhook_id', '=', webhookId),
      ...(status === undefined ? [] : [sql<boolean>`webhook_deliveries.status = ${sql.lit(status)}`]),
    ]);
}

/** Columns of a delivery that is due at once. @param now Unix milliseconds */
export function dueDelivery(now: number) {
  return {
    id: newId('whd', now),
    status: 'pending',
    attempts: 0,
    next_attempt_at: 0,
    taken_until: null,
    last_status: null,
    last_failure: null,
    created_at: now,
    finished_at: null,
  } as const;
}

export class WebhookDeliveryStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Enabled webhooks with a due delivery, by id.
   *
   * @param now databaseTime
   */
  async dueWebhooks(environmentIds: readonly string[], now: RawBuilder<number>): Promise<DueWebhook[]> {
    if (environmentIds.length === 0) return [];
    return this.#db
      .selectFrom('webhooks')
      .select(['webhooks.environment_id as environmentId', 'webhooks.id as webhookId', 'webhooks.url'])
      .where('webhooks.environment_id', 'in', environmentIds)
      .where('webhooks.enabled', '=', storedFlag(true))
      .where((e) => {
        const pending = e
          .selectFrom('webhook_deliveries')
          .select('webhook_deliveries.id')
          .whereRef('webhook_deliveries.environment_id', '=', 'webhooks.environment_id')
          .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
          .where(PENDING)
          .where(isFree(now));
        return e.or([
          e.exists(pending.where('next_attempt_at', '<=', now)),
          e.exists(pending.where('next_attempt_at', '>', later(now, PUT_OFF_MS))),
        ]);
      })
      .orderBy('webhooks.id')
      .execute();
  }

  /**
   * Takes due deliveries of a webhook for one attempt each, in a transaction. Fresh ones and those that are tried again
   * take turns, the oldest of both first; an account has one at a time.
   *
   * @param times.most how many the caller has room for
   * @returns `taken`: none if nothing is due any more, the webhook is disabled, or its eight attempts are under way;
   *   `putOff`: due deliveries that were found behind others of their accounts. There may be others after them
   */
  async take(
    { environmentId, webhookId }: Pick<DueWebhook, 'environmentId' | 'webhookId'>,
    { now, leaseMs, most }: { now: RawBuilder<number>; leaseMs: number; most: number },
  ): Promise<{ taken: TakenDelivery[]; putOff: number }> {
    const due = this.#pendingOf(environmentId, webhookId)
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .where('webhooks.enabled', '=', storedFlag(true))
      .select((e) => [
        'webhook_deliveries.id',
        'webhooks.url',
        isBehind(e).as('isBehind'),
        e
          .selectFrom('webhook_deliveries as taken')
          .select(e.fn.countAll<number>().as('count'))
          .where('taken.environment_id', '=', environmentId)
          .where('taken.webhook_id', '=', webhookId)
          .where('taken.taken_until', '>', now)
          .where('taken.taken_until', '<=', later(now, LONGEST_ATTEMPT_MS))
          .as('underWay'),
      ])
      .where(isFree(now))
      .orderBy('next_attempt_at')
      .orderBy('webhook_deliveries.created_at')
      .orderBy('webhook_deliveries.id')
      .limit(CANDIDATES);
    const fresh = await due.where('next_attempt_at', '=', sql.lit(0)).execute();
    const tried = due.where('next_attempt_at', '>', sql.lit(0));
    const again = await tried.where('next_attempt_at', '<=', now).execute();
    const ahead = await due.where('next_attempt_at', '>', later(now, PUT_OFF_MS)).execute();
    const candidates = inTurns(fresh, [...again, ...ahead]);
    const [first] = candidates;
    if (first === undefined) return { taken: [], putOff: 0 };
    const room = Math.max(0, Math.min(most, MAX_PER_WEBHOOK - (first.underWay ?? 0)));
    const found = Map.groupBy(candidates, (each) => Boolean(each.isBehind));
    const behind = idsOf(found.get(true));
    await this.#putOff(environmentId, behind, now);
    const next = idsOf(found.get(false)).slice(0, room);
    if (next.length === 0) return { taken: [], putOff: behind.length };
    const rows = await this.#db
      .updateTable('webhook_deliveries')
      .set({
        attempts: sql<number>`case when taken_until is null then attempts + 1 else attempts end`,
        taken_until: later(now, leaseMs),
      })
      .where('environment_id', '=', environmentId)
      .where('id', 'in', next)
      .returningAll()
      .execute();
    const taken = rows
      .toSorted((a, b) => next.indexOf(a.id) - next.indexOf(b.id))
      .map((row) => ({ row, url: first.url }));
    return { taken, putOff: behind.length };
  }

  /**
   * Stores the outcomes of attempts, and makes the next delivery of an account due after its last one.
   *
   * @param at time of the outcomes, Unix milliseconds
   * @returns `stored`: ids of the attempts that still belonged to the caller; others were taken by another process, or
   *   deleted with their webhook. `following`: how many deliveries became due by them
   */
  async finish(
    attempts: readonly EndedAttempt[],
    { now, at }: { now: RawBuilder<number>; at: number },
  ): Promise<{ stored: ReadonlySet<string>; following: number }> {
    const stored = new Set<string>();
    const ended: string[] = [];
    for (const same of Map.groupBy(attempts, changeKey).values()) {
      const [{ row, result }] = same as [EndedAttempt];
      const ids = await this.#update(
        same.map((attempt) => attempt.row),
        result === undefined
          ? { attempts: row.attempts - 1, next_attempt_at: 0, taken_until: null }
          : { ...changeOf(result, now, at), taken_until: null },
      );
      for (const id of ids) stored.add(id);
      if (result !== undefined && result.end !== null) ended.push(...ids);
    }
    return { stored, following: await this.#letNextFollow(ended) };
  }

  /**
   * Ends up to `limit` deliveries, the oldest first, that an endpoint has not accepted in time.
   *
   * @returns how many
   */
  async giveUp(
    { environmentId, webhookId }: Pick<DueWebhook, 'environmentId' | 'webhookId'>,
    {
      createdBefore,
      failure,
      at,
      limit,
    }: { createdBefore: number; failure: string; at: number; limit: number },
  ): Promise<number> {
    const old = this.#pendingOf(environmentId, webhookId)
      .select('id')
      .where('created_at', '<', createdBefore)
      .where('taken_until', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit);
    const ended = await this.#db
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', finished_at: at, next_attempt_at: null, last_failure: failure })
      .where('environment_id', '=', environmentId)
      .where('id', 'in', old)
      .returning('id')
      .execute();
    await this.#letNextFollow(idsOf(ended));
    return ended.length;
  }

  /** Makes the next attempts of pending deliveries due. */
  async bringForward(environmentId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#db
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: 0 })
      .where('environment_id', '=', environmentId)
      .where('id', 'in', ids)
      .where(PENDING)
      .execute();
  }

  /** Up to `limit` deliveries of a range, oldest first. */
  async inRange(range: DeliveryRange, limit: number): Promise<WebhookDelivery[]> {
    const { environmentId, webhookId, status, from, until, after } = range;
    const query = this.#db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('webhook_id', '=', webhookId)
      .where('status', '=', sql.lit(status))
      .where('created_at', '>=', after?.created_at ?? from)
      .where('created_at', '<', until);
    const rest =
      after === undefined
        ? query
        : query.where(sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})`);
    return rest.orderBy('created_at').orderBy('id').limit(limit).execute();
  }

  #pendingOf(environmentId: string, webhookId: string) {
    return this.#db
      .selectFrom('webhook_deliveries')
      .where('webhook_deliveries.environment_id', '=', environmentId)
      .where('webhook_deliveries.webhook_id', '=', webhookId)
      .where(PENDING);
  }

  async #putOff(environmentId: string, ids: readonly string[], now: RawBuilder<number>): Promise<void> {
    if (ids.length === 0) return;
    await this.#db
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: later(now, PUT_OFF_MS) })
      .where('environment_id', '=', environmentId)
      .where('id', 'in', ids)
      .execute();
  }

  /** Makes the oldest pending delivery of the same account due, for each of these that ended. */
  async #letNextFollow(ended: readonly string[]): Promise<number> {
    if (ended.length === 0) return 0;
    const result = await sql`update webhook_deliveries set next_attempt_at = 0
      where status = 'pending' and attempts = 0 and next_attempt_at > 0 and id in (
        select (
          select later.id from webhook_deliveries as later
          where later.environment_id = ended.environment_id and later.webhook_id = ended.webhook_id
            and later.account_id = ended.account_id and later.status = 'pending'
          order by later.created_at, later.id limit 1
        ) from webhook_deliveries as ended where ended.id in (${sql.join(ended)})
      )`.execute(this.#db);
    return Number(result.numAffectedRows ?? 0);
  }

  /** Changes rows that are still taken by the caller. @returns their ids */
  async #update(
    taken: readonly WebhookDelivery[],
    change: Record<string, string | number | null | RawBuilder<number>>,
  ): Promise<string[]> {
    const attempts = taken.map(
      ({ environment_id, id, taken_until }) =>
        sql`(${environment_id}, ${id}, cast(${taken_until} as bigint))`,
    );
    const rows = await this.#db
      .updateTable('webhook_deliveries')
      .set(change)
      .where('environment_id', 'in', [...new Set(taken.map((row) => row.environment_id))])
      .where('id', 'in', idsOf(taken))
      .where(PENDING)
      .where(sql<boolean>`(environment_id, id, taken_until) in (values ${sql.join(attempts)})`)
      .returning('id')
      .execute();
    return idsOf(rows);
  }
}

/** Attempts with the same key have the same change of their rows. */
function changeKey({ row, result }: EndedAttempt): string {
  return JSON.stringify(result ?? row.attempts);
}

function changeOf(result: AttemptResult, now: RawBuilder<number>, at: number) {
  return {
    ...(result.end === null
      ? { next_attempt_at: later(now, result.retryInMs) }
      : { status: result.end, finished_at: at, next_attempt_at: null }),
    last_status: result.lastStatus,
    last_failure: result.lastFailure,
  };
}

/** True while no attempt is under way. */
function isFree(now: RawBuilder<number>): Expression<SqlBool> {
  return sql<boolean>`(taken_until is null or taken_until <= ${now} or taken_until > ${later(now, LONGEST_ATTEMPT_MS)})`;
}

function later(now: RawBuilder<number>, ms: number): RawBuilder<number> {
  return sql<number>`${now} + ${sql.lit(ms)}`;
}

/** Whether an older delivery of the same account is pending. */
function isBehind(e: ExpressionBuilder<Tables, 'webhook_deliveries'>) {
  return e.exists(
    e
      .selectFrom('webhook_deliveries as older')
      .select('older.id')
      .whereRef('older.environment_id', '=', 'webhook_deliveries.environment_id')
      .whereRef('older.webhook_id', '=', 'webhook_deliveries.webhook_id')
      .whereRef('older.account_id', '=', 'webhook_deliveries.account_id')
      .where(sql<boolean>`older.status = 'pending'`)
      .where(
        sql<boolean>`(older.created_at, older.id) < (webhook_deliveries.created_at, webhook_deliveries.id)`,
      ),
  );
}

/** The entries of both lists, one of each in turn. */
function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, n) => [
    ...one.slice(n, n + 1),
    ...other.slice(n, n + 1),
  ]).flat();
}

const idsOf = (rows: readonly { id: string }[] = []): string[] => rows.map(({ id }) => id);

/** The outcomes of a webhook's deliveries, and sending one or many again. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../core/caller.ts';
import { toTimestamp, toTimestampOrNull, type Clock } from '../core/clock.ts';
import { notFound, ServiceError } from '../core/errors.ts';
import { membersOf, parsedJson } from '../core/json.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { markOutbox } from '../store/engine/outbox-signal.ts';
import { deliveriesOf, dueDelivery, WebhookDeliveryStore } from '../store/policy/webhook-delivery-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { WebhookDelivery } from '../store/tables/webhook-tables.ts';
import type { DeliveryStatus } from '../core/stored-words.ts';

export interface DeliveryView {
  id: string;
  webhook_id: string;
  event_id: string;
  type: string;
  status: DeliveryStatus;
  /** Attempts with a known outcome, and the one under way. */
  attempts: number;
  /** At the latest, for one that waits for an older one of its account; null if no attempt follows. */
  next_attempt_at: string | null;
  /** HTTP status of the last attempt; null without a response, or before the first attempt. */
  last_status: number | null;
  last_failure: string | null;
  /** The event as it is sent. */
  body: Record<string, unknown>;
  at: string;
  finished_at: string | null;
}

export interface DeliveryQuery extends PageQuery {
  status?: DeliveryStatus | undefined;
}

export interface DeliveryPage extends PageLinks {
  deliveries: DeliveryView[];
}

/** Deliveries of a webhook to send again. */
export interface DeliverySelection {
  /** Unix milliseconds; not before. Absent: from the first one on. */
  from?: number | undefined;
  /** Unix milliseconds; before. Absent: until now. */
  to?: number | undefined;
  /** Default: failed. */
  status?: DeliveryStatus | undefined;
}

/** Deliveries sent again by one transaction. */
const BATCH = 200;

interface DeliveryLogDeps {
  db: Database;
  clock: Clock;
  pageTokens: PageTokens;
}

export class DeliveryLog {
  readonly #deps: DeliveryLogDeps;

  constructor(deps: DeliveryLogDeps) {
    this.#deps = deps;
  }

  /** One page of a webhook's deliveries, newest first. @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for a bad page token */
  async list(environmentId: string, webhookId: string, query: DeliveryQuery): Promise<DeliveryPage> {
    if ((await rows(this.#deps.db.read, 'webhooks').find(environmentId, webhookId)) === undefined)
      throw notFound('webhook');
    const { status } = query;
    const filter = { webhookId, status };
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['webhook_deliveries', environmentId, filter],
      ...rows(this.#deps.db.longRead, 'webhook_deliveries').pages(
        environmentId,
        deliveriesOf(webhookId, status),
      ),
    });
    return { deliveries: page.map(toView), ...links };
  }

  /**
   * Sends an event again: a pending delivery at once, a finished one as a new delivery of the same event.
   *
   * @returns the delivery that is on its way now
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async redeliver(caller: Caller, id: string): Promise<DeliveryView> {
    const now = this.#deps.clock.now();
    const { environmentId } = caller;
    const row = await this.#deps.db.transaction(async (tx) => {
      const deliveries = rows(tx, 'webhook_deliveries');
      const given = await deliveries.find(environmentId, id);
      if (given === undefined)
        throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no such delivery, or it is no longer kept.');
      await writeAuditLine(tx, caller, { action: 'webhook.redeliver', target: id, now });
      markOutbox(tx);
      if (given.status === 'pending') {
        await new WebhookDeliveryStore(tx).bringForward(environmentId, [id]);
        return { ...given, next_attempt_at: 0 };
      }
      const again = renewed(given, now);
      await deliveries.insert(again);
      return again;
    });
    return toView(row);
  }

  /**
   * Sends many events of a webhook again, in their order, as `redeliver` does each. An event with several deliveries
   * among them is sent once. Works in batches, so that writers do not wait.
   *
   * @returns how many events are on their way now
   * @throws ServiceError RESOURCE_NOT_FOUND; UNAVAILABLE, with the batches before it on their way
   */
  async redeliverAll(caller: Caller, webhookId: string, selection: DeliverySelection): Promise<number> {
    const { environmentId } = caller;
    const { from = 0, to = Infinity, status = 'failed' } = selection;
    const { db, clock } = this.#deps;
    await db.transaction(async (tx) => {
      if ((await rows(tx, 'webhooks').find(environmentId, webhookId)) === undefined)
        throw notFound('webhook');
      const now = clock.now();
      await writeAuditLine(tx, caller, { action: 'webhook.redeliver', target: webhookId, now });
    });
    const until = Math.min(to, clock.now() + 1);
    const events = new Set<string>();
    let after: WebhookDelivery | undefined;
    for (let found = BATCH; found === BATCH; await nextTurn()) {
      const batch = await db.transaction(async (tx) => {
        const deliveries = new WebhookDeliveryStore(tx);
        const range = { environmentId, webhookId, status, from, until, after };
        const given = await deliveries.inRange(range, BATCH);
        const fresh = given.filter(({ event_id: id }, n) => !events.has(id) && isFirst(given, id, n));
        markOutbox(tx);
        if (status === 'pending')
          await deliveries.bringForward(
            environmentId,
            fresh.map(({ id }) => id),
          );
        else await rows(tx, 'webhook_deliveries').insert(...fresh.map((row) => renewed(row, clock.now())));
        return { given, fresh };
      });
      for (const { event_id: id } of batch.fresh) events.add(id);
      after = batch.given.at(-1);
      found = batch.given.length;
    }
    return events.size;
  }
}

/** Whether the n-th of these deliveries is the first of its event. */
function isFirst(deliveries: readonly WebhookDelivery[], eventId: string, n: number): boolean {
  return deliveries.findIndex((other) => other.event_id === eventId) === n;
}

/** A new delivery of the same event. */
function renewed(row: WebhookDelivery, now: number): WebhookDelivery {
  return { ...row, ...dueDelivery(now) };
}

function toView(row: WebhookDelivery): DeliveryView {
  const { next_attempt_at: next, created_at: createdAt } = row;
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: next === null ? null : toTimestamp(Math.max(next, createdAt)),
    last_status: row.last_status,
    last_failure: row.last_failure,
    body: membersOf(parsedJson(row.body)),
    at: toTimestamp(createdAt),
    finished_at: toTimestampOrNull(row.finished_at),
  };
}

/** The outcomes of a webhook's deliveries, and sending one again. */
import type { Caller } from '../core/caller.ts';
import { toTimestamp, toTimestampOrNull, type Clock } from '../core/clock.ts';
import { notFound, ServiceError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { markOutbox } from '../store/engine/outbox-signal.ts';
import { WebhookDeliveryStore } from '../store/policy/webhook-delivery-store.ts';
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
  /** null if no attempt follows. */
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
      ...rows(this.#deps.db.read, 'webhook_deliveries').pages(environmentId, {
        webhook_id: webhookId,
        status,
      }),
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
        await new WebhookDeliveryStore(tx).bringForward(environmentId, id);
        return { ...given, next_attempt_at: 0 };
      }
      const again: WebhookDelivery = {
        ...given,
        id: newId('whd', now),
        status: 'pending',
        attempts: 0,
        next_attempt_at: 0,
        taken_until: null,
        last_status: null,
        last_failure: null,
        created_at: now,
        finished_at: null,
      };
      await deliveries.insert(again);
      return again;
    });
    return toView(row);
  }
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
    body: JSON.parse(row.body) as Record<string, unknown>,
    at: toTimestamp(createdAt),
    finished_at: toTimestampOrNull(row.finished_at),
  };
}

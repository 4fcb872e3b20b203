/** Webhooks of an environment: list, create, change, delete, and what gatehouse.yaml declares (docs/contract.md#10-webhooks). */
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { invalidArgument, notFound } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { writeUnique } from '../store/engine/unique-rows.ts';
import { rows } from '../store/engine/rows.ts';
import type { Webhook } from '../store/tables/webhook-tables.ts';
import { requireNotManagedByFile } from '../signed-sender/declared-names.ts';
import { synchronizeDeclared } from '../signed-sender/declared-rows.ts';
import type { IsReachable } from '../signed-sender/endpoint-rules.ts';
import {
  newWebhookRow,
  toWebhookView,
  webhookColumns,
  webhookViolations,
  type WebhookChange,
  type WebhookInput,
  type WebhookView,
} from './webhook-rules.ts';
import { asRead } from '../store/engine/row-reader.ts';

const TAKEN = 'There is a webhook with this name already. Choose another, or change the existing one.';

interface WebhooksDeps {
  db: Database;
  clock: Clock;
  isReachable: IsReachable;
}

export class Webhooks {
  readonly #deps: WebhooksDeps;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /** By name. */
  async list(environmentId: string): Promise<WebhookView[]> {
    return (await rows(this.#deps.db.read, 'webhooks').list(environmentId, { orderBy: ['name'] })).map(
      toWebhookView,
    );
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(environmentId: string, id: string): Promise<WebhookView> {
    return toWebhookView(found(await rows(this.#deps.db.read, 'webhooks').find(environmentId, id)));
  }

  /** @throws ServiceError INVALID_ARGUMENT with all violations; ALREADY_EXISTS for a taken name */
  async create(caller: Caller, input: WebhookInput): Promise<WebhookView> {
    this.#refuseInvalid(input);
    const now = this.#deps.clock.now();
    const of = { environment_id: caller.environmentId, managed_by: 'operator', now } as const;
    const row = newWebhookRow(input, { id: newId('whk', now), ...of });
    await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      await rows(tx, 'webhooks').insert(row);
      await writeAuditLine(tx, caller, { action: 'webhook.create', target: row.id, now });
    });
    return toWebhookView(asRead('webhooks', row));
  }

  /**
   * Changes the given members. Pending deliveries go to the new address; while the webhook is disabled they wait.
   *
   * @throws ServiceError INVALID_ARGUMENT with all violations, or for one declared in gatehouse.yaml;
   *   RESOURCE_NOT_FOUND; ALREADY_EXISTS for a taken name
   */
  async update(caller: Caller, id: string, change: WebhookChange): Promise<WebhookView> {
    this.#refuseInvalid(change);
    const now = this.#deps.clock.now();
    const columns = webhookColumns(change);
    const changed = await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      const store = rows(tx, 'webhooks');
      const row = found(await store.find(caller.environmentId, id));
      requireNotManagedByFile('webhook', row);
      if (Object.keys(columns).length === 0) return row;
      const set = { ...columns, updated_at: now };
      await store.update(caller.environmentId, id, set);
      await writeAuditLine(tx, caller, { action: 'webhook.update', target: id, now });
      return { ...row, ...asRead('webhooks', set) };
    });
    return toWebhookView(changed);
  }

  /** Deletes the webhook and its deliveries; nothing more is sent. @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for one declared in gatehouse.yaml */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const store = rows(tx, 'webhooks');
      requireNotManagedByFile('webhook', found(await store.find(caller.environmentId, id)));
      await store.delete(caller.environmentId, id);
      await writeAuditLine(tx, caller, { action: 'webhook.delete', target: id, now: this.#deps.clock.now() });
    });
  }

  /**
   * Creates and changes the environment's webhooks as gatehouse.yaml declares them, found by name. Those no longer declared
   * stay, for the operator to change or delete.
   *
   * @throws ServiceError INVALID_ARGUMENT with every violation of every entry (`webhooks[0].url`); nothing is written then
   */
  async synchronize(environmentId: string, declared: readonly WebhookInput[]): Promise<void> {
    const violations = declared.flatMap((input, index) =>
      webhookViolations(input, this.#deps.isReachable).map((violation) => ({
        ...violation,
        field: `webhooks[${index}].${violation.field}`,
      })),
    );
    if (violations.length > 0) throw invalidArgument(violations);
    const now = this.#deps.clock.now();
    const of = { environment_id: environmentId, managed_by: 'file', now } as const;
    const wanted = declared.map((input) => newWebhookRow(input, { id: newId('whk', now), ...of }));
    await synchronizeDeclared(
      this.#deps.db,
      'webhook',
      (db) => rows(db, 'webhooks'),
      environmentId,
      wanted,
      now,
    );
  }

  #refuseInvalid(input: WebhookChange): void {
    const violations = webhookViolations(input, this.#deps.isReachable);
    if (violations.length > 0) throw invalidArgument(violations);
  }
}

function found(row: Webhook | undefined): Webhook {
  if (row !== undefined) return row;
  throw notFound('webhook');
}

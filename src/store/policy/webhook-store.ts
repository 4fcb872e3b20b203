/** Rows of webhooks: where an environment's account events are sent. Knows SQL and nothing else. */
import type { Kysely, Selectable, Updateable } from 'kysely';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { Tables } from '../tables/tables.ts';
import type { WebhookTable } from '../tables/webhook-tables.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { storedFlag } from '../engine/row-reader.ts';

export type WebhookRow = Selectable<WebhookTable>;

export class WebhookStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** All webhooks of an environment, by name. */
  async list(environmentId: string): Promise<WebhookRow[]> {
    return this.#db
      .selectFrom('webhooks')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .orderBy('name')
      .execute();
  }

  async find(environmentId: string, id: string): Promise<WebhookRow | undefined> {
    return this.#db
      .selectFrom('webhooks')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** The webhooks that events go to, oldest first. Asked with every change of an account. */
  async listEnabled(environmentId: string): Promise<Pick<WebhookRow, 'id' | 'events'>[]> {
    return enabledWebhooks(this.#db, { environmentId });
  }

  /** A taken name fails with what `isUniqueViolation` knows. */
  async insert(row: StoredForm<WebhookTable>): Promise<void> {
    await this.#db.insertInto('webhooks').values(row).execute();
  }

  /** Returns false when there is no such webhook. A taken name fails with what `isUniqueViolation` knows. */
  async update(environmentId: string, id: string, change: Updateable<WebhookTable>): Promise<boolean> {
    const result = await this.#db
      .updateTable('webhooks')
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Removes the webhook and its deliveries. Returns false when there is no such webhook. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('webhooks')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

const enabledWebhooks = preparedQuery((db, of: { environmentId: string }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('environment_id', '=', of.environmentId)
    .where('enabled', '=', storedFlag(true))
    .orderBy('created_at')
    .orderBy('id'),
);

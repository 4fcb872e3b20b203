/** Migration 13: whose event a delivery is, and indexes that find due deliveries without a scan. Never change it after a release; add a migration. */
import type { Dialect } from '../../engine/database.ts';

/** SQL of this migration, one statement per entry. Only deliveries that are still to be sent need the account. */
export function deliveriesPerAccount(dialect: Dialect): string[] {
  const postgres = dialect === 'postgres';
  const account = postgres
    ? "body::json #>> '{data,connected_account,id}'"
    : "json_extract(body, '$.data.connected_account.id')";
  return [
    `alter table webhook_deliveries add column account_id ${postgres ? 'text collate "C"' : 'text'}`,
    `update webhook_deliveries set account_id = ${account} where status = 'pending'`,
    "create index webhook_deliveries_due on webhook_deliveries (environment_id, webhook_id, next_attempt_at, created_at, id) where status = 'pending'",
    "create index webhook_deliveries_of_account on webhook_deliveries (environment_id, webhook_id, account_id, created_at, id) where status = 'pending'",
    "create index webhook_deliveries_failed on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'failed'",
    // Deleting a webhook deletes its deliveries, so this begins with it. The environment is looked at in the index.
    'create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, created_at, id, environment_id)',
    'drop index webhook_deliveries_of_webhook',
  ];
}

/** Calls and accounts of a site, as rows: what the pages show does not depend on how they came to be. */
import type { AccountView } from '../../src/accounts/account-views.ts';
import { ExecutionStore } from '../../src/store/records/execution-store.ts';
import { addToSums } from '../../src/store/records/execution-sum-store.ts';
import type { Execution } from '../../src/store/tables/tables.ts';
import { SealedDetails } from '../../src/accounts/sealed-details.ts';
import { executionRow } from '../support/stored-rows.ts';
import type { Site } from './dashboard-site.ts';

/** Stores calls with their sums, as the executor does. Absent columns are those of a call that was answered. */
export async function seedCalls(site: Site, calls: readonly Partial<Execution>[]): Promise<void> {
  const { db } = site.services;
  const rows = calls.map((call) =>
    executionRow({
      environment_id: site.environment.id,
      at: site.clock.now() - 60_000,
      connected_account_id: null,
      connector: 'websearch',
      tool_name: 'websearch_search',
      ...call,
    }),
  );
  await db.transaction(async (tx) => {
    await new ExecutionStore(tx).insertMany(rows);
    await addToSums(tx, rows, { dialect: db.dialect, part: 0 });
  });
}

/** Ids of the calls that a page links to, in its order. */
export function listedCalls(html: string): string[] {
  return [...html.matchAll(/href="\/dashboard\/calls\/(exe_\w+)"/g)].map(([, id = '']) => id);
}

/** An account of the connection for web search. */
export async function seedAccount(
  site: Site,
  owner: { user_id?: string; organization_id?: string },
  identifier: string,
): Promise<AccountView> {
  return site.services.accounts.create(site.local, {
    connector: 'websearch',
    identifier,
    ...owner,
    connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-1' } } } },
  });
}

/** Stores what the app calls an account, as if it had been asked. */
export async function nameAccount({ services }: Site, id: string, name: string): Promise<void> {
  const display_name_sealed = await new SealedDetails(services.vault).sealName(id, name);
  await services.db.transaction(async (tx) =>
    tx.updateTable('accounts').set({ display_name_sealed }).where('id', '=', id).execute(),
  );
}

/** Takes an account's access away, as a failed renewal does. @param at Unix milliseconds */
export async function expireAccount(
  { services, environment }: Site,
  account_id: string,
  at: number,
): Promise<void> {
  const lost = { from_status: 'ACTIVE', to_status: 'EXPIRED', cause: 'refresh_failed', actor: '' } as const;
  const id = `evt_${account_id}`;
  await services.db.transaction(async (tx) => {
    await tx.updateTable('accounts').set({ status: 'EXPIRED' }).where('id', '=', account_id).execute();
    await tx
      .insertInto('account_events')
      .values({ id, environment_id: environment.id, account_id, at, ...lost })
      .execute();
  });
}

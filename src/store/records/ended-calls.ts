/**
 * Stores what calls leave behind: their records and sums, the last use of their accounts, and the end of pauses. Knows
 * SQL and nothing else.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Account } from '../accounts/account.ts';
import { AccountStore } from '../accounts/account-store.ts';
import { PauseStore } from '../accounts/pause-store.ts';
import type { Database, Readable } from '../engine/database.ts';
import { isBusy } from '../engine/database-errors.ts';
import type { Execution } from '../tables/tables.ts';
import { ExecutionStore } from './execution-store.ts';
import { addition, addToSums, otherPart, type SumPart } from './execution-sum-store.ts';

/** One finished call. A successful one notes the use of its account and forgets its refusals. */
export interface CallRecord {
  execution: Execution;
  /** A record was stored before the call, and this one replaces it. */
  hasBegun?: boolean;
  /** The account as it was when the call began, if it had a pause then; a success removes that pause. */
  wasPaused?: Account;
}

/**
 * Stores finished calls, and records of calls that are about to begin: all or none.
 *
 * @param part the part of the sums that ended calls are added to; gets another number if something had to be
 *   repeated
 * @throws ServiceError UNAVAILABLE if the database cannot be written
 */
export async function storeCalls(
  db: Database,
  ended: readonly CallRecord[],
  begun: readonly Execution[] = [],
  part: SumPart = { number: 0 },
): Promise<void> {
  const endsPauses = ended.some(({ wasPaused }) => wasPaused !== undefined);
  if (db.dialect === 'postgres' && !endsPauses) {
    const isReplacing = ended.some(({ hasBegun }) => hasBegun === true);
    try {
      const records = ended.map(({ execution }) => execution);
      await storeAtOnce(db.read, { begun, ended: records, part: part.number, isReplacing });
      return;
    } catch (error) {
      // A deadlock has undone everything, and a transaction is repeated.
      if (!isBusy(error)) throw error;
      part.number = otherPart(db.dialect, part.number);
    }
  }
  await storeInTransaction(db, { ended, begun }, part);
}

async function storeInTransaction(
  db: Database,
  { ended, begun }: { ended: readonly CallRecord[]; begun: readonly Execution[] },
  part: SumPart,
): Promise<void> {
  let isRepeated = false;
  await db.transaction(async (tx) => {
    // Perhaps another process adds to this part.
    if (isRepeated) part.number = otherPart(db.dialect, part.number);
    isRepeated = true;
    const executions = new ExecutionStore(tx);
    await executions.insertMany(begun);
    await executions.removeBegun(
      ended.filter(({ hasBegun }) => hasBegun === true).map(({ execution }) => execution),
    );
    const records = ended.map(({ execution }) => execution);
    await executions.insertMany(records);
    await addToSums(tx, records, { dialect: db.dialect, part: part.number });
    const accounts = new AccountStore(tx);
    const lastUse = new Map<string, Execution>();
    const wasPaused = new Map<string, Account>();
    for (const { execution, wasPaused: account } of ended) {
      if (execution.status !== 'ok') continue;
      if (execution.connected_account_id !== null) lastUse.set(execution.connected_account_id, execution);
      if (account !== undefined) wasPaused.set(account.id, account);
    }
    for (const [id, { environment_id, at }] of lastUse) await accounts.touch(environment_id, id, at);
    for (const account of wasPaused.values()) await new PauseStore(tx).end(account);
  });
}

/** The columns of executions with their types in Postgres. */
const COLUMNS = {
  id: 'text',
  environment_id: 'text',
  tool_name: 'text',
  connected_account_id: 'text',
  source: 'text',
  status: 'text',
  error_code: 'text',
  duration_ms: 'bigint',
  at: 'bigint',
  user_id: 'text',
  organization_id: 'text',
  connector: 'text',
  error_message: 'text',
  provider_status: 'bigint',
  queue_ms: 'bigint',
  provider_ms: 'bigint',
  attempts: 'bigint',
  renewals: 'bigint',
  client_id: 'text',
  virtual_server_id: 'text',
} as const satisfies Record<keyof Execution, 'text' | 'bigint'>;

const NAMES = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));

/** Replaces the records that were stored before the calls began. */
const REPLACING = sql`on conflict (id) do update set ${sql.join(
  Object.keys(COLUMNS).map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`),
)} where executions.environment_id = excluded.environment_id`;

/**
 * Postgres: the records, their sums and the uses of their accounts in one statement, which needs no transaction: it decides nothing
 * by what it reads. SERIALIZABLE would make processes that use the same accounts repeat each other's work.
 *
 * Accounts are locked in the order of their ids, so that two processes wait for each other in one direction only. An
 * account whose use another process has just noted is not written again (`AccountStore.touch`).
 *
 * @param calls.begun are stored with the others: without a success they note no use
 */
async function storeAtOnce(
  db: Readable,
  calls: { begun: readonly Execution[]; ended: readonly Execution[]; part: number; isReplacing: boolean },
): Promise<void> {
  const { begun, ended, part, isReplacing } = calls;
  const summed = ended.length === 0 ? sql`` : sql`, summed as (${addition(ended, part)})`;
  await sql`
    with ended (${NAMES}) as (select * from unnest(${sql.join(valuesOf([...begun, ...ended]))})),
    used as (
      select environment_id, connected_account_id as id, max(at) as at from ended
      where status = 'ok' and connected_account_id is not null group by environment_id, connected_account_id
    ),
    due as (
      select accounts.environment_id, accounts.id, used.at from used
      join accounts on accounts.environment_id = used.environment_id and accounts.id = used.id
      where accounts.refusals > 0 or accounts.last_used_at is null or accounts.last_used_at <= used.at - 1000
      order by accounts.id for no key update of accounts
    ),
    noted as (
      update accounts set last_used_at = due.at, refusals = 0 from due
      where accounts.environment_id = due.environment_id and accounts.id = due.id
    )${summed}
    insert into executions (${NAMES}) select ${NAMES} from ended ${isReplacing ? REPLACING : sql``}`.execute(
    db,
  );
}

/** An array of values for each column. */
function valuesOf(executions: readonly Execution[]): RawBuilder<unknown>[] {
  return Object.entries(COLUMNS).map(([name, type]) => {
    const values = executions.map((execution) => execution[name as keyof Execution]);
    return sql`${values}::${sql.raw(type)}[]`;
  });
}

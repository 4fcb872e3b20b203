/**
 * At start, changes an environment's webhooks and interceptors to what gatehouse.yaml declares, found by name
 * (docs/contract.md#what-the-file-declares). Resources that are no longer declared stay, for the operator to
 * change or delete.
 *
 * A start without changes writes nothing; each change is a line of the audit log, by `local`.
 */
import { LOCAL, writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, Readable } from '../store/engine/database.ts';
import { findOrWrite } from '../store/engine/unique-rows.ts';
import type { ManagedBy } from '../core/stored-words.ts';
import { changedColumns } from '../store/engine/row-reader.ts';

/** Columns that rows of both kinds have. */
interface DeclaredRow {
  id: string;
  name: string;
  managed_by: ManagedBy;
}

/** Columns in their stored form. */
type Change = Readonly<Record<string, unknown>>;

/** The part of their stores used here. */
interface DeclaredStore<Row> {
  list(environmentId: string, options: { orderBy: readonly ['name'] }): Promise<DeclaredRow[]>;
  insert(row: Row): Promise<void>;
  update(environmentId: string, id: string, change: Change): Promise<unknown>;
}

interface Plan<Row> {
  insert: Row[];
  update: { id: string; change: Change }[];
}

const TABLES = { interceptor: 'interceptors', webhook: 'webhooks' } as const;

const BY_NAME = { orderBy: ['name'] } as const;

/** An existing row keeps these columns. */
const KEPT: ReadonlySet<string> = new Set(['id', 'environment_id', 'created_at', 'updated_at']);

/**
 * @param resource name of the resource, for the audit log
 * @param declared new rows in their stored form, in the order of the file, without violations
 * @param now Unix milliseconds
 */
export async function synchronizeDeclared<Row extends DeclaredRow>(
  db: Database,
  resource: keyof typeof TABLES,
  storeOver: (db: Readable) => DeclaredStore<Row>,
  environmentId: string,
  declared: readonly Row[],
  now: number,
): Promise<void> {
  const planned = planOf(resource, await storeOver(db.read).list(environmentId, BY_NAME), declared);
  if (planned.insert.length + planned.update.length === 0) return;
  await findOrWrite(db, async (tx) => {
    const store = storeOver(tx);
    const plan = planOf(resource, await store.list(environmentId, BY_NAME), declared);
    const by = { environmentId, ...LOCAL };
    for (const { id, change } of plan.update) {
      await store.update(environmentId, id, { ...change, updated_at: now });
      await writeAuditLine(tx, by, { action: `${resource}.update`, target: id, now });
    }
    for (const row of plan.insert) {
      await store.insert(row);
      await writeAuditLine(tx, by, { action: `${resource}.create`, target: row.id, now });
    }
  });
}

function planOf<Row extends DeclaredRow>(
  resource: keyof typeof TABLES,
  stored: readonly DeclaredRow[],
  declared: readonly Row[],
): Plan<Row> {
  const plan: Plan<Row> = { insert: [], update: [] };
  for (const wanted of declared) {
    const row = stored.find(({ name }) => name === wanted.name);
    const decided = Object.fromEntries(Object.entries(wanted).filter(([column]) => !KEPT.has(column)));
    if (row === undefined) plan.insert.push(wanted);
    else if (Object.keys(changedColumns(TABLES[resource], { ...row }, decided)).length > 0)
      plan.update.push({ id: row.id, change: decided });
  }
  const names = new Set(declared.map(({ name }) => name));
  for (const { id, name, managed_by } of stored) {
    if (managed_by === 'file' && !names.has(name))
      plan.update.push({ id, change: { managed_by: 'operator' } });
  }
  return plan;
}

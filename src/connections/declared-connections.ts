/**
 * The start of an environment: its connections become what gatehouse.yaml declares (docs/contract.md#what-the-file-declares).
 *
 * Plans from the stored rows, then writes the plan in one transaction, and only what differs: a start that changes
 * nothing writes nothing. If another process starting at once has changed the rows, it plans again.
 */
import type { Catalog, Connector } from '../catalog/model/types.ts';
import type { Clock } from '../core/clock.ts';
import { invalidArgument, ServiceError, violation, type FieldViolation } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { rows } from '../store/engine/rows.ts';
import { LOCAL, writeAuditLine } from '../store/records/audit-store.ts';
import { changedConnectionColumns, type Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import { isUniqueViolation } from '../store/engine/database-errors.ts';
import type { Database } from '../store/engine/database.ts';
import { UnreadableSecret, type Vault } from '../vault/vault.ts';
import { allColumns, secretColumns, connectionSecretPlace, typeOf } from './connection-columns.ts';
import {
  changeViolations,
  connectionViolations,
  otherIdRefused,
  type ConnectionRules,
  type StoredConnection,
} from './connection-rules.ts';
import type { ConnectionInput } from './connection-views.ts';
import { givenSecret } from './secret-params.ts';
import type { ManagedBy } from '../core/stored-words.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { ConnectionTable } from '../store/tables/tables.ts';

/** Services that synchronizing needs. */
export interface SynchronizeServices extends ConnectionRules {
  db: Database;
  vault: Vault;
  clock: Clock;
}

/** An entry of gatehouse.yaml with its connector. */
interface Declaration {
  /** Field name of the entry: `connections[0]`. */
  field: string;
  input: ConnectionInput;
  connector: Connector;
  name: string;
}

type Columns = StoredForm<ConnectionTable>;

type Change = Partial<Columns>;

interface Plan {
  remove: string[];
  insert: Columns[];
  update: { id: string; change: Change }[];
}

/** Most attempts while other processes start at the same moment. */
const MAX_ATTEMPTS = 10;

/** See `Connections.synchronize`. */
export async function synchronizeConnections(
  services: SynchronizeServices,
  environmentId: string,
  declared: readonly ConnectionInput[],
): Promise<void> {
  const { declarations, violations } = readDeclarations(services, declared);
  for (let attempt = 1; ; attempt++) {
    const stored = await readStored(new ConnectionStore(services.db.read), environmentId);
    const conflicts = declarations.flatMap((declaration) =>
      storedViolations(services.catalog, declaration, stored),
    );
    if (violations.length + conflicts.length > 0) throw invalidArgument([...violations, ...conflicts]);
    const plan = await planOf(services, environmentId, declarations, stored);
    if (plan.remove.length + plan.insert.length + plan.update.length === 0) return;
    try {
      if (await write(services, environmentId, stored, plan)) return;
    } catch (cause) {
      if (!isUniqueViolation(cause)) throw cause;
      if (attempt >= MAX_ATTEMPTS) throw idInUse(declarations, plan, cause);
    }
  }
}

/** The entries with a known connector, and the violations of each entry by itself. */
function readDeclarations(
  rules: ConnectionRules,
  declared: readonly ConnectionInput[],
): { declarations: Declaration[]; violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const declarations: Declaration[] = [];
  for (const [index, input] of declared.entries()) {
    const field = `connections[${index}]`;
    violations.push(...within(field, connectionViolations(rules, input, input.connector)));
    const connector = rules.catalog.connectors.get(input.connector);
    if (connector !== undefined)
      declarations.push({ field, input, connector, name: input.name ?? connector.name });
  }
  return { declarations, violations };
}

async function readStored(
  store: ConnectionStore,
  environmentId: string,
): Promise<ReadonlyMap<string, StoredConnection>> {
  const inUse = new Set(await store.idsInUse(environmentId));
  const connections = await store.list(environmentId);
  return new Map(
    connections.map((connection) => [connection.name, { connection, isInUse: inUse.has(connection.id) }]),
  );
}

/** The rows to write; empty if all are as declared. For declarations without violations. */
async function planOf(
  services: SynchronizeServices,
  environmentId: string,
  declarations: readonly Declaration[],
  stored: ReadonlyMap<string, StoredConnection>,
): Promise<Plan> {
  const now = services.clock.now();
  const plan: Plan = { remove: [], insert: [], update: [] };
  for (const { input, connector, name } of declarations) {
    const existing = stored.get(name)?.connection;
    if (existing !== undefined && (input.id ?? existing.id) === existing.id) {
      const change = await differences(services, existing, input, connector);
      if (Object.keys(change).length > 0)
        plan.update.push({ id: existing.id, change: { ...change, updated_at: now } });
    } else {
      if (existing !== undefined) plan.remove.push(existing.id);
      plan.insert.push(await newRow(services, environmentId, { input, connector, managedBy: 'file' }));
    }
  }
  const declaredNames = new Set(declarations.map(({ name }) => name));
  for (const { connection } of stored.values()) {
    if (connection.managedBy === 'file' && !declaredNames.has(connection.name))
      plan.update.push({ id: connection.id, change: { managed_by: 'operator', updated_at: now } });
  }
  for (const connector of services.catalog.connectors.values()) {
    const { name } = connector;
    if (!connector.needsNoOperator || stored.has(name) || declaredNames.has(name)) continue;
    const input = { connector: name };
    plan.insert.push(await newRow(services, environmentId, { input, connector, managedBy: 'catalog' }));
  }
  return plan;
}

/** Violations of entries that do not fit the stored connections. */
function storedViolations(
  catalog: Catalog,
  { field, input, connector, name }: Declaration,
  stored: ReadonlyMap<string, StoredConnection>,
): FieldViolation[] {
  const existing = stored.get(name);
  const out: FieldViolation[] = [];
  if (existing !== undefined) {
    const authorization_type = typeOf(input, connector);
    out.push(...changeViolations(existing, { connector: connector.name, authorization_type }));
    const { connection, isInUse } = existing;
    if (
      input.id !== undefined &&
      input.id !== connection.id &&
      (connection.managedBy !== 'catalog' || isInUse)
    ) {
      out.push({
        field: 'id',
        description: otherIdRefused(catalog, existing),
        constraint: 'fixed',
      });
    }
  }
  for (const { connection } of stored.values()) {
    if (connection.id !== input.id || connection.name === name) continue;
    out.push({
      field: 'id',
      description: `The id ${connection.id} belongs to the connection ${connection.name}. Keep that name, or choose another id.`,
      constraint: 'in_use',
    });
  }
  return within(field, out);
}

/** Columns that differ from the declaration; what it leaves out is compared with the default. */
async function differences(
  { vault, clock }: SynchronizeServices,
  connection: Connection,
  input: ConnectionInput,
  connector: Connector,
): Promise<Change> {
  const wanted = { ...allColumns(input, connector), managed_by: 'file' } as const;
  const change: Change = changedConnectionColumns(connection, wanted);
  const secret = givenSecret(input) ?? undefined;
  if ((await openSecret(vault, connection)) !== secret)
    Object.assign(change, await secretColumns(vault, connection.id, secret, clock.now()));
  return change;
}

/** The stored secret; `undefined` without a secret, null if it can no longer be opened. */
async function openSecret(vault: Vault, connection: Connection): Promise<string | null | undefined> {
  if (connection.clientSecretSealed === null) return undefined;
  try {
    return await vault.open(connectionSecretPlace(connection.id), connection.clientSecretSealed);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

async function newRow(
  { vault, clock }: SynchronizeServices,
  environmentId: string,
  entry: { input: ConnectionInput; connector: Connector; managedBy: ManagedBy },
): Promise<Columns> {
  const { input, connector, managedBy } = entry;
  const now = clock.now();
  const id = input.id ?? newId('conn', now);
  return {
    id,
    environment_id: environmentId,
    ...allColumns(input, connector),
    ...(await secretColumns(vault, id, givenSecret(input), now)),
    managed_by: managedBy,
    paused_until: null,
    created_at: now,
    updated_at: now,
  };
}

/**
 * Returns false and writes nothing if the stored connections have changed since the plan was made. What the file
 * declares is written to the audit log; connections that come with the catalog are not.
 */
async function write(
  { db, clock }: Pick<SynchronizeServices, 'db' | 'clock'>,
  environmentId: string,
  stored: ReadonlyMap<string, StoredConnection>,
  plan: Plan,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const store = new ConnectionStore(tx);
    const connections = rows(tx, 'connections');
    const current = await readStored(store, environmentId);
    if (JSON.stringify([...current]) !== JSON.stringify([...stored])) return false;
    const by = { environmentId, ...LOCAL };
    const now = clock.now();
    for (const target of plan.remove) {
      await connections.delete(environmentId, target);
      await writeAuditLine(tx, by, { action: 'connection.delete', target, now });
    }
    for (const row of plan.insert) {
      await connections.insert(row);
      if (row.managed_by === 'file')
        await writeAuditLine(tx, by, { action: 'connection.create', target: row.id, now });
    }
    for (const { id, change } of plan.update) {
      await connections.update(environmentId, id, change);
      await writeAuditLine(tx, by, { action: 'connection.update', target: id, now });
    }
    return true;
  });
}

function within(field: string, violations: readonly FieldViolation[]): FieldViolation[] {
  return violations.map((violation) => ({ ...violation, field: `${field}.${violation.field}` }));
}

/** Finding out which id it is would mean looking into other environments. */
function idInUse(declarations: readonly Declaration[], plan: Plan, cause: unknown): ServiceError {
  const made = new Set(plan.insert.map(({ id }) => id));
  const named = declarations.filter(({ input: { id } }) => id !== undefined && made.has(id));
  const ids = named.map(({ input: { id } }) => id).join(', ');
  const description =
    named.length === 1
      ? `The id ${ids} is used in another environment. Declare another id.`
      : `One of these ids is used in another environment: ${ids}. Declare another id.`;
  return new ServiceError('ALREADY_EXISTS', description, {
    details: {
      field_violations: named.map(({ field }) => violation(`${field}.id`, description, 'in_use')),
    },
    cause,
  });
}

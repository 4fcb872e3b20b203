/**
 * Brings the tables of a database to the version that this program knows, while the program before may still use them.
 *
 * One process at a time does it, and others that start meanwhile wait. On SQLite all missing migrations are one write
 * transaction; on Postgres they are small steps (online-migration.ts).
 */
import { CompiledQuery, sql, type Kysely } from 'kysely';
import type { Database, Dialect, OpenedDatabase, WriteTransaction } from '../engine/database.ts';
import { renewStatistics } from '../engine/statistics.ts';
import { firstTables } from './versions/release-0-1/0001-first-tables.ts';
import { idempotencyKeys } from './versions/release-0-1/0002-idempotency-keys.ts';
import { peopleAndPolicy } from './versions/release-0-1/0003-people-and-policy.ts';
import { identityProviderReach } from './versions/0004-identity-provider-reach.ts';
import { identityBinding } from './versions/0005-identity-binding.ts';
import { limitsForStrangers } from './versions/0006-limits-for-strangers.ts';
import { linkTrials } from './versions/0007-link-trials.ts';
import { linkBinding } from './versions/0008-link-binding.ts';
import { ownersAndLastingLogs } from './versions/0009-owners-and-lasting-logs.ts';
import { providerPauses } from './versions/0010-provider-pauses.ts';
import { compatibleFrom } from './versions/0011-compatible-from.ts';
import { indexesForLists } from './versions/0012-indexes-for-lists.ts';
import { deliveriesPerAccount } from './versions/0013-deliveries-per-account.ts';
import { indexesOfWhatBelongs } from './versions/0014-indexes-of-what-belongs.ts';
import { executionSums } from './versions/0015-execution-sums.ts';
import { useOfCredentials } from './versions/0016-use-of-credentials.ts';
import { linkDecisions } from './versions/0017-link-decisions.ts';
import { agentsAndDevices } from './versions/0018-agents-and-devices.ts';
import { indexesOfTwoFilters } from './versions/0019-indexes-of-two-filters.ts';
import { indexOfIdentifiers } from './versions/0020-index-of-identifiers.ts';
import { timeOfSecrets } from './versions/0021-time-of-secrets.ts';
import { serverOfCalls } from './versions/0022-server-of-calls.ts';
import { authorizationOfUpstreams } from './versions/0023-authorization-of-upstreams.ts';
import { toolsOfUpstreams } from './versions/0024-tools-of-upstreams.ts';
import { outagesOfUpstreams } from './versions/0025-outages-of-upstreams.ts';
import { migrationPlan, type Migration, type MigrationPlan } from './migration-plan.ts';
import { migrateInThread } from './migration-thread.ts';
import { inSteps, underMigrationLock } from './online-migration.ts';
import { readSchemaFit, setVersion, type SchemaFit } from './schema-version.ts';
import type { Tables } from '../tables/tables.ts';

/** The first n entries make version n of the schema. */
const MIGRATIONS: readonly ((dialect: Dialect) => string[])[] = [
  firstTables,
  idempotencyKeys,
  peopleAndPolicy,
  identityProviderReach,
  identityBinding,
  limitsForStrangers,
  linkTrials,
  linkBinding,
  ownersAndLastingLogs,
  providerPauses,
  compatibleFrom,
  indexesForLists,
  deliveriesPerAccount,
  indexesOfWhatBelongs,
  executionSums,
  useOfCredentials,
  linkDecisions,
  agentsAndDevices,
  indexesOfTwoFilters,
  indexOfIdentifiers,
  timeOfSecrets,
  serverOfCalls,
  authorizationOfUpstreams,
  toolsOfUpstreams,
  outagesOfUpstreams,
];

/** The version of the tables that this program makes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Called, and awaited, with the plan before existing tables are changed. */
export type OnMigration = (plan: MigrationPlan, db: Database) => Promise<void>;

/** The migrations that a database of this version lacks. */
function migrationsAfter(version: number, dialect: Dialect): Migration[] {
  return MIGRATIONS.map((migration, index) => ({
    version: index + 1,
    statements: migration(dialect),
  })).slice(version);
}

/** The plan of `migrate` for a database of this version. */
export async function planMigration(db: Database, version: number): Promise<MigrationPlan> {
  return migrationPlan(db, version, migrationsAfter(version, db.dialect));
}

/**
 * @returns how the tables fit: of this program's version, or of a newer one that may be used
 * @throws DatabaseError as `schemaFit`, or if a large SQLite file cannot be migrated
 */
export async function migrate(database: OpenedDatabase, onMigration?: OnMigration): Promise<SchemaFit> {
  const fit = await schemaFit(database.read, database.dialect);
  if (fit.version >= SCHEMA_VERSION) return fit;
  if (fit.version > 0) await onMigration?.(await planMigration(database, fit.version), database);
  if (database.dialect === 'postgres')
    return underMigrationLock(database, async (db) => {
      const { version } = await schemaFit(db, 'postgres');
      if (version > 0) await inSteps(db, migrationsAfter(version, 'postgres'));
      else await db.transaction().execute(async (tx) => raise(tx, 'postgres'));
      return schemaFit(db, 'postgres');
    });
  const file = fit.version > 0 ? database.largeFile() : undefined;
  if (file === undefined) return database.transaction(async (tx) => raise(tx, 'sqlite'));
  await migrateInThread(file);
  return schemaFit(database.read, 'sqlite');
}

async function raise(tx: WriteTransaction, dialect: Dialect): Promise<SchemaFit> {
  const run = (statement: string) => tx.executeQuery(CompiledQuery.raw(statement));
  const fit = await schemaFit(tx, dialect);
  if (fit.version >= SCHEMA_VERSION) return fit;
  if (fit.version === 0) await run(installationTable(dialect));
  for (const { statements } of migrationsAfter(fit.version, dialect))
    for (const statement of statements) await run(statement);
  await renewStatistics(tx, dialect);
  await setVersion(tx, SCHEMA_VERSION);
  return { version: SCHEMA_VERSION };
}

/**
 * Whether the tables fit this program; version 0 for an empty database.
 *
 * @throws DatabaseError if this program may not use them
 */
export async function schemaFit(db: Kysely<Tables>, dialect: Dialect): Promise<SchemaFit> {
  const { rows } =
    dialect === 'postgres'
      ? await sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'installation'`.execute(
          db,
        )
      : await sql`select 1 from sqlite_master where name = 'installation'`.execute(db);
  return rows.length === 0 ? { version: 0 } : readSchemaFit(db, SCHEMA_VERSION);
}

function installationTable(dialect: Dialect): string {
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
  return `create table installation (key ${text} primary key, value ${text} not null)${dialect === 'sqlite' ? ' strict' : ''}`;
}

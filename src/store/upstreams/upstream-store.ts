/**
 * Listed and approved tools of remote MCP servers: queries that engine/rows.ts cannot express. Every statement
 * names the environment.
 */
import { sql } from 'kysely';
import type { Readable, WriteTransaction } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import { rows } from '../engine/rows.ts';
import type { ReadForm, StoredForm } from '../tables/column-types.ts';
import type {
  UpstreamConnectionTable,
  UpstreamListTable,
  UpstreamToolTable,
} from '../tables/upstream-tool-tables.ts';

/** One form of one tool, as read. */
export type UpstreamTool = ReadForm<UpstreamToolTable>;

/** The last list of an account, as read. */
export type UpstreamList = ReadForm<UpstreamListTable>;

/** Number of changes to the published tools of each environment. Environments without upstreams are absent. */
export async function upstreamVersions(db: Readable): Promise<ReadonlyMap<string, number>> {
  const found = await db.selectFrom('upstream_versions').select(['environment_id', 'version']).execute();
  return new Map(found.map((row) => [row.environment_id, row.version]));
}

/** Makes every process read the published tools of the environment again. */
export async function raiseUpstreamVersion(tx: WriteTransaction, environmentId: string): Promise<void> {
  await tx
    .insertInto('upstream_versions')
    .values({ environment_id: environmentId, version: 1 })
    .onConflict((conflict) =>
      conflict.column('environment_id').doUpdateSet({ version: sql`upstream_versions.version + 1` }),
    )
    .execute();
}

/** The last list of an account; read for every call. */
export async function upstreamListOf(
  db: Readable,
  environmentId: string,
  accountId: string,
): Promise<UpstreamList | undefined> {
  const [list] = await listOfAccount(db, { environmentId, accountId });
  return list;
}

const listOfAccount = preparedQuery((db, of: { environmentId: string; accountId: string }) =>
  db
    .selectFrom('upstream_lists')
    .selectAll()
    .where('environment_id', '=', of.environmentId)
    .where('id', '=', of.accountId),
);

/** Fingerprints that the last lists of a connection's accounts have. */
export async function listedHashes(
  db: Readable,
  environmentId: string,
  connectionId: string,
): Promise<ReadonlySet<string>> {
  const lists = await db
    .selectFrom('upstream_lists')
    .select('tools')
    .distinct()
    .where('environment_id', '=', environmentId)
    .where('connection_id', '=', connectionId)
    .execute();
  return new Set(lists.flatMap(({ tools }) => tools.map(([, hash]) => hash)));
}

/** Number of a connection's forms of tools in one state. */
export interface FormCount {
  connection_id: string;
  state: UpstreamTool['state'];
  /** Whether they could be published if somebody approved them. */
  isPublishable: boolean;
  count: number;
}

/** Forms of tools of all connections of an environment, by state. */
export async function upstreamFormCounts(db: Readable, environmentId: string): Promise<FormCount[]> {
  const counted = await db
    .selectFrom('upstream_tools')
    .select((e) => [
      'connection_id',
      'state',
      e.fn.countAll().as('forms'),
      e.fn.count('obstacle').as('blocked'),
    ])
    .where('environment_id', '=', environmentId)
    .groupBy(['connection_id', 'state'])
    .execute();
  return counted.flatMap(({ connection_id, state, forms, blocked }) => [
    { connection_id, state, isPublishable: false, count: Number(blocked) },
    { connection_id, state, isPublishable: true, count: Number(forms) - Number(blocked) },
  ]);
}

/** Stores the list of an account, which replaces the previous one. */
export async function storeUpstreamList(
  tx: WriteTransaction,
  row: StoredForm<UpstreamListTable>,
): Promise<void> {
  const { hash, tools, listed_at } = row;
  await tx
    .insertInto('upstream_lists')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ hash, tools, listed_at }))
    .execute();
}

/** A connection. Its servers are one if its address has no placeholders. */
export interface UpstreamPlace {
  environmentId: string;
  connectionId: string;
}

type ConnectionChange = Partial<Omit<StoredForm<UpstreamConnectionTable>, 'id' | 'environment_id'>>;

/** Stores facts about a connection's server. Absent columns stay unchanged. */
export async function storeUpstreamConnection(
  tx: WriteTransaction,
  { environmentId, connectionId }: UpstreamPlace,
  change: ConnectionChange,
): Promise<void> {
  const row = {
    id: connectionId,
    environment_id: environmentId,
    era: null,
    discover: '{}',
    era_at: null,
    server: '{}',
    listed_at: null,
    failing_since: null,
    failing_origin: null,
    ...change,
  };
  await tx
    .insertInto('upstream_connections')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
    .execute();
}

/**
 * Notes that a server of a connection fails. @returns false if a failure of this server, or of another one, was
 * known
 */
export async function beginOutage(
  tx: WriteTransaction,
  place: UpstreamPlace,
  { origin, since }: { origin: string; since: number },
): Promise<boolean> {
  const known = await rows(tx, 'upstream_connections').find(place.environmentId, place.connectionId);
  if (known !== undefined && known.failing_since !== null) return false;
  await storeUpstreamConnection(tx, place, { failing_since: since, failing_origin: origin });
  return true;
}

/**
 * Notes that a server of a connection works. @returns the time since which it had failed; `undefined` if no failure
 * was known
 */
export async function endOutage(
  tx: WriteTransaction,
  { environmentId, connectionId }: UpstreamPlace,
  origin: string,
): Promise<number | undefined> {
  const connections = rows(tx, 'upstream_connections');
  const known = await connections.find(environmentId, connectionId);
  if (known === undefined || known.failing_since === null || known.failing_origin !== origin)
    return undefined;
  await connections.update(environmentId, connectionId, { failing_since: null, failing_origin: null });
  return known.failing_since;
}

/**
 * Reads the version of a database's tables, and decides whether this program may use them.
 *
 * `schema_version` counts the migrations that ran. `compatible_from` is the lowest program version that may use the
 * result: a newer program first adds to the tables, and removes something only in a later version.
 */
import type { Kysely } from 'kysely';
import { programVersion } from '../../core/program-version.ts';
import { DatabaseError } from '../engine/database-errors.ts';
import type { Tables } from '../tables/tables.ts';

const VERSION_KEY = 'schema_version';

const COMPATIBLE_KEY = 'compatible_from';

/** The relation between the tables of a database and this program, which may use them. */
export interface SchemaFit {
  version: number;
  /** For the operator, if a newer program made the tables. */
  newer?: string;
}

/**
 * @param known the version that this program's migrations make
 * @throws DatabaseError for the operator: too new for this program, or a value that no program wrote
 */
export async function readSchemaFit(db: Kysely<Tables>, known: number): Promise<SchemaFit> {
  const rows = await db
    .selectFrom('installation')
    .selectAll()
    .where('key', 'in', [VERSION_KEY, COMPATIBLE_KEY])
    .execute();
  const facts = new Map(rows.map(({ key, value }) => [key, value]));
  const version = wholeNumber(facts.get(VERSION_KEY));
  const from = facts.get(COMPATIBLE_KEY);
  const program = programVersion();
  const versions = `It has schema version ${version}, and this is Gatehouse ${program}, which knows versions up to ${known}.`;
  if (from === undefined && version > known)
    throw new DatabaseError(
      `A newer Gatehouse made the database and does not say which programs may use it. ${versions} Start the newer program, or use another database. Nothing was changed.`,
    );
  if (from !== undefined && isBelow(program, from))
    throw new DatabaseError(
      `The database needs Gatehouse ${from} or later. ${versions} Start the newer program, or restore a copy from before the upgrade. Nothing was changed.`,
    );
  if (version <= known) return { version };
  return {
    version,
    newer: `A newer Gatehouse made the tables of the database. ${versions} This program may use them; upgrade it when you can.`,
  };
}

/** Stores the version of the tables. */
export async function setVersion(db: Kysely<Tables>, version: number): Promise<void> {
  const value = String(version);
  await db
    .insertInto('installation')
    .values({ key: VERSION_KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

function wholeNumber(value: string | undefined): number {
  if (value !== undefined && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  const said = value === undefined ? 'no schema version' : `the schema version ${quoted(value)}`;
  throw new DatabaseError(
    `The database has ${said}, and a whole number from 1 on is expected. No Gatehouse wrote that: restore a copy, or use another database. Nothing was changed.`,
  );
}

/** Compares major, minor and patch; a pre-release counts as its release. */
function isBelow(program: string, needed: string): boolean {
  const [have, want] = [numbersOf(program), numbersOf(needed)];
  if (have === undefined || want === undefined)
    throw new DatabaseError(
      `The database says that it may be used from Gatehouse ${quoted(needed)} on, and that is not a version such as 0.2.0. No Gatehouse wrote that: restore a copy, or use another database. Nothing was changed.`,
    );
  const different = want.findIndex((number, place) => number !== have[place]);
  return different >= 0 && (have[different] ?? 0) < (want[different] ?? 0);
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+][\w.+-]*)?$/.exec(version)?.slice(1).map(Number);
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 40));
}

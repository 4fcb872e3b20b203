/**
 * All sealed values of the database, for the rotation and the check of keys. Knows SQL and nothing else. For
 * maintenance: goes through the rows of all environments.
 *
 * A new column `…_sealed` does not compile until it is listed in `PLACES`.
 */
import { sql, type Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

type SealedName<Table> = Extract<keyof Table, `${string}_sealed`>;

/** Maximum characters of text in a page; the value that exceeds it is its last. */
const PAGE_CHARACTERS = 4_000_000;

/** By table and sealed column: the column name that its values were sealed for. */
const PLACES: {
  readonly [T in keyof Tables as [SealedName<Tables[T]>] extends [never] ? never : T]: Readonly<
    Record<SealedName<Tables[T]>, string>
  >;
} = {
  connections: { client_secret_sealed: 'client_secret_sealed' },
  accounts: { credentials_sealed: 'credentials_sealed', display_name_sealed: 'display_name_sealed' },
  links: { token_sealed: 'token_sealed' },
  oauth_flows: { verifier_sealed: 'verifier_sealed' },
  auth_requests: { waiting_sealed: 'waiting_sealed', display_name_sealed: 'display_name_sealed' },
  signing_keys: { private_jwk_sealed: 'private_jwk' },
  signing_secrets: { secret_sealed: 'secret_sealed' },
  idempotency_keys: { outcome_sealed: 'outcome_sealed' },
  organization_providers: { client_secret_sealed: 'client_secret_sealed' },
  sign_in_flows: { secrets_sealed: 'secrets_sealed' },
  upstream_clients: { client_secret_sealed: 'client_secret_sealed' },
  authorization_artifacts: { payload_sealed: 'payload_sealed' },
};

/** A column with sealed values. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Column of the row's id. */
  idColumn: string;
  /** The column name that the values were sealed for. */
  sealedFor: string;
  /** The only rows with sealed values; if `undefined`, all rows in which the column is not null. */
  ids?: readonly string[];
}

/**
 * Sealed and open facts about the installation share one column. `key_check` tells the progress of a
 * rotation.
 */
export const KEY_CHECK: SealedColumn = installationColumn('key_check');

/** Every other sealed column. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  installationColumn('derivation_secret'),
  ...Object.entries(PLACES).flatMap(([table, columns]) =>
    Object.entries<string>(columns).map(([column, sealedFor]) => ({
      table,
      column,
      idColumn: 'id',
      sealedFor,
    })),
  ),
];

/** A stored sealed value. */
export interface SealedValue {
  id: string;
  sealed: string;
}

export class SealedValueStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /**
   * Up to `limit` values of a column, by id, starting after `afterId`; '' starts at the beginning. Returns
   * fewer if they are long, because one value may be a provider's answer of many megabytes.
   */
  async page(column: SealedColumn, afterId: string, limit: number): Promise<SealedValue[]> {
    const table = sql.table(column.table);
    const id = sql.ref(column.idColumn);
    const value = sql.ref(column.column);
    const only = column.ids === undefined ? sql`` : sql`and ${id} in (${sql.join([...column.ids])})`;
    const { rows } = await sql<SealedValue>`
      with sized as (
        select ${id} as id, length(${value}) as size from ${table}
        where ${value} is not null and ${id} > ${afterId} ${only}
        order by ${id} limit ${limit}
      ), summed as (
        select id, sum(size) over (order by id) - size as earlier from sized
      )
      select ${id} as id, ${value} as sealed from ${table}
      where ${value} is not null
        and ${id} in (select id from summed where earlier < ${sql.lit(PAGE_CHARACTERS)})
      order by ${id}`.execute(this.#db);
    return rows;
  }

  /** Replaces `old`. Returns false if the row is gone or holds another value by now. */
  async replace(column: SealedColumn, id: string, old: string, sealed: string): Promise<boolean> {
    const value = sql.ref(column.column);
    const { numAffectedRows } = await sql`
      update ${sql.table(column.table)} set ${value} = ${sealed}
      where ${sql.ref(column.idColumn)} = ${id} and ${value} = ${old}`.execute(this.#db);
    return numAffectedRows === 1n;
  }
}

function installationColumn(row: 'key_check' | 'derivation_secret'): SealedColumn {
  return { table: 'installation', column: 'value', idColumn: 'key', sealedFor: 'value', ids: [row] };
}

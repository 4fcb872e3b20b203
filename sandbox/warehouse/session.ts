/** The user and role that run a statement, and the resolution of names without database and schema. */
import { ACCOUNT, DATABASES, DEFAULTS, mayUse, ROLES, WAREHOUSES } from './account.ts';
import type { StoredTable, WarehouseDatabase } from './database.ts';
import { INFORMATION_SCHEMA, viewId } from './information-schema.ts';
import { historyId } from './queries/query-history.ts';
import { insufficientPrivileges, noSuchObject, SqlFailure, unsupported } from './refusal.ts';
import type { NameResolver } from './translate.ts';

/** Choices of a request. */
export interface SessionChoice {
  role?: string | undefined;
  warehouse?: string | undefined;
  database?: string | undefined;
  schema?: string | undefined;
}

/** One request's session; `USE` changes it. */
export class Session implements NameResolver {
  readonly user: string;
  readonly #warehouse: WarehouseDatabase;
  #role: string;
  #compute: string;
  #database: string;
  #schema: string;

  /**
   * @param user whose roles can be taken. @throws SqlFailure for a choice that does not exist, or is not
   * allowed for this user
   */
  constructor(warehouse: WarehouseDatabase, user: string, choice: SessionChoice) {
    this.user = user;
    this.#warehouse = warehouse;
    this.#role = DEFAULTS.role;
    this.#compute = DEFAULTS.warehouse;
    this.#database = DEFAULTS.database;
    this.#schema = choice.database === undefined ? DEFAULTS.schema : 'PUBLIC';
    if (choice.role !== undefined) this.useRole(choice.role);
    if (choice.warehouse !== undefined) this.useWarehouse(choice.warehouse);
    if (choice.database !== undefined) this.useDatabase(choice.database);
    if (choice.schema !== undefined) this.useSchema([choice.schema]);
  }

  get role(): string {
    return this.#role;
  }

  get compute(): string {
    return this.#compute;
  }

  get database(): string {
    return this.#database;
  }

  get schema(): string {
    return this.#schema;
  }

  /** Results of the functions about the session. */
  facts(): Record<string, string> {
    return {
      CURRENT_ACCOUNT: ACCOUNT,
      CURRENT_USER: this.user,
      CURRENT_ROLE: this.#role,
      CURRENT_WAREHOUSE: this.#compute,
      CURRENT_DATABASE: this.#database,
      CURRENT_SCHEMA: this.#schema,
    };
  }

  useRole(name: string): void {
    if (ROLES[name]?.users.includes(this.user) !== true)
      throw new SqlFailure(
        '390189',
        '08004',
        `Role '${name}' specified in the connect string does not exist or not authorized. Contact your local system administrator, or attempt to login with another role, e.g. PUBLIC.`,
      );
    this.#role = name;
  }

  useWarehouse(name: string): void {
    if (!WAREHOUSES.some((warehouse) => warehouse.name === name))
      throw new SqlFailure(
        '002043',
        '02000',
        'SQL compilation error:\nObject does not exist, or operation cannot be performed.',
      );
    this.#compute = name;
  }

  useDatabase(name: string): void {
    this.requireDatabase(name);
    this.#database = name;
    this.#schema = 'PUBLIC';
  }

  useSchema(parts: readonly string[]): void {
    const [database, schema] = this.schemaNamed(parts);
    this.#database = database;
    this.#schema = schema;
  }

  /** @throws SqlFailure for a database that does not exist or that the role may not see */
  requireDatabase(name: string): void {
    if (!Object.hasOwn(DATABASES, name) || !mayUse(this.#role, name, 'read'))
      throw noSuchObject('Database', name);
  }

  /** A schema by its own name or with that of its database. @throws SqlFailure */
  schemaNamed(parts: readonly string[]): [database: string, schema: string] {
    const [first = '', second] = parts;
    const [database, schema] = second === undefined ? [this.#database, first] : [first, second];
    this.requireDatabase(database);
    const isThere =
      schema === INFORMATION_SCHEMA || Object.hasOwn(DATABASES[database]?.schemas ?? {}, schema);
    if (!isThere || parts.length > 2) throw noSuchObject('Schema', [database, schema].join('.'));
    return [database, schema];
  }

  /** Full name of a table that need not exist. @throws SqlFailure for a schema that does not exist */
  tableName(parts: readonly string[]): { database: string; schema: string; name: string } {
    const name = parts.at(-1) ?? '';
    if (parts.length > 3) throw noSuchObject('Object', parts.join('.'));
    const [database, schema] = this.schemaNamed(parts.length === 1 ? [this.#schema] : parts.slice(0, -1));
    return { database, schema, name };
  }

  /** @throws SqlFailure for a table that does not exist */
  table(parts: readonly string[]): StoredTable {
    const { database, schema, name } = this.tableName(parts);
    const table = this.#warehouse.find(database, schema, name);
    if (table === undefined) throw noSuchObject('Object', parts.join('.'));
    return table;
  }

  /** @throws SqlFailure if the role may not change the content of the database */
  requireWrite(kind: string, { database, name }: { database: string; name: string }): void {
    if (!mayUse(this.#role, database, 'write')) throw insufficientPrivileges(kind, name);
  }

  tableFunction(parts: readonly string[]): string {
    const name = parts.at(-1) ?? '';
    const [database, schema] = this.schemaNamed(parts.length === 1 ? [this.#schema] : parts.slice(0, -1));
    if (schema !== INFORMATION_SCHEMA || name !== 'QUERY_HISTORY')
      throw unsupported(`table function ${parts.join('.')}`);
    return historyId(database);
  }

  resolve(parts: readonly string[], use: 'read' | 'write'): string {
    const { database, schema, name } = this.tableName(parts);
    if (schema === INFORMATION_SCHEMA) {
      const id = viewId(database, name);
      if (id === undefined) throw noSuchObject('Object', parts.join('.'));
      if (use === 'write') throw insufficientPrivileges('view', name);
      return id;
    }
    const table = this.table(parts);
    if (use === 'write') {
      this.requireWrite('table', table);
      this.#warehouse.touch(table);
    }
    return table.id;
  }
}

/**
 * Connections. Knows SQL and nothing else.
 *
 * Works on a database or a transaction: `new ConnectionStore(tx)` works inside it.
 */
import type { Kysely, Updateable } from 'kysely';
import { asRead } from '../engine/row-reader.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { ConnectionTable, Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';
import { connectionOf, type Connection } from './connection.ts';

export class ConnectionStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** All connections of an environment, by name. */
  async list(environmentId: string): Promise<Connection[]> {
    const rows = await this.#db
      .selectFrom('connections')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .orderBy('name')
      .execute();
    return rows.map(connectionOf);
  }

  async findById(environmentId: string, id: string): Promise<Connection | undefined> {
    const row = await this.#db
      .selectFrom('connections')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && connectionOf(row);
  }

  async findByName(environmentId: string, name: string): Promise<Connection | undefined> {
    const row = await this.#db
      .selectFrom('connections')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('name', '=', name)
      .executeTakeFirst();
    return row && connectionOf(row);
  }

  /** Connections that use one catalog connector, by name. */
  async findByConnector(environmentId: string, connector: string): Promise<Connection[]> {
    const rows = await connectionsOf(this.#db, { environmentId, connector });
    return rows.map(connectionOf);
  }

  /** Ids of the connections that have accounts. */
  async idsInUse(environmentId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('connections')
      .select('id')
      .where('environment_id', '=', environmentId)
      .where((e) =>
        e.exists(
          e
            .selectFrom('accounts')
            .select('accounts.id')
            .whereRef('accounts.connection_id', '=', 'connections.id')
            .where('accounts.environment_id', '=', environmentId),
        ),
      )
      .execute();
    return rows.map((row) => row.id);
  }

  /** A taken name or id (even in another environment) fails with an error that `isUniqueViolation` recognizes. */
  async insert(row: StoredForm<ConnectionTable>): Promise<Connection> {
    await this.#db.insertInto('connections').values(row).execute();
    return connectionOf(asRead('connections', row));
  }

  /** Returns false if there is no such connection. */
  async update(environmentId: string, id: string, change: Updateable<ConnectionTable>): Promise<boolean> {
    const result = await this.#db
      .updateTable('connections')
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Returns false if there is no such connection. The caller has checked that it has no accounts. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('connections')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

const connectionsOf = preparedQuery((db, of: { environmentId: string; connector: string }) =>
  db
    .selectFrom('connections')
    .selectAll()
    .where('environment_id', '=', of.environmentId)
    .where('connector', '=', of.connector)
    .orderBy('name'),
);

/**
 * Connections. Knows SQL and nothing else.
 *
 * Works on a database or a transaction: `new ConnectionStore(tx)` works inside it.
 */
import type { Kysely } from 'kysely';
import { rows } from '../engine/rows.ts';
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
    const found = await rows(this.#db, 'connections').list(environmentId, { orderBy: ['name'] });
    return found.map(connectionOf);
  }

  async findById(environmentId: string, id: string): Promise<Connection | undefined> {
    const row = await rows(this.#db, 'connections').find(environmentId, id);
    return row && connectionOf(row);
  }

  async findByName(environmentId: string, name: string): Promise<Connection | undefined> {
    const row = await rows(this.#db, 'connections').findBy(environmentId, { name });
    return row && connectionOf(row);
  }

  /** Connections that use one catalog connector, by name. */
  async findByConnector(environmentId: string, connector: string): Promise<Connection[]> {
    const found = await connectionsOf(this.#db, { environmentId, connector });
    return found.map(connectionOf);
  }

  /** Ids of the connections that have accounts. */
  async idsInUse(environmentId: string): Promise<string[]> {
    const used = await this.#db
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
    return used.map((row) => row.id);
  }

  /** A taken name or id (even in another environment) fails with an error that `isUniqueViolation` recognizes. */
  async insert(row: StoredForm<ConnectionTable>): Promise<Connection> {
    await rows(this.#db, 'connections').insert(row);
    return connectionOf(asRead('connections', row));
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

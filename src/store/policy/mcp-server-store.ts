/** Rows of virtual MCP servers. Knows SQL and nothing else: no rules, no clock. */
import type { Kysely, Selectable, Updateable } from 'kysely';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { McpServerTable } from '../tables/policy-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { StoredForm } from '../tables/column-types.ts';

export type McpServerRow = Selectable<McpServerTable>;

export class McpServerStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** By name. @param organizationId undefined: those of the environment and of every organization */
  async list(environmentId: string, organizationId?: string): Promise<McpServerRow[]> {
    let query = this.#db.selectFrom('mcp_servers').selectAll().where('environment_id', '=', environmentId);
    if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
    return query.orderBy('name').execute();
  }

  async find(environmentId: string, id: string): Promise<McpServerRow | undefined> {
    return this.#db
      .selectFrom('mcp_servers')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async findByName(environmentId: string, name: string): Promise<McpServerRow | undefined> {
    const [row] = await serverNamed(this.#db, { environmentId, name });
    return row;
  }

  /** A taken name fails with what `isUniqueViolation` knows. */
  async insert(row: StoredForm<McpServerTable>): Promise<void> {
    await this.#db.insertInto('mcp_servers').values(row).execute();
  }

  /** Returns false when there is no such server. */
  async update(environmentId: string, id: string, change: Updateable<McpServerTable>): Promise<boolean> {
    const result = await this.#db
      .updateTable('mcp_servers')
      .set(change)
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Returns false when there is no such server. */
  async delete(environmentId: string, id: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('mcp_servers')
      .where('environment_id', '=', environmentId)
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }

  /**
   * Ends every session whose tokens are for one virtual server, whatever the base URL was when they were made.
   *
   * @param name of the server; letters, digits and hyphens, so nothing in it is a wildcard
   */
  async endSessions(environmentId: string, name: string, now: number): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('environment_id', '=', environmentId)
      .where('resource', 'like', `%/mcp/${name}`)
      .where('ended_at', 'is', null)
      .execute();
  }
}

const serverNamed = preparedQuery((db, of: { environmentId: string; name: string }) =>
  db
    .selectFrom('mcp_servers')
    .selectAll()
    .where('environment_id', '=', of.environmentId)
    .where('name', '=', of.name),
);

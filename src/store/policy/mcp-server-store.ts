/** Virtual MCP servers, beyond what engine/rows.ts does. */
import type { Readable } from '../engine/database.ts';
import { preparedQuery } from '../engine/prepared-query.ts';
import type { VirtualServer } from '../tables/policy-tables.ts';

/** The virtual server with a name. Read for every request to one. */
export async function virtualServerNamed(
  db: Readable,
  environmentId: string,
  name: string,
): Promise<VirtualServer | undefined> {
  const [server] = await named(db, { environmentId, name });
  return server;
}

const named = preparedQuery((db, of: { environmentId: string; name: string }) =>
  db
    .selectFrom('mcp_servers')
    .selectAll()
    .where('environment_id', '=', of.environmentId)
    .where('name', '=', of.name),
);

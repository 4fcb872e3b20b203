/** Virtual MCP servers over REST, and their tokens for single users (docs/mcp-servers.md). */
import { z } from '@hono/zod-openapi';
import { MAX_LENGTH } from '../../core/text-rules.ts';
import type { McpServers } from '../../virtual-servers/mcp-servers.ts';
import type { ServerInput } from '../../virtual-servers/server-rules.ts';
import type { ServerTokens } from '../../virtual-servers/server-tokens.ts';
import type { PageTokens } from '../../core/page-token.ts';
import { boundOrganizationOf } from '../../core/caller.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { ResourceRoutes } from '../api/resource-routes.ts';
import { createdAt, resourceId, shown, text, updatedAt } from '../api/schemas.ts';

const path = '/api/v1/mcp_servers';
const tag = 'MCP servers';

const MAX_NAMES = 500;

const names = (description: string) => z.array(text(400, 'A name.')).max(MAX_NAMES).openapi({ description });

const selectionShape = {
  connections: names('Names of connections: calls go through these and no others.'),
  toolsets: names(
    'Published toolsets: `<connector>.<toolset>`, `<connector>` for all of its toolsets, or one of `default` (at most 25 everyday tools of each app), `core` (the most needed of them) and `all`.',
  ),
  tools: names(
    'Published tools. Without toolsets and tools: all tools of the connections but the unlisted, which have to be named.',
  ),
  read_only: z.boolean().openapi({ description: 'true: only tools that change nothing.' }),
};

const createBody = z.strictObject({
  name: text(63, 'The end of the address: lower-case letters, digits and hyphens. It never changes.'),
  connections: selectionShape.connections,
  toolsets: selectionShape.toolsets.optional(),
  tools: selectionShape.tools.optional(),
  read_only: selectionShape.read_only.optional(),
});

const patchBody = z.strictObject({
  connections: selectionShape.connections.optional(),
  toolsets: selectionShape.toolsets.optional(),
  tools: selectionShape.tools.optional(),
  read_only: selectionShape.read_only.optional(),
});

const tokenBody = z.strictObject({
  user_id: text(MAX_LENGTH.user_id, 'Whose accounts the token uses, as the application calls its user.'),
});

const server = z
  .object({
    id: resourceId('mcp_'),
    name: shown('The end of its address.'),
    organization_id: z.string().openapi({ description: 'Empty: for the whole environment.' }),
    ...selectionShape,
    mcp_url: z
      .string()
      .openapi({ format: 'uri', description: 'For MCP clients, and the resource of tokens.' }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .openapi('McpServer', { description: 'A selection of connections and tools with an address of its own.' });

const serverParams = z.object({ id: text(100, 'Id or name of the server.') });

const tokenAnswer = z.object({
  access_token: z.string().openapi({ description: 'For this server and this user only. Shown once.' }),
  mcp_url: z.string().openapi({ format: 'uri', description: 'The address for the MCP client.' }),
  expires_in: z.number().int().openapi({ description: 'Seconds.' }),
});

/** Services that the routes of virtual MCP servers use. */
export interface McpServerServices {
  pageTokens: PageTokens;
  mcpServers: Pick<McpServers, 'list' | 'get' | 'create' | 'update' | 'remove'>;
  serverTokens: Pick<ServerTokens, 'issue'>;
}

/** Adds the routes of virtual servers. A caller bound to an organization only sees that organization's servers. */
export function addMcpServerRoutes(
  endpoints: Endpoints,
  { mcpServers, serverTokens, pageTokens }: McpServerServices,
): void {
  const routes = new ResourceRoutes(endpoints, {
    name: 'mcp_server',
    item: server,
    path,
    tag,
    access: 'admin',
    params: serverParams,
  });
  routes.wholeList(
    'List MCP servers.',
    pageTokens,
    async (caller) => mcpServers.list(caller),
    (caller) => [boundOrganizationOf(caller)],
  );
  routes.create(
    'Create an MCP server.',
    { body: createBody, refusals: [409] },
    async ({ caller, body: { name, connections, toolsets = [], tools = [], read_only: readOnly = false } }) =>
      mcpServers.create(caller, { name, connections, toolsets, tools, readOnly }),
  );
  routes.get('Get an MCP server.', async (caller, id) => mcpServers.get(caller, id));
  routes.update('Change what is given of an MCP server.', { body: patchBody }, async (caller, id, body) =>
    mcpServers.update(caller, id, changesOf(body)),
  );
  routes.remove('Delete an MCP server. Tokens for it end.', async (caller, id) =>
    mcpServers.remove(caller, id),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}/tokens`,
      tag,
      summary: 'Get a short-lived token for one user of an MCP server.',
      access: { machine: 'admin' },
      params: serverParams,
      body: tokenBody,
      answer: tokenAnswer,
      refusals: [404],
    },
    ({ caller, params, body, context }) => serverTokens.issue(caller, params.id, body, context.visitor),
  );
}

function changesOf({ read_only: readOnly, ...lists }: z.output<typeof patchBody>): Partial<ServerInput> {
  const { connections, toolsets, tools } = lists;
  return {
    ...(connections !== undefined && { connections }),
    ...(toolsets !== undefined && { toolsets }),
    ...(tools !== undefined && { tools }),
    ...(readOnly !== undefined && { readOnly }),
  };
}

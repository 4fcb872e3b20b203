/** Access to `/mcp` and the addresses of virtual servers, and their public metadata. */
import { requireScope } from '../../core/caller.ts';
import { bearerToken } from '../../http/api/bearer-header.ts';
import { requestPath } from '../../http/listener/request-checks.ts';
import type { NodeRoute } from '../../http/listener/request-context.ts';
import { protectedResourceMetadata } from '../../authorization-server/protocol/server-metadata.ts';
import { toCaller } from '../../authorization-server/tokens/token-verifier.ts';
import { isServerName } from '../../virtual-servers/server-rules.ts';
import type { ServedParts } from './served-parts.ts';
import type { VirtualServers } from './virtual-servers.ts';

/** The scope that every MCP call needs. */
const SCOPE = 'tools:execute';

const METADATA_PREFIX = '/.well-known/oauth-protected-resource';

/**
 * MCP for everyone with a token for the called address or for the environment. A token for another resource, such as
 * `/mcp` for a virtual server, is refused (RFC 8707 section 2).
 */
export function mcpRoute({
  identity,
  mcp,
  mcpServers,
}: Pick<ServedParts, 'identity' | 'mcp'> & Pick<VirtualServers, 'mcpServers'>): NodeRoute {
  return {
    name: '/mcp',
    matches: isMcpPath,
    resourceMetadata: ({ baseUrl }, path) => `${baseUrl}${METADATA_PREFIX}${path}`,
    scope: SCOPE,
    handle: async (request, response, context) => {
      const { environment, ip, trace } = context;
      const path = requestPath(request);
      const token = await identity.verifier.verify(
        environment.id,
        bearerToken(request.headers.authorization),
        { audiences: [environment.baseUrl, `${environment.baseUrl}${path}`] },
      );
      const caller = toCaller(token, 'mcp', ip);
      context.actor = caller.actor;
      requireScope(caller, SCOPE);
      const name = serverNameOf(path);
      const server = name === undefined ? undefined : await mcpServers.serving(caller, name);
      await mcp.handle(request, response, {
        caller: { ...caller, ...(server !== undefined && { virtualServerId: server.id }) },
        traceparent: trace.traceparent,
        onCall: () => {
          context.isCall = true;
        },
        ...(server !== undefined && { server }),
      });
    },
  };
}

/**
 * RFC 9728 metadata of each resource, at the address that its section 3.1 defines. Does not reveal whether a virtual
 * server exists, because callers without access need not know.
 */
export function resourceMetadataRoute(): NodeRoute {
  const resourceOf = (path: string): string => path.slice(METADATA_PREFIX.length);
  return {
    name: METADATA_PREFIX,
    matches: (path) =>
      path.startsWith(METADATA_PREFIX) && (isMcpPath(resourceOf(path)) || resourceOf(path) === '/api'),
    handle: (request, response, { environment }) => {
      const resource = resourceOf(requestPath(request));
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' });
      response.end(JSON.stringify(protectedResourceMetadata(environment.baseUrl, resource)));
    },
  };
}

function isMcpPath(path: string): boolean {
  return path === '/mcp' || serverNameOf(path) !== undefined;
}

/** `/mcp/<name>` */
function serverNameOf(path: string): string | undefined {
  const name = path.startsWith('/mcp/') ? path.slice('/mcp/'.length) : '';
  return isServerName(name) ? name : undefined;
}

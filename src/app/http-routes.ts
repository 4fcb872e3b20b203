/** Every route of `gatehouse serve`, in the order in which they are asked. */
import { requireScope } from '../core/caller.ts';
import type { Environment } from '../core/environment.ts';
import { bearerToken } from '../http/bearer.ts';
import { MAX_PROXY_BODY_BYTES } from '../http/limits.ts';
import type { Metrics } from '../http/metrics.ts';
import { proxyRoute } from '../http/proxy/proxy-route.ts';
import type { NodeHandler, NodeRoute } from '../http/request-context.ts';
import { AuthorizationServer } from '../identity/authorization-server.ts';
import { protectedResourceMetadata } from '../identity/server-metadata.ts';
import { toCaller } from '../identity/token-verifier.ts';
import type { McpHttp } from '../mcp/http.ts';
import type { Identity } from './identity.ts';
import type { Installation } from './installation.ts';
import { isConnectPath, pagesRoute } from './page-routes.ts';

const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** What is served beside the installation's own services. */
export interface ServedParts {
  installation: Installation;
  identity: Identity;
  mcp: McpHttp;
  metrics: Metrics;
  /** Resolves when database and key are usable. */
  ready: () => Promise<void>;
}

export function httpRoutes(parts: ServedParts): NodeRoute[] {
  const { installation } = parts;
  const isPage = (path: string): boolean => path === '/' || path === '/dashboard' || isConnectPath(path);
  return [
    mcpRoute(parts),
    oauthRoute(parts),
    resourceMetadataRoute(),
    pagesRoute(installation, isPage),
    proxied(parts),
    apiRoute(parts),
  ];
}

function mcpRoute({ identity, mcp }: ServedParts): NodeRoute {
  return {
    name: '/mcp',
    matches: (path) => path === '/mcp',
    resourceMetadata: resourceMetadataUrl,
    handle: async (request, response, context) => {
      const { environment, ip, trace } = context;
      const token = await identity.verifier.verify(
        environment.id,
        bearerToken(request.headers.authorization),
        {
          audiences: [environment.baseUrl, `${environment.baseUrl}/mcp`],
        },
      );
      const caller = toCaller(token, 'mcp', ip);
      requireScope(caller, 'tools:execute');
      await mcp.handle(request, response, { caller, traceparent: trace.traceparent });
    },
  };
}

function oauthRoute({ identity }: ServedParts): NodeRoute {
  return {
    name: 'oauth',
    errorForm: 'oauth',
    matches: (path) => AuthorizationServer.answers(path),
    handle: async (request, response, { environment, ip }) =>
      identity.authorizationServer.handle(environment, request, response, ip),
  };
}

function resourceMetadataRoute(): NodeRoute {
  return {
    name: RESOURCE_METADATA_PATH,
    matches: (path) => path === RESOURCE_METADATA_PATH,
    handle: (_request, response, { environment }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' });
      response.end(JSON.stringify(protectedResourceMetadata(environment.baseUrl)));
    },
  };
}

function proxied({ installation: { executor, settings }, identity }: ServedParts): NodeRoute {
  return proxyRoute({
    executor,
    authenticate: async (token, context) => {
      const { environment, ip } = context;
      const audiences = [environment.baseUrl, `${environment.baseUrl}/api`];
      return toCaller(await identity.verifier.verify(environment.id, token, { audiences }), 'proxy', ip);
    },
    maxBodyBytes: Math.max(settings.inbound.maxBodyBytes, MAX_PROXY_BODY_BYTES),
  });
}

/** The REST API, loaded with its first request: a server whose clients all speak MCP does without it. */
function apiRoute(parts: ServedParts): NodeRoute {
  let handler: Promise<NodeHandler> | undefined;
  const load = async (): Promise<NodeHandler> => (await import('./api-handler.ts')).apiHandler(parts);
  return {
    name: 'api',
    matches: () => true,
    handle: async (request, response, context) => (await (handler ??= load()))(request, response, context),
  };
}

function resourceMetadataUrl({ baseUrl }: Environment): string {
  return `${baseUrl}${RESOURCE_METADATA_PATH}`;
}

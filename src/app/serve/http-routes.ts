/** Every route of `gatehouse serve`, in matching order. */
import { MAX_PROXY_BODIES_BYTES, MAX_PROXY_BODY_BYTES } from '../../http/listener/limits.ts';
import { proxyRoute } from '../../http/proxy/proxy-route.ts';
import { sendAnswer } from '../../http/listener/error-response.ts';
import { requestPath } from '../../http/listener/request-checks.ts';
import type { NodeRoute } from '../../http/listener/request-context.ts';
import { AuthorizationServer } from '../../authorization-server/authorization-server.ts';
import { toCaller } from '../../authorization-server/tokens/token-verifier.ts';
import { loadOnce } from '../../core/load-once.ts';
import { mcpRoute, resourceMetadataRoute } from './mcp-route.ts';
import type { ServedParts } from './served-parts.ts';
import { isConnectPath, isPeoplePath, pagesRoute } from './page-routes.ts';
import { virtualServersOf, type VirtualServers } from './virtual-servers.ts';

/** Paths that belong to the pages, in addition to those of connecting and of people. */
const FRONT_PATHS: ReadonlySet<string> = new Set(['/', '/favicon.ico', '/robots.txt']);

export function httpRoutes(parts: ServedParts): NodeRoute[] {
  const { services, identity } = parts;
  const virtualServers = virtualServersOf(services, identity);
  const isPage = (path: string): boolean =>
    FRONT_PATHS.has(path) || isConnectPath(path) || isPeoplePath(path);
  return [
    forPrograms(mcpRoute({ ...parts, ...virtualServers })),
    oauthRoute(parts),
    resourceMetadataRoute(),
    pagesRoute(services, isPage, identity),
    dashboardRoute(parts),
    forPrograms(proxied(parts)),
    forPrograms(apiRoute(parts, virtualServers)),
  ];
}

/** Paths that are called with a token, and so have nothing to show to somebody who opens them in a browser. */
const TOKEN_PATHS = /^\/(api|mcp|proxy)(\/|$)/;

/** A route that says in a browser that its addresses are for programs. */
function forPrograms(route: NodeRoute): NodeRoute {
  return {
    ...route,
    handle: async (request, response, context) => {
      const { authorization, accept, 'accept-language': language } = request.headers;
      if (authorization !== undefined || request.method !== 'GET' || !TOKEN_PATHS.test(requestPath(request)))
        return route.handle(request, response, context);
      const { isPageVisit } = await import('../../http/listener/page-visit.ts');
      if (!isPageVisit(request.method, accept)) return route.handle(request, response, context);
      const { programPage } = await import('../../pages/frame/lost-page.ts');
      const { environment } = context;
      const metadata = route.resourceMetadata?.(environment, requestPath(request));
      sendAnswer(response, await programPage(language, environment, metadata));
    },
  };
}

function oauthRoute({ identity }: ServedParts): NodeRoute {
  return {
    name: 'oauth',
    errorForm: 'oauth',
    matches: (path) => AuthorizationServer.answers(path),
    handle: async (request, response, { environment, visitor }) =>
      identity.authorizationServer.handle(environment, request, response, visitor),
  };
}

/** The dashboard, loaded with its first request: most processes never show it. */
function dashboardRoute({ services, identity }: ServedParts): NodeRoute {
  const handler = loadOnce(async () =>
    (await import('./pages/dashboard-handler.ts')).dashboardHandler(services, identity),
  );
  return {
    name: 'dashboard',
    matches: (path) => path === '/dashboard' || path.startsWith('/dashboard/'),
    handle: async (request, response, context) => (await handler())(request, response, context),
  };
}

function proxied({ services: { executor, settings }, identity }: ServedParts): NodeRoute {
  return proxyRoute({
    executor,
    authenticate: async (token, context) => {
      const { environment, ip } = context;
      const audiences = [environment.baseUrl, `${environment.baseUrl}/api`];
      return toCaller(await identity.verifier.verify(environment.id, token, { audiences }), 'proxy', ip);
    },
    maxBodyBytes: Math.max(settings.inbound.maxBodyBytes, MAX_PROXY_BODY_BYTES),
    maxHeldBytes: Math.max(settings.inbound.maxBodyBytes, MAX_PROXY_BODIES_BYTES),
  });
}

/** The REST API, loaded with its first request: a server with only MCP clients never loads it. */
function apiRoute(parts: ServedParts, virtualServers: VirtualServers): NodeRoute {
  const handler = loadOnce(async () => (await import('./api-handler.ts')).apiHandler(parts, virtualServers));
  return {
    name: 'api',
    matches: () => true,
    handle: async (request, response, context) => (await handler())(request, response, context),
  };
}

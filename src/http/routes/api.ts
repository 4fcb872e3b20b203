/**
 * The REST API as one Hono app (docs/contract.md#13-routes-of-the-rest-api). Composition only: each route is in
 * routes/, each rule in the service behind it.
 *
 * The listener has already checked Host and Origin. It also makes the context that routes read.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { Environment } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { toCaller, type TokenVerifier } from '../../authorization-server/tokens/token-verifier.ts';
import { Endpoints } from '../api/endpoint.ts';
import type { ApiEnv } from '../api/endpoint-types.ts';
import { errorAnswer, methodNotAllowedAnswer, toResponse } from '../listener/error-response.ts';
import { documentAuthentication } from '../api/openapi.ts';
import { documentProxy } from '../proxy/proxy-description.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { addAuditRoutes, type AuditServices } from './audit.ts';
import { addAccountRoutes, type AccountServices } from './connected-accounts.ts';
import { addConnectorRoutes, type ConnectorServices } from './connectors.ts';
import { addConnectionRoutes, type ConnectionServices } from './connections.ts';
import { addCredentialRoutes, type CredentialServices } from './credentials.ts';
import { addExecuteRoute, type ExecuteServices } from './execute-tool.ts';
import { addExecutionRoutes } from './executions.ts';
import { addInstallationRoutes, type InstallationServices } from './installation.ts';
import { addInterceptorRoutes, type InterceptorServices } from './interceptors.ts';
import { addInvitationRoutes, type InvitationServices } from './people/invitations.ts';
import { addLinkRoutes, type LinkServices } from './links.ts';
import { addMcpServerRoutes, type McpServerServices } from './mcp-servers.ts';
import { addOperationRoutes, type OperationServices } from './operation.ts';
import {
  addOrganizationProviderRoutes,
  type OrganizationProviderServices,
} from './people/organization-provider.ts';
import { addOrganizationRoutes, type OrganizationServices } from './people/organizations.ts';
import { addSessionRoutes, type SessionServices } from './people/sessions.ts';
import { addSigningSecretRoutes, type SigningSecretServices } from './signing-secret.ts';
import { addToolRoutes, type ToolServices } from './tools.ts';
import { addUpstreamRoutes, type UpstreamServices } from './upstreams.ts';
import { addUserRoutes, type UserServices } from './people/users.ts';
import { addWebhookRoutes, type WebhookServices } from './webhooks.ts';
import { INBOUND_LIMITS } from '../listener/limits.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import { routingPath } from '../api/verb-path.ts';
import { isPageVisit } from '../listener/page-visit.ts';

/** The services that the routes call. */
export interface ApiDeps
  extends
    AccountServices,
    LinkServices,
    ExecuteServices,
    Pick<ToolServices, 'catalog'>,
    ConnectorServices,
    ConnectionServices,
    CredentialServices,
    WebhookServices,
    InterceptorServices,
    SigningSecretServices,
    McpServerServices,
    OrganizationServices,
    OrganizationProviderServices,
    InvitationServices,
    UserServices,
    UpstreamServices,
    SessionServices,
    AuditServices,
    InstallationServices,
    OperationServices {
  executions: ExecutionList;
  tokens: Pick<TokenVerifier, 'verify'>;
  log: Log;
  /** Default: 1 MB. */
  maxBodyBytes?: number;
  /** The 404 page for users in a browser. Default: the same answer as for programs. */
  lostPage?: (acceptLanguage: string | undefined, environment: Environment) => Promise<Response>;
}

/** Verbs of all routes; see verb-path.ts. */
const VERBS: ReadonlySet<string> = new Set([
  'delete',
  'search',
  'disconnect',
  'refresh',
  'rotate',
  'redeliver',
  'enable',
  'disable',
  'test',
  'export',
  'summary',
  'unbind',
  'probe',
  'approve',
  'accept',
  'reregister',
]);

/** The app; give its `fetch` to `honoHandler`. */
export function createApi(deps: ApiDeps): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({
    getPath: (request) => {
      const path = getPath(request);
      const routed = routingPath(path, VERBS);
      if (routed === path || routed === '/~') return routed;
      // A name may end like a verb that does not exist for its kind.
      return endpoints.methodsOf(routed).length > 0 ? routed : path;
    },
  });
  const endpoints = new Endpoints(app, {
    authenticate: async (token, context) =>
      toCaller(await verified(deps.tokens, token, context), 'api', context.ip),
    maxBodyBytes: deps.maxBodyBytes ?? INBOUND_LIMITS.maxBodyBytes,
  });

  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
  });
  documentAuthentication(app.openAPIRegistry);
  documentProxy(app.openAPIRegistry);
  addAccountRoutes(endpoints, deps);
  addLinkRoutes(endpoints, deps);
  addConnectorRoutes(endpoints, deps);
  addExecuteRoute(endpoints, deps);
  addToolRoutes(endpoints, deps);
  addExecutionRoutes(endpoints, deps);
  addConnectionRoutes(endpoints, deps);
  addUpstreamRoutes(endpoints, deps);
  addCredentialRoutes(endpoints, deps);
  addWebhookRoutes(endpoints, deps);
  addInterceptorRoutes(endpoints, deps);
  addSigningSecretRoutes(endpoints, deps);
  addMcpServerRoutes(endpoints, deps);
  addOrganizationRoutes(endpoints, deps);
  addOrganizationProviderRoutes(endpoints, deps);
  addInvitationRoutes(endpoints, deps);
  addUserRoutes(endpoints, deps);
  addSessionRoutes(endpoints, deps);
  addAuditRoutes(endpoints, deps);
  addInstallationRoutes(endpoints, deps);
  addOperationRoutes(endpoints, app, deps);

  app.onError((error, c) => {
    const { trace, route } = c.env.context;
    const request = {
      authorization: c.req.header('authorization'),
      traceId: trace.traceId,
      route,
      isPeerGone: c.req.raw.signal.aborted,
    };
    return toResponse(errorAnswer(error, request, deps.log));
  });
  app.notFound((c) => {
    const allowed = endpoints.methodsOf(c.req.path);
    if (allowed.length > 0) return toResponse(methodNotAllowedAnswer(allowed));
    const isProgram = c.req.header('authorization') !== undefined;
    if (deps.lostPage !== undefined && !isProgram && isPageVisit(c.req.method, c.req.header('accept')))
      return deps.lostPage(c.req.header('accept-language'), c.env.context.environment);
    const error = new ServiceError(
      'RESOURCE_NOT_FOUND',
      'There is no such route. GET /openapi.json lists the routes.',
    );
    return toResponse(errorAnswer(error, {}, deps.log));
  });
  return app;
}

/** Verifies a token for the whole environment or for its REST API (docs/contract.md#audience). */
function verified(
  tokens: ApiDeps['tokens'],
  token: string,
  { environment }: RequestContext,
): ReturnType<TokenVerifier['verify']> {
  return tokens.verify(environment.id, token, {
    audiences: [environment.baseUrl, `${environment.baseUrl}/api`],
  });
}

/** The REST API over real services and a database. Only the person behind a token is set by the test. */
import { sql } from 'kysely';
import { AuditLog } from '../../src/api-credentials/audit-log.ts';
import type { VerifiedToken } from '../../src/authorization-server/tokens/token-verifier.ts';
import { SCOPES } from '../../src/core/caller.ts';
import type { Environment } from '../../src/core/environment.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { ExecutionList } from '../../src/executor/execution-list.ts';
import type { HttpBindings } from '../../src/http/listener/hono-handler.ts';
import type { RequestContext } from '../../src/http/listener/request-context.ts';
import { createApi, type ApiDeps } from '../../src/http/routes/api.ts';
import { buildInterceptors } from '../../src/interceptors/build-interceptors.ts';
import { buildPeople } from '../../src/people/sign-in/build-people.ts';
import { buildUpstreams, storedConnector } from '../../src/upstream/build-upstreams.ts';
import { UpstreamCatalog } from '../../src/upstream/published/upstream-catalog.ts';
import { buildSignedSender } from '../../src/signed-sender/build-signed-sender.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { ExecutionStore } from '../../src/store/records/execution-store.ts';
import { buildVirtualServers } from '../../src/virtual-servers/build-virtual-servers.ts';
import { buildWebhooks } from '../../src/webhooks/build-webhooks.ts';
import { testAuthorizationServer } from '../support/authorization-server.ts';
import { ENVIRONMENT_ID, OTHER_ENVIRONMENT_ID, testServices, type Services } from '../support/services.ts';
import { inEveryEnvironment } from '../support/test-catalog.ts';
import type { Catalog } from '../../src/catalog/model/types.ts';

export const development: Environment = {
  id: ENVIRONMENT_ID,
  name: 'development',
  baseUrl: 'http://127.0.0.1:3000',
  userVerification: 'none',
  userVerifyUrl: undefined,
  userVerifyUrls: [],
  signUp: 'open',
  isLocalOnly: true,
};

export const production: Environment = {
  ...development,
  id: OTHER_ENVIRONMENT_ID,
  name: 'production',
  baseUrl: 'https://gate.example.test',
};

/** The API, and what it is made of. */
export interface RestApi {
  services: Services;
  deps: ApiDeps;
  /** Of the requests sent so far. */
  contexts: RequestContext[];
  /** Sends a request with a token of all scopes, unless `init.headers` says otherwise; '' sends none. */
  request(path: string, init?: RequestInit, context?: Partial<RequestContext>): Promise<Response>;
}

/**
 * Tokens are `all`, `none`, `unknown`, a scope as `accounts.read`, or `bound`: all scopes, for the organization acme.
 *
 * @param options.services over which the others are built
 */
export async function restApi(
  options: Omit<Partial<ApiDeps>, 'catalog'> & { services?: Services; catalog?: Catalog } = {},
): Promise<RestApi> {
  const { services = await testServices(), ...change } = options;
  const { db, vault, clock, environments, pageTokens, isReachable, executor, accounts } = services;
  const identity = testAuthorizationServer(services, { pageTokens });
  const outbound = { send: async () => Promise.reject(new Error('this test sends no events')) };
  const base = { db, vault, clock, log: silentLog, environments, pageTokens, isReachable };
  const { signingSecrets, sender } = buildSignedSender({ ...base, outbound });
  const { webhooks, deliveryLog } = buildWebhooks({ ...base, sender, giveUpAfterMs: 3 * 24 * 3_600_000 });
  const interception = buildInterceptors({ ...base, sender });
  const own = { db, base: services.catalog, log: silentLog, connectorOf: storedConnector };
  const upstreams = buildUpstreams({
    ...services,
    catalog: new UpstreamCatalog(own),
    outbound: { open: async () => Promise.reject(new Error('this test calls no MCP server')) },
    urlOf: () => new URL('https://mcp.example.test'),
    approvalOf: () => 'manual',
    listed: async () => [],
  });
  const deps: ApiDeps = {
    ...services,
    upstreams,
    ...interception,
    ...buildPeople({ ...base, isPublic: isReachable, policy: interception.policy, mailer: undefined }),
    ...buildVirtualServers({ ...services, ...identity }),
    credentials: identity.credentials,
    apiSessions: identity.apiSessions,
    auditLog: new AuditLog({ db, pageTokens }),
    webhooks,
    deliveryLog,
    signingSecrets,
    executions: new ExecutionList({
      executions: new ExecutionStore(db.read),
      recorded: async () => executor.recorded(),
      accounts,
      pageTokens,
      clock,
    }),
    installation: { settings: () => [], doctor: async () => [] },
    installationId: 'inst_1',
    version: '9.8.7',
    ready: async () => ({}),
    tokens: { verify: verified },
    log: silentLog,
    ...change,
    catalog: inEveryEnvironment(options.catalog ?? services.catalog),
  };
  const contexts: RequestContext[] = [];
  const app = createApi(deps);
  return {
    services,
    deps,
    contexts,
    request: async (path, init = {}, context = {}) => {
      const bindings = { context: requestContext(context) } as HttpBindings;
      contexts.push(bindings.context);
      const headers = new Headers({
        authorization: 'Bearer all',
        ...(init.headers as Record<string, string>),
      });
      if (headers.get('authorization') === '') headers.delete('authorization');
      bindings.incoming = { rawHeaders: [...headers].flat() } as HttpBindings['incoming'];
      return app.request(`http://127.0.0.1:3000${path}`, { ...init, headers }, bindings);
    },
  };
}

/** What the listener would have made of a request. */
export function requestContext(change: Partial<RequestContext> = {}): RequestContext {
  return {
    environment: development,
    trace: {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    },
    visitor: { ip: '192.0.2.7', userAgent: 'test/1.0', region: '', city: '' },
    ip: '192.0.2.7',
    isLocalPeer: false,
    route: 'rest',
    ...change,
  };
}

/** POST, PUT or PATCH of a JSON body. */
export function json(method: string, body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Rows that were written to a database in memory since it was opened. */
export async function rowsWritten(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`select total_changes() as n`.execute(db.read);
  return Number(rows[0]?.n);
}

async function verified(
  environmentId: string,
  token: string,
  { audiences }: { audiences: readonly string[] },
): Promise<VerifiedToken> {
  if (token === 'unknown')
    throw new ServiceError('UNAUTHENTICATED', 'This is not an access token of this server.');
  return {
    environmentId,
    credentialId: 'cred_1',
    clientId: 'gh_1',
    scopes: new Set<string>(token === 'all' || token === 'bound' ? SCOPES : [token.replace('.', ':')]),
    organizationId: token === 'bound' ? 'acme' : '',
    audience: audiences,
    expiresAt: 0,
    tokenId: 't',
  };
}

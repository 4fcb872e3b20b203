/** Stand-ins for the services behind the routes: they note what reaches them and answer something plausible. */
import type { AccountView } from '../../src/accounts/account-views.ts';
import type { Catalog, Tool } from '../../src/catalog/model/types.ts';
import { SCOPES } from '../../src/core/caller.ts';
import type { Environment } from '../../src/core/environment.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import { createApi, type ApiDeps } from '../../src/http/routes/api.ts';
import { ExecutionList, type StoredExecution } from '../../src/executor/execution-list.ts';
import type { HttpBindings } from '../../src/http/listener/hono-handler.ts';
import type { RequestContext } from '../../src/http/listener/request-context.ts';

export const development: Environment = {
  id: 'env_dev',
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
  id: 'env_prod',
  name: 'production',
  baseUrl: 'https://gate.example.test',
};

export const account: AccountView = {
  id: 'ca_1',
  connection_id: 'conn_1',
  connector: 'websearch',
  provider: 'websearch',
  identifier: 'ada@example.test',
  authorization_type: 'API_KEY',
  status: 'ACTIVE',
  token_expires_at: null,
  last_used_at: null,
  updated_at: '2026-11-20T12:00:00.000Z',
  organization_id: '',
  user_id: 'ada',
  api_config: {},
  authorization_details: {},
};

const connection = {
  id: 'conn_1',
  name: 'websearch',
  connector: 'websearch',
  authorization_type: 'API_KEY',
  client_id: null,
  scopes: [],
  params: {},
  overrides: {},
  post_user_verify_redirect_url: null,
  redirect_uri: 'http://127.0.0.1:3000/sso/v1/oauth/conn_1/callback',
  warnings: [],
  managed_by_file: false,
};

const credential = {
  id: 'cred_1',
  name: 'backend',
  scopes: ['accounts:read' as const],
  organization_id: '',
  client_id: 'gh_1',
  created_at: '2026-11-20T12:00:00.000Z',
};

const webhook = {
  id: 'whk_1',
  name: 'ops',
  url: 'https://hooks.example.test/accounts',
  events: ['connected_account.created'],
  enabled: true,
  managed_by_file: false,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

const delivery = {
  id: 'whd_1',
  webhook_id: 'whk_1',
  event_id: 'evt_1',
  type: 'connected_account.created',
  status: 'failed' as const,
  attempts: 7,
  next_attempt_at: null,
  last_status: 500,
  last_failure: 'The endpoint answered 500.',
  body: { id: 'evt_1' },
  at: '2026-11-20T12:00:00.000Z',
  finished_at: '2026-11-20T13:22:35.000Z',
};

const interceptor = {
  id: 'icp_1',
  name: 'Stop strangers',
  trigger_point: 'PRE_SIGNUP' as const,
  endpoint: 'https://hooks.example.test/signup',
  timeout_ms: 5000,
  fallback: 'block' as const,
  enabled: true,
  managed_by_file: false,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

const mcpServer = {
  id: 'mcp_1',
  name: 'support',
  organization_id: '',
  connections: ['websearch'],
  toolsets: [],
  tools: ['websearch_search'],
  read_only: true,
  mcp_url: 'http://127.0.0.1:3000/mcp/support',
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

const dates = { created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' };
const names = { email: 'ada@example.test', given_name: 'Ada', family_name: 'Lovelace' };
const organization = { id: 'org_1', name: 'Analytical Engines', ...dates };
const organizationProvider = {
  id: 'idp_1',
  organization_id: 'org_1',
  issuer: 'https://login.acme.example',
  client_id: 'gatehouse',
  has_client_secret: true,
  domains: ['acme.example'],
  redirect_uri: 'http://127.0.0.1:3000/sso/v1/oidc/org_1/callback',
  ...dates,
};
const person = { id: 'usr_1', email_verified: false, ...names, ...dates };
const user = {
  ...person,
  is_operator: false,
  memberships: [{ organization_id: 'org_1', role: 'owner' as const }],
};
const member = { id: 'mem_1', user_id: 'usr_1', role: 'owner' as const, ...names, ...dates };
const invitation = {
  id: 'inv_1',
  organization_id: 'org_1',
  email: 'ada@example.test',
  role: 'member' as const,
  status: 'pending' as const,
  invited_by: 'cred_1',
  created_at: '2026-11-20T12:00:00.000Z',
  expiry: '2026-11-27T12:00:00.000Z',
};
const session = {
  id: 'ses_1',
  kind: 'api' as const,
  user_id: 'usr_1',
  organization_id: '',
  client_id: 'gh_1',
  resource: 'http://127.0.0.1:3000/mcp',
  custom_claims: {},
  status: 'active' as const,
  created_at: '2026-11-20T12:00:00.000Z',
  expires_at: '2026-12-20T12:00:00.000Z',
  ended_at: null,
};
const onePage = { next_page_token: '', prev_page_token: '', total_size: 1 };

const auditLine = {
  id: 'aud_1',
  at: '2026-11-20T12:00:00.000Z',
  actor: 'cred_1',
  action: 'connection.create',
  target: 'conn_1',
  ip: '192.0.2.7',
};

async function* auditLines(): AsyncGenerator<string, void> {
  yield `${JSON.stringify(auditLine)}\n`;
  yield `${JSON.stringify({ ...auditLine, id: 'aud_0' })}\n`;
}

const signingSecret = { secret: 'whsec_of-the-fake', previous_until: null };

export const searchTool: Tool = {
  name: 'websearch_search',
  title: 'Search the web',
  description: 'Searches the web.',
  effect: 'read',
  connector: 'websearch',
  toolset: 'search',
  scopes: [['search', 'all']],
  source: { url: 'https://provider.test/docs', checked: '2026-11-20' },
  parameters: {},
  constraints: [],
  requests: [],
  response: {},
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
};

const catalog: Catalog = {
  connectors: new Map(),
  tools: new Map([
    ['websearch_search', searchTool],
    [
      'crm_delete_record',
      {
        ...searchTool,
        name: 'crm_delete_record',
        title: 'Delete',
        description: 'Deletes.',
        connector: 'crm',
        toolset: 'records',
        effect: 'delete',
        scopes: [],
      },
    ],
  ]),
};

/** One call that reached a service: `accounts.create`, and its arguments without the caller. */
export interface Reached {
  what: string;
  with: unknown[];
}

export interface FakeApi {
  reached: Reached[];
  deps: ApiDeps;
  /** Of the requests sent so far. */
  contexts: RequestContext[];
  /** Sends a request with a token of all scopes, unless `init.headers` says otherwise; '' sends none. */
  request(path: string, init?: RequestInit, context?: Partial<RequestContext>): Promise<Response>;
}

/** Tokens of the fakes: `all`, `none`, a scope as `accounts.read`, or `bound` (all scopes, one organization). */
export function fakeApi(change: Partial<ApiDeps> = {}, stored: StoredExecution[] = []): FakeApi {
  const reached: Reached[] = [];
  const contexts: RequestContext[] = [];
  const note =
    <T>(what: string, answer: T) =>
    (...args: unknown[]): Promise<T> => {
      reached.push({ what, with: args.filter((argument) => !isCaller(argument)) });
      return Promise.resolve(answer);
    };
  const page = { connected_accounts: [], next_page_token: '', prev_page_token: '', total_size: 0 };
  const accounts = {
    list: note('accounts.list', page),
    create: note('accounts.create', account),
    update: note('accounts.update', account),
    describe: note('accounts.describe', account),
    events: note('accounts.events', []),
  };
  const deps: ApiDeps = {
    accounts,
    accountRefresh: { refresh: note('accountRefresh.refresh', account) },
    organizations: {
      list: note('organizations.list', { organizations: [organization], ...onePage }),
      get: note('organizations.get', organization),
      create: note('organizations.create', { organization, user: person }),
      update: note('organizations.update', organization),
      remove: note('organizations.remove', undefined),
    },
    organizationProviders: {
      get: note('organizationProviders.get', organizationProvider),
      put: note('organizationProviders.put', organizationProvider),
      remove: note('organizationProviders.remove', undefined),
    },
    members: {
      list: note('members.list', { members: [member], ...onePage }),
      setRole: note('members.setRole', member),
      remove: note('members.remove', undefined),
    },
    invitations: {
      list: note('invitations.list', { invitations: [invitation], ...onePage }),
      create: note('invitations.create', {
        ...invitation,
        link: 'http://127.0.0.1:3000/invitations/t',
      }),
      revoke: note('invitations.revoke', undefined),
    },
    users: {
      list: note('users.list', { users: [user], ...onePage }),
      get: note('users.get', user),
      create: note('users.create', user),
      update: note('users.update', user),
      remove: note('users.remove', undefined),
    },
    apiSessions: {
      list: note('apiSessions.list', { sessions: [session], ...onePage }),
      get: note('apiSessions.get', session),
      create: note('apiSessions.create', {
        session,
        access_token: 'access',
        refresh_token: 'refresh',
        token_type: 'Bearer' as const,
        expires_in: 3600,
      }),
      end: note('apiSessions.end', undefined),
    },
    auditLog: {
      list: note('auditLog.list', {
        audit: [auditLine],
        next_page_token: '',
        prev_page_token: '',
        total_size: 1,
      }),
      lines: auditLines,
    },
    mcpServers: {
      list: note('mcpServers.list', [mcpServer]),
      get: note('mcpServers.get', mcpServer),
      create: note('mcpServers.create', mcpServer),
      update: note('mcpServers.update', mcpServer),
      remove: note('mcpServers.remove', undefined),
    },
    serverTokens: {
      issue: note('serverTokens.issue', {
        access_token: 'access',
        mcp_url: 'http://127.0.0.1:3000/mcp/support',
        expires_in: 3_600,
      }),
    },
    interceptors: {
      list: note('interceptors.list', {
        interceptors: [interceptor],
        next_page_token: '',
        prev_page_token: '',
        total_size: 1,
      }),
      get: note('interceptors.get', interceptor),
      create: note('interceptors.create', interceptor),
      update: note('interceptors.update', interceptor),
      enable: note('interceptors.enable', interceptor),
      disable: note('interceptors.disable', interceptor),
      remove: note('interceptors.remove', undefined),
    },
    interceptorTest: {
      run: note('interceptorTest.run', {
        request: { headers: { 'interceptor-id': 'evt_1' }, body: {} },
        response: null,
        failure: 'There was no answer in time.',
        would: 'block' as const,
      }),
    },
    interceptorLog: {
      list: note('interceptorLog.list', {
        logs: [],
        next_page_token: '',
        prev_page_token: '',
        total_size: 0,
      }),
    },
    disconnection: {
      disconnect: note('disconnection.disconnect', account),
      remove: note('disconnection.remove', undefined),
    },
    credentialAccess: { describe: note('credentialAccess.describe', account) },
    links: {
      create: note('links.create', {
        link: 'http://127.0.0.1:3000/connect/t',
        expiry: '2026-11-20T13:00:00.000Z',
      }),
    },
    verification: {
      verify: note('verification.verify', { post_user_verify_redirect_url: 'https://app.example.test/done' }),
    },
    executor: {
      execute: (call) => {
        const { toolName, input, account: reference } = call;
        reached.push({ what: 'executor.execute', with: [toolName, input, reference] });
        return Promise.resolve({
          data: { ok: true },
          executionId: 'exe_1',
          account: { id: 'ca_1', identifier: 'ada', connector: 'websearch' },
        });
      },
      dryRun: note('executor.dryRun', {
        request: { method: 'GET', url: 'https://api.example.test/x', headers: {}, body: null },
        note: 'Nothing was sent.',
      }),
      violations: () => [],
    },
    catalog,
    connections: {
      list: note('connections.list', [connection]),
      get: note('connections.get', connection),
      create: note('connections.create', connection),
      update: note('connections.update', connection),
      remove: note('connections.remove', undefined),
    },
    credentials: {
      list: note('credentials.list', [credential]),
      get: note('credentials.get', credential),
      create: note('credentials.create', { credential: { ...credential, client_secret: 'shown-once' } }),
      rotate: note('credentials.rotate', {
        credential: { ...credential, client_secret: 'shown-once' },
        previous_until: '2026-11-21T12:00:00.000Z',
      }),
      remove: note('credentials.remove', undefined),
    },
    webhooks: {
      list: note('webhooks.list', [webhook]),
      get: note('webhooks.get', webhook),
      create: note('webhooks.create', webhook),
      update: note('webhooks.update', webhook),
      remove: note('webhooks.remove', undefined),
    },
    deliveryLog: {
      list: note('deliveryLog.list', {
        deliveries: [delivery],
        next_page_token: '',
        prev_page_token: '',
        total_size: 1,
      }),
      redeliver: note('deliveryLog.redeliver', delivery),
    },
    signingSecrets: {
      show: note('signingSecrets.show', signingSecret),
      rotate: note('signingSecrets.rotate', signingSecret),
    },
    executions: new ExecutionList({
      recorded: () => Promise.resolve(),
      executions: {
        page: (environmentId, filter, position, limit) => {
          reached.push({ what: 'executions.page', with: [environmentId, filter, position, limit] });
          return Promise.resolve(stored.slice(0, limit));
        },
        count: () => Promise.resolve(stored.length),
      },
      accounts,
      pageTokens: new PageTokens(Buffer.alloc(32, 7)),
    }),
    installationId: 'inst_1',
    ready: () => Promise.resolve(),
    tokens: { verify: verifyFake },
    log: silentLog,
    ...change,
  };
  const app = createApi(deps);
  return {
    reached,
    deps,
    contexts,
    request: async (path, init = {}, context = {}) => {
      const bindings = { context: fakeContext(context) } as HttpBindings;
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
export function fakeContext(change: Partial<RequestContext> = {}): RequestContext {
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

function isCaller(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'scopes' in value && value.scopes instanceof Set;
}

const verifyFake: ApiDeps['tokens']['verify'] = (environmentId, token, { audiences }) => {
  const scopes = new Set<string>(token === 'all' || token === 'bound' ? SCOPES : [token.replace('.', ':')]);
  if (token === 'unknown')
    throw new ServiceError('UNAUTHENTICATED', 'This is not an access token of this server.');
  return Promise.resolve({
    environmentId,
    credentialId: 'cred_1',
    clientId: 'gh_1',
    scopes,
    organizationId: token === 'bound' ? 'acme' : '',
    audience: audiences,
    expiresAt: 0,
    tokenId: 't',
  });
};

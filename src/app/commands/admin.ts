/** Opens an installation for the administrative commands: the server's services, acting as the operator. */
import type { Accounts } from '../../accounts/accounts.ts';
import type { Connections } from '../../connections/connections.ts';
import type { Disconnection } from '../../credentials/disconnection.ts';
import type { Links } from '../../links/links.ts';
import type { EnvironmentCatalogs } from '../../catalog/model/environment-catalog.ts';
import { SCOPES, type Caller } from '../../core/caller.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import type { AccountRefresh } from '../../executor/account-refresh.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import type { Executor } from '../../executor/executor.ts';
import type { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import type { Interceptors } from '../../interceptors/interceptors.ts';
import { AuditLog } from '../../api-credentials/audit-log.ts';
import type { McpServers } from '../../virtual-servers/mcp-servers.ts';
import { buildIdentity, type Identity, type People } from '../serve/build-identity.ts';
import { virtualServersOf } from '../serve/virtual-servers.ts';
import { knownBaseUrl } from '../services/installation-environments.ts';
import { openServices, type Services } from '../services/services.ts';
import type { InterceptorServices } from '../../interceptors/build-interceptors.ts';

export interface Admin
  extends
    Pick<InterceptorServices, 'interceptorTest' | 'interceptorLog'>,
    Pick<People, 'users' | 'organizations' | 'members' | 'invitations'>,
    Pick<Services, 'webhooks' | 'deliveryLog' | 'signingSecrets' | 'environments' | 'upstreams'>,
    Pick<Identity, 'apiSessions' | 'operatorTokens'> {
  accounts: Accounts;
  accountRefresh: AccountRefresh;
  disconnection: Disconnection;
  connections: Connections;
  credentials: ApiCredentials;
  auditLog: AuditLog;
  interceptors: Interceptors;
  links: Links;
  mcpServers: McpServers;
  executor: Executor;
  executions: ExecutionList;
  catalog: EnvironmentCatalogs;
  /** Makes a link that signs an operator in; without a user one that makes the first operator. See OperatorLinks. */
  operatorLink(environmentId: string, userId?: string): Promise<string>;
  environmentId(name: string): Promise<string>;
  /** The operator: everything is allowed, nothing is hidden. */
  caller(environmentName: string): Promise<Caller>;
  close(): Promise<void>;
}

export async function openAdmin({ settings, log }: { settings: Settings; log: Log }): Promise<Admin> {
  const services = await openServices({ settings, log });
  const { db, environments, pageTokens } = services;
  const environmentId = async (name: string): Promise<string> => environments.byName(name).id;
  const identity = buildIdentity(services);
  const { users, organizations, members, invitations, operatorLinks } = await identity.people();
  return {
    ...services,
    credentials: identity.credentials,
    users,
    organizations,
    members,
    invitations,
    apiSessions: identity.apiSessions,
    operatorTokens: identity.operatorTokens,
    auditLog: new AuditLog({ db, pageTokens }),
    mcpServers: virtualServersOf(services, identity).mcpServers,
    operatorLink: async (id, userId) => {
      const baseUrl = knownBaseUrl(environments.get(id));
      return baseUrl + (await operatorLinks.create(id, userId));
    },
    environmentId,
    caller: async (name) => operatorIn(await environmentId(name)),
  };
}

/** The actor for anyone who may run commands on this machine. */
export function operatorIn(environmentId: string): Caller {
  return { kind: 'operator', environmentId, actor: 'local', scopes: new Set(SCOPES), source: 'cli', ip: '' };
}

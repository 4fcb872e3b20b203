/** The services behind the pages: those of the REST API. A page takes the part that it uses. */
import type { Accounts } from '../../accounts/accounts.ts';
import type { CredentialTrials } from '../../accounts/credential-trials.ts';
import type { ApiCredentials } from '../../api-credentials/api-credentials.ts';
import type { AuditLog } from '../../api-credentials/audit-log.ts';
import type { EnvironmentCatalogs } from '../../catalog/model/environment-catalog.ts';
import type { Connections } from '../../connections/connections.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { InstallationReport } from '../../core/telemetry/installation-report.ts';
import type { CredentialAccess } from '../../credentials/credential-access.ts';
import type { Disconnection } from '../../credentials/disconnection.ts';
import type { AccountRefresh } from '../../executor/account-refresh.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import type { Executor } from '../../executor/executor.ts';
import type { InterceptorServices } from '../../interceptors/build-interceptors.ts';
import type { Links } from '../../links/links.ts';
import type { InvitationLinks } from '../../people/invitation-links.ts';
import type { Invitations } from '../../people/invitations.ts';
import type { Members } from '../../people/members.ts';
import type { Organizations } from '../../people/organizations.ts';
import type { IdentityProviders } from '../../people/sign-in/identity-providers.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import type { Users } from '../../people/users.ts';
import type { ApiSessions } from '../../authorization-server/api-sessions.ts';
import type { SigningSecrets } from '../../signed-sender/signing-secrets.ts';
import type { Upstreams } from '../../upstream/upstreams.ts';
import type { McpServers } from '../../virtual-servers/mcp-servers.ts';
import type { ServerTokens } from '../../virtual-servers/server-tokens.ts';
import type { DeliveryLog } from '../../webhooks/delivery-log.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { AgentAnswer } from './agent-answer.ts';
import type { Flashes } from './flash.ts';
import type { FormReader, PostedForms } from './posted-forms.ts';
import type { DashboardContext } from '../frame/dashboard-context.ts';

/** Finds the signed-in person of a browser. Implemented by `BrowserSession` of the pages. */
export interface SignedIn {
  find(c: DashboardContext): Promise<SignedInPerson | undefined>;
  requireSignedIn(c: DashboardContext, next: string): Promise<SignedInPerson | Response>;
}

/** All services that pages of the dashboard use. */
export interface DashboardDependencies extends Pick<
  InterceptorServices,
  'interceptors' | 'interceptorTest' | 'interceptorLog'
> {
  /** Version of the program. */
  version: string;
  clock: Clock;
  log: Log;
  environments: Environments;
  signedIn: SignedIn;
  forms: FormReader;
  posted: PostedForms;
  flashes: Flashes;
  catalog: EnvironmentCatalogs;
  accounts: Accounts;
  accountRefresh: AccountRefresh;
  trials: CredentialTrials;
  credentialAccess: CredentialAccess;
  disconnection: Disconnection;
  links: Links;
  connections: Connections;
  executor: Executor;
  /** The answer that an agent gets for a call. */
  agentAnswer: AgentAnswer;
  executions: ExecutionList;
  auditLog: AuditLog;
  users: Users;
  organizations: Organizations;
  organizationProviders: IdentityProviders;
  members: Members;
  invitations: Invitations;
  invitationLinks: InvitationLinks;
  apiSessions: Pick<ApiSessions, 'list' | 'get' | 'create' | 'end'>;
  credentials: ApiCredentials;
  signingSecrets: SigningSecrets;
  webhooks: Webhooks;
  deliveryLog: DeliveryLog;
  mcpServers: McpServers;
  upstreams: Pick<Upstreams, 'operators'>;
  serverTokens: Pick<ServerTokens, 'issue'>;
  installation: InstallationReport;
  /** Id of the key that seals new values. */
  sealingKeyId: () => Promise<string>;
}

/** Services that the pages for users need. Each file of routes takes the part that it uses. */
import type { Accounts } from '../../accounts/accounts.ts';
import type { Disconnection } from '../../credentials/disconnection.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import type { Links } from '../../links/links.ts';
import type { LinkVerifier } from '../../links/link-verifier.ts';
import type { EnvironmentCatalogs } from '../../catalog/model/environment-catalog.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { ClientNames } from '../../authorization-server/library/client-names.ts';
import type { ClientConsents } from '../../authorization-server/library/client-consents.ts';
import type { InvitationLinks } from '../../people/invitation-links.ts';
import type { Members } from '../../people/members.ts';
import type { Organizations } from '../../people/organizations.ts';
import type { OwnSessions } from '../../people/own-sessions.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { EmailCodes } from '../../people/sign-in/email-codes.ts';
import type { OperatorLinks } from '../../people/sign-in/operator-links.ts';
import type { IdentityProviders } from '../../people/sign-in/identity-providers.ts';
import type { SignIn } from '../../people/sign-in/people-sign-in.ts';
import type { IdentityProviderSignIn } from '../../people/sign-in/identity-provider-sign-in.ts';
import type { SpentForms } from '../frame/spent-forms.ts';
import type { PeopleForms } from './people-form.ts';
import type { BrowserSession } from './sign-in-session.ts';

export interface PeopleDependencies {
  accounts: Pick<Accounts, 'list' | 'describe'>;
  clientNames: Pick<ClientNames, 'of'>;
  disconnection: Pick<Disconnection, 'disconnect'>;
  executions: Pick<ExecutionList, 'latestOf'>;
  links: Pick<Links, 'connectable' | 'create'>;
  clock: Clock;
  environments: Environments;
  log: Log;
  forms: PeopleForms;
  /** Prevents a form from making something twice. */
  spentForms: Pick<SpentForms, 'spend'>;
  signIn: BrowserSession;
  people: SignIn;
  codes: Pick<EmailCodes, 'wayOf' | 'isFailing' | 'send' | 'check' | 'remember' | 'minutesLeft'>;
  providers: Pick<IdentityProviders, 'ofEmail'>;
  providerSignIn: Pick<IdentityProviderSignIn, 'hosts' | 'start' | 'finish'>;
  operatorLinks: Pick<OperatorLinks, 'find' | 'person' | 'use'>;
  organizations: Pick<Organizations, 'signUp'>;
  invitations: Pick<InvitationLinks, 'find' | 'accept'>;
  sessions: Pick<Sessions, 'switchOrganization'>;
  members: Pick<Members, 'list' | 'unbind'>;
  ownSessions: Pick<OwnSessions, 'others' | 'end' | 'endOthers' | 'endClient'>;
  verification: Pick<LinkVerifier, 'awaiting' | 'confirm' | 'unconfirmed'>;
  consents: Pick<ClientConsents, 'asking' | 'question' | 'allow' | 'deny'>;
  catalog: EnvironmentCatalogs;
  /** Titles of the apps that a user has connected, each once. */
  connectedApps: (environmentId: string, userId: string) => Promise<readonly string[]>;
  /** Number of tools of the virtual server with a name. */
  serverTools: (environmentId: string, serverName: string) => Promise<number>;
  /** Limits how often browsers start sign-in at providers, because each start costs requests to the provider. */
  rates: { take: (key: string, perMinute: number) => Promise<{ retryAfterMs: number } | undefined> };
}

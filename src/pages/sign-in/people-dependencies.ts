/** What the pages of people need, in one place: each file of routes takes the part that it uses. */
import type { Verification } from '../../links/link-verifier.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { Consents } from '../../authorization-server/library/client-consents.ts';
import type { InvitationLinks } from '../../people/invitation-links.ts';
import type { Organizations } from '../../people/organizations.ts';
import type { OwnSessions } from '../../people/own-sessions.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { EmailCodes } from '../../people/sign-in/email-codes.ts';
import type { OrganizationProviders } from '../../people/sign-in/identity-providers.ts';
import type { PeopleSignIn } from '../../people/sign-in/people-sign-in.ts';
import type { ProviderSignIn } from '../../people/sign-in/identity-provider-sign-in.ts';
import type { PeopleForms } from './people-form.ts';
import type { SignInSession } from './sign-in-session.ts';

export interface PeopleDependencies {
  environments: Environments;
  log: Log;
  forms: PeopleForms;
  signIn: SignInSession;
  people: PeopleSignIn;
  codes: Pick<EmailCodes, 'wayOf' | 'isFailing' | 'send' | 'check'>;
  providers: Pick<OrganizationProviders, 'ofEmail'>;
  providerSignIn: Pick<ProviderSignIn, 'start' | 'finish'>;
  organizations: Pick<Organizations, 'signUp'>;
  invitations: Pick<InvitationLinks, 'find' | 'accept'>;
  sessions: Pick<Sessions, 'switchOrganization'>;
  ownSessions: Pick<OwnSessions, 'others' | 'end' | 'endOthers'>;
  verification: Pick<Verification, 'awaiting' | 'confirm'>;
  consents: Pick<Consents, 'isWaiting' | 'question' | 'allow' | 'deny'>;
  catalog: Pick<Catalog, 'connectors'>;
  /** Limits how often browsers are sent to providers, which makes us ask those. */
  rates: { take: (key: string, perMinute: number) => Promise<{ retryAfterMs: number } | undefined> };
}

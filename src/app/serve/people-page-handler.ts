/** The pages of people over an installation's services: signing in and out, signing up, invitations, organizations, sessions, confirming. */
import type { NodeHandler } from '../../http/listener/request-context.ts';
import { OAuthRecords } from '../../authorization-server/library/oauth-records.ts';
import { ClientNames } from '../../authorization-server/library/client-names.ts';
import { OwnSessions } from '../../people/own-sessions.ts';
import { EmailCodes } from '../../people/sign-in/email-codes.ts';
import { SignIn } from '../../people/sign-in/people-sign-in.ts';
import { IdentityProviderSignIn } from '../../people/sign-in/identity-provider-sign-in.ts';
import type { PeopleDependencies } from '../../pages/sign-in/people-dependencies.ts';
import { PeopleForms } from '../../pages/sign-in/people-form.ts';
import { peopleRoutes } from '../../pages/people/people-routes.ts';
import { BrowserSession } from '../../pages/sign-in/sign-in-session.ts';
import type { Identity } from './build-identity.ts';
import type { Services } from '../services/services.ts';
import { servePages } from './page-handler.ts';
import { buildPeople } from './build-people.ts';

/** Builds what these pages need. */
export function peopleDependencies(installation: Services, identity: Identity): PeopleDependencies {
  const { db, clock, log, vault, environments, outbound, catalog, verification, rates } = installation;
  const { sessions, mailer, authorizationServer } = identity;
  const { organizations, organizationProviders, invitationLinks } = buildPeople(installation, identity);
  const people = new SignIn({ db, clock, sessions });
  const names = new ClientNames({ db, clock, artifacts: new OAuthRecords({ database: db, vault, clock }) });
  const { consents } = authorizationServer;
  const lifetimeMs = installation.settings.lifetimes.sessionMs;
  return {
    environments,
    log,
    forms: new PeopleForms(vault.derive('people-form')),
    signIn: new BrowserSession(people),
    people,
    codes: new EmailCodes({ db, clock, log, environments, mailer, key: vault.derive('email-code') }),
    providers: organizationProviders,
    providerSignIn: new IdentityProviderSignIn({ db, clock, vault, environments, sender: outbound }),
    organizations,
    invitations: invitationLinks,
    sessions,
    ownSessions: new OwnSessions({ db, clock, sessions, names, consents, lifetimeMs }),
    verification,
    consents,
    catalog,
    rates,
  };
}

/** @param labelOf what logs and metrics call a path; undefined for one that may be named as it is */
export function peoplePageHandler(
  installation: Services,
  identity: Identity,
  labelOf: (path: string) => string | undefined,
): NodeHandler {
  return servePages(peopleRoutes(peopleDependencies(installation, identity)), labelOf, installation.log);
}
